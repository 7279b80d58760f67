// Package ledger holds what exploration knows of one package: its recordings, its candidates
// with the results of their replays, the bugs for the report, and the files for their
// witnesses. It does no I/O.
//
// Strategies read the ledger and nothing else. The loop of package explore writes it, but
// never during concurrent replays. Because of the ledger a further recording costs little:
// candidates that are settled are not searched for, and those that were tried in vain are not
// solved a second time (analysis.Options.KnowledgeOf).
package ledger

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A PredictedRecording is a recording with the findings that were predicted from it.
type PredictedRecording struct {
	*recording.Recording
	Findings []finding.Finding
}

// A Bound is one that may keep what is looked for in a package from being complete.
type Bound int

// The bounds.
const (
	ReplaysUsedUp Bound = iota // a test has used up its budget for replays
	TimeOver                   // the user's time for replays was over
	ManyPatterns               // there were too many patterns of accesses
	LongTests                  // tests were too long for predicting failing assertions
)

// A Ledger is what is known of one package.
type Ledger struct {
	Report report.Report // of the package
	// AnalysisFailed is set if some of the package could not be analyzed.
	AnalysisFailed bool

	FirstRun recorder.Run // the first
	// FirstRecordings are the first recording of the package, and those of tests that the
	// early end of its run kept from running.
	FirstRecordings []PredictedRecording
	Recordings      []PredictedRecording // all that showed something new
	TestsToRecord   []string             // that are worth other recordings
	// NumOrders is how many other orders the tests are recorded in.
	NumOrders int
	// EventsOfTest counts the events of each test in the first recordings.
	EventsOfTest map[string]int
	WaitingTimes map[string]time.Duration // by test, in the first recordings
	Allowance    *budget.Allowance        // beyond the first recording; nil: no bound
	// EndlessDepartures has the tests of which a departure did not end in time.
	EndlessDepartures map[string]bool
	// RunsOfTest are the runs that showed something new of the test that is explored now.
	RunsOfTest []*recording.Recording
	// TimeLeft returns what is left of the time that the user gives to replays; if that is 0,
	// nothing new begins.
	TimeLeft func() time.Duration
	NumRuns  atomic.Int64 // of tests, after the recorded one
	// SuspectRuns are runs in which tests failed, to be replayed.
	SuspectRuns SuspectRuns
	Candidates  *Candidates
	Witnesses   *Witnesses

	// Violations are those of the findings in Report, by their sites.
	Violations map[string]*witness.Witness
	// Bounds has, by bound that was reached, how much was not done because of it.
	Bounds map[Bound]int

	confirmedBugs map[string]bool // bugs, by their sites
	// findingIndex has the indices of bugs in Report.Findings, by [finding.BugKey].
	findingIndex map[string]int
	fingerprints map[uint64]bool // fingerprints of tests
	// recordings counts the further recordings, including those that showed nothing new.
	recordings atomic.Int32
	// replayedEndings counts the replays of runs that ended with blocked goroutines, by the
	// sites where these were blocked.
	replayedEndings map[string]int
}

// New returns an empty ledger of the package that was run. Sites are those of the current
// sources, by function.
func New(run recorder.Run, paths Paths, sites map[string][]trace.Site) *Ledger {
	return &Ledger{
		FirstRun: run, Bounds: make(map[Bound]int), Candidates: NewCandidates(), TimeLeft: func() time.Duration { return 0 },
		Violations: make(map[string]*witness.Witness), confirmedBugs: make(map[string]bool), findingIndex: make(map[string]int), EndlessDepartures: make(map[string]bool),
		fingerprints: make(map[uint64]bool), replayedEndings: make(map[string]int), Witnesses: newWitnesses(paths, sites),
	}
}

// ReleaseRecordings releases all recordings, which take memory. The report and the drafts are
// kept.
func (l *Ledger) ReleaseRecordings() {
	l.FirstRecordings, l.Recordings, l.RunsOfTest, l.SuspectRuns, l.Witnesses.Unreached = nil, nil, nil, nil, nil
}

// PackageEntry returns the report's entry of the package.
func (l *Ledger) PackageEntry() *report.Package { return &l.Report.Packages[len(l.Report.Packages)-1] }

// Warn adds a warning to the report.
func (l *Ledger) Warn(format string, args ...any) {
	l.Report.Warnings = append(l.Report.Warnings, fmt.Sprintf(format, args...))
}

// NoteBound notes that n things were not done because of a bound.
func (l *Ledger) NoteBound(b Bound, n int) { l.Bounds[b] += n }

// NoteIncomplete notes in the report why not all was done, each reason once.
func (l *Ledger) NoteIncomplete(why string) { AddIncomplete(&l.Report, why) }

// AddIncomplete notes in a report why not all was done, each reason once.
func AddIncomplete(r *report.Report, why string) {
	if !slices.Contains(r.Incomplete, why) {
		r.Incomplete = append(r.Incomplete, why)
	}
}

// ReportError notes that something could not be done about the bug of that ID.
func (l *Ledger) ReportError(id string, err error) {
	l.AnalysisFailed = true
	l.Warn("%s: %s: %v", l.FirstRun.Package.Path, id, err)
}

// AddNotes adds what was noted of a trace to the report.
func (l *Ledger) AddNotes(n recording.TraceNotes) {
	l.Report.Warnings = append(l.Report.Warnings, n.Warnings...)
	for _, why := range n.Incomplete {
		l.NoteIncomplete(why)
	}
}

// WaitOf returns the price of what a test waits in each run.
func (l *Ledger) WaitOf(test string) budget.Work {
	return budget.WorkOfWait(recording.RoundedWait(l.WaitingTimes[test]))
}

// NextRecording counts a further recording and returns its number, from 1.
func (l *Ledger) NextRecording() int32 { return l.recordings.Add(1) }

// ShowsNew reports whether t shows a behaviour of some test that no earlier trace did, and
// remembers all of them.
func (l *Ledger) ShowsNew(t *trace.Trace) bool {
	fresh := false
	for _, sum := range recording.Fingerprints(t) {
		fresh = fresh || !l.fingerprints[sum]
		l.fingerprints[sum] = true
	}
	return fresh
}

// CountEndingReplay counts a replay of a run that ended with goroutines blocked at the sites.
// It reports false if there were enough replays of these.
func (l *Ledger) CountEndingReplay(sites string) bool {
	if l.replayedEndings[sites] == MaxReplayedEndings {
		return false
	}
	l.replayedEndings[sites]++
	return true
}
