package explore

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/confirm"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A loop explores one package: it makes the runs that strategies propose, confirms what they
// show, and enters that into the ledger.
//
// Replays are made concurrently. The ledger is written only before and after them, in an
// order that does not depend on which replay ends first.
type loop struct {
	session         *session
	ledger          *ledger.Ledger
	replays         *replays.Replayer
	strategyOptions strategy.Options
	confirmer       *confirm.Confirmer

	// Of tests that failed in their first recording:
	// ordersTried counts the other orders that they were recorded in.
	otherOrders map[string]int
	// passingRuns has a run beyond the recordings in which the test passes.
	passingRuns map[string]*strategy.Run

	// unrepeatedFailures says, by test, why the replay of a run in which it failed did not fail.
	unrepeatedFailures map[string]string
}

// addPackage adds the entry of the package to the report, with what the plain run of its tests
// has shown.
func (l *loop) addPackage() *report.Package {
	r, run := &l.ledger.Report, l.ledger.FirstRun
	r.Packages = append(r.Packages, report.Package{Package: run.Package.Path, Result: string(run.Result), RecordS: run.Seconds})
	return l.ledger.PackageEntry()
}

// run explores the package, from whose first recording p was predicted; p is nil if there is
// no trace. What fails for this package only is a warning of the report. The error is for what
// concerns the whole run.
func (l *loop) run(ctx context.Context, p *prediction) error {
	run, pkg := l.ledger.FirstRun, l.addPackage()
	if !run.Started.IsZero() {
		pkg.Started = run.Started.Format(time.RFC3339)
	}
	for _, s := range l.session.build.SkippedFiles(run.Package) {
		pkg.Skipped = append(pkg.Skipped, l.session.sourceNames.Files.Name(s.File)+": "+s.Reason)
	}
	if p == nil {
		return nil
	}
	// The trace is written: whatever fails from here on, the report has the package with what
	// the plain run has shown.
	if info, err := os.Stat(run.Trace); err == nil {
		pkg.TraceBytes = info.Size()
	}
	l.ledger.AddNotes(p.notes)
	l.ledger.AnalysisFailed = l.ledger.AnalysisFailed || !p.traceIsWhole
	if t := p.trace; t != nil {
		pkg.Events = t.LoggedEvents()
		pkg.Tests, pkg.Cases = recording.CountTests(t), evidence.RecordedTestCases(t)
		pkg.Lingering = evidence.LingeringIn(t, run.Package.Path, l.session.sourceNames.Files, l.session.sourceNames.Lines.Line)
	}
	defer func() { l.ledger.PackageEntry().Runs = l.ledger.NumRuns.Load() }()
	switch {
	case p.err != nil && ctx.Err() != nil:
		return ctx.Err()
	case p.err != nil:
		l.ledger.AnalysisFailed = true
		l.ledger.Warn("%s: %v", run.Package.Path, p.err)
		return nil
	case p.trace == nil:
		return nil
	}
	l.ledger.Report.Totals.Pruned += p.result.Pruned()
	if p.result.Truncated {
		l.ledger.NoteBound(ledger.ManyPatterns, 1)
	}
	if p.result.TooLong {
		l.ledger.NoteBound(ledger.LongTests, 1)
	}
	return l.confirmAndExplore(ctx, p)
}

// confirmAndExplore confirms what was predicted from the first recording. Then it makes the
// further runs that strategies propose, and confirms what these show.
func (l *loop) confirmAndExplore(ctx context.Context, p *prediction) error {
	defer func() { // recordings take memory, and the loop stays until the packages before it have ended
		l.ledger.ReleaseRecordings()
		clear(l.passingRuns)
	}()
	if err := l.firstRecordings(ctx, p); err != nil {
		return err
	}
	passing, err := l.recordFailing(ctx)
	if err != nil {
		return err
	}
	committed, err := newCommittedWitnesses(l, passing)
	if err != nil {
		return err
	}
	// Blocked goroutines are proven by the run itself, so they need no prediction.
	for _, r := range slices.Concat(l.ledger.FirstRecordings, l.ledger.Recordings) {
		if err := l.confirmer.ConfirmBlocked(ctx, r.Recording); err != nil {
			return err
		}
	}
	l.ledger.Recordings = append(l.ledger.Recordings, l.ledger.FirstRecordings...)
	// The committed witnesses go first: a bug that one of them shows is confirmed then, with a
	// file that is there already.
	if err := l.confirmer.WithinTime(ctx, func(limit context.Context) error { return committed.replayAll(limit) }); err != nil {
		return err
	}
	for _, r := range l.ledger.Recordings {
		if _, err := l.confirmer.ConfirmFindings(ctx, r.Recording, r.Findings); err != nil {
			return err
		}
	}
	// Other runs are made only now: they cost the most, and are searched only for what the
	// first has left open.
	for _, phase := range []func(context.Context) error{l.recordOrders, l.recordChances, l.recordAlone, l.exploreTests, l.confirmer.ConfirmMerged, l.confirmFailures} {
		if err := phase(ctx); err != nil {
			return err
		}
	}
	if err := l.confirmer.WithinTime(ctx, func(limit context.Context) error { return committed.recheck(ctx, limit) }); err != nil {
		return err
	}
	l.ledger.DropExplained()
	// These are known only after the last replay.
	for _, text := range l.replays.UncheckedWarnings() {
		l.ledger.Warn("%s: %s", l.ledger.PackageEntry().Package, text)
	}
	return nil
}

// firstRecordings enters the first recording of each test into the ledger: the one that p
// was predicted from, and those of tests that its early end kept from running.
func (l *loop) firstRecordings(ctx context.Context, p *prediction) error {
	// All witnesses are made before the first replay: the tier of a committed witness is that
	// of the prediction at its places, and what is infeasible needs no replay.
	l.ledger.ShowsNew(p.trace)
	l.ledger.Candidates.NotePredicted(p.result)
	rec := recording.New(l.ledger.FirstRun, p.trace, l.session.sourceNames)
	findings, err := l.confirmer.EnterPrediction(rec, p.result)
	if err != nil {
		return err
	}
	l.ledger.FirstRecordings = []ledger.PredictedRecording{{Recording: rec, Findings: findings}}
	if err := l.recordRemaining(ctx); err != nil {
		return err
	}
	if recording.EndedByTimeout(p.trace) {
		// A test that hangs would give all replays of the package a very long time limit.
		l.ledger.FirstRun.Seconds = min(l.ledger.FirstRun.Seconds, hungSeconds)
		l.ledger.FirstRecordings[0].Recording = rec.With(func(r *recording.Recording) { r.Run = l.ledger.FirstRun })
	}
	l.ledger.EventsOfTest, l.ledger.WaitingTimes = make(map[string]int), make(map[string]time.Duration)
	events := 0
	var concurrent []string
	for _, r := range l.ledger.FirstRecordings {
		recording.LooksAtChance(r.Trace, l.ledger.PackageEntry().AddChance)
		sizes := r.Sizes()
		maps.Copy(l.ledger.EventsOfTest, sizes.Events)
		concurrent = append(concurrent, sizes.ConcurrentTests...)
		maps.Copy(l.ledger.WaitingTimes, recording.WaitingTimes(r.Trace))
		tests, size := recording.SmallestTests(sizes.ConcurrentTests, sizes.Events, recording.MaxRepeated)
		l.ledger.TestsToRecord, events = append(l.ledger.TestsToRecord, tests...), events+size
	}
	l.replays.WaitingTimes = l.ledger.WaitingTimes
	waits := budget.Work(0)
	for _, test := range l.ledger.TestsToRecord {
		waits += l.ledger.WaitOf(test)
	}
	l.ledger.NumOrders = l.strategyOptions.CountOrders(events, waits)
	l.ledger.Allowance = budget.NewAllowance(p.trace, l.ledger.EventsOfTest, concurrent)
	return nil
}

// A prediction is the analysis of the first recording of a package.
type prediction struct {
	trace *trace.Trace // nil: there is nothing to analyze
	// traceIsWhole is set if the trace is not damaged, and was written to its end.
	traceIsWhole bool
	notes        recording.TraceNotes
	result       *analysis.Result
	err          error // why there is no result
}

// predictFirst analyzes the first recording of the package.
func (l *loop) predictFirst(ctx context.Context) *prediction {
	run, status := l.ledger.FirstRun, l.session.status
	status.Set("predicting", run.Package.Path)
	p := new(prediction)
	if p.trace, p.traceIsWhole = recording.ReadRecording(run, l.session.build, l.session.opts.KeepFiles, &p.notes); p.trace != nil {
		status.Set("predicting", fmt.Sprintf("%s, %d events", run.Package.Path, p.trace.LoggedEvents()))
		p.result, p.err = finding.Predict(ctx, p.trace, l.confirmer.Analysis)
	}
	return p
}
