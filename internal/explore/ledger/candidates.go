package ledger

import (
	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
)

// Candidates have what is known of the candidates of one package from all recordings so far,
// by their names (analysis.Finding.Name).
type Candidates struct {
	// Diverged are the candidates whose replays left their schedules, in the order of the
	// replays.
	Diverged []DivergedCandidate

	WitnessIDs *finding.WitnessIDs // of their witnesses
	knowledge  map[string]analysis.Knowledge
}

// A DivergedCandidate is one whose replays left their schedules. A recording of its test alone
// may show schedules that replays can follow.
type DivergedCandidate struct {
	Test, Candidate string
	Order           recorder.Order
}

// NewCandidates returns what is known before any recording.
func NewCandidates() *Candidates {
	return &Candidates{WitnessIDs: finding.NewWitnessIDs(), knowledge: make(map[string]analysis.Knowledge)}
}

// KnowledgeOf returns what is known of a candidate, for the analysis of a further trace.
func (c *Candidates) KnowledgeOf(candidate string) analysis.Knowledge { return c.knowledge[candidate] }

// NotePredicted notes the candidates of a result as tried.
func (c *Candidates) NotePredicted(r *analysis.Result) {
	for _, f := range r.Findings {
		c.knowledge[f.Name] = max(c.knowledge[f.Name], analysis.TriedBefore)
	}
}

// MarkSettled notes that a candidate needs no further search: it was replayed, or is
// confirmed.
func (c *Candidates) MarkSettled(candidate string) { c.knowledge[candidate] = analysis.Settled }

// MarkTried notes that a settled candidate is to be searched for in a further recording.
func (c *Candidates) MarkTried(candidate string) { c.knowledge[candidate] = analysis.TriedBefore }

// NoteReplayed notes the result of the replays of a finding of r.
func (c *Candidates) NoteReplayed(r *recording.Recording, f finding.Finding, shown *report.Finding) {
	if shown.Replays == 0 {
		return
	}
	c.MarkSettled(f.Name)
	if shown.Status == bug.Confirmed || r.SingleTest || r.NumTests == 1 {
		return
	}
	for _, test := range f.Tests {
		c.Diverged = append(c.Diverged, DivergedCandidate{test, f.Name, r.Run.Order})
	}
}

// A SuspectRun is a run beyond the recordings in which a test failed. It is replayed after all
// tests were explored: another bug that is confirmed by then may be why the test failed.
type SuspectRun struct {
	Recording *recording.Recording
	Finding   finding.Finding
	Bug       string // of the finding
	// FailureOutput is what the run printed of the failure.
	FailureOutput []string
}

// SuspectRuns are those of a package, in the order of the runs.
type SuspectRuns []SuspectRun

// CountOf counts the suspects that failed at the same sites.
func (all SuspectRuns) CountOf(sites string) (n int) {
	for _, s := range all {
		if s.Bug == sites {
			n++
		}
	}
	return n
}

// CountEvents counts the events of all runs that are kept.
func (all SuspectRuns) CountEvents() (events int) {
	for _, s := range all {
		events += len(s.Recording.Trace.Events)
	}
	return events
}
