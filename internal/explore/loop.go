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
	session   *session
	ledger    *ledger.Ledger
	replays   *replays.Replayer
	strategy  strategy.Options
	confirmer *confirm.Confirmer

	// reserved is the part of the clock that is kept until the package is analyzed.
	reserved time.Duration

	// Of tests that failed in their first recording:
	// ordersTried counts the other orders that they were recorded in.
	ordersTried map[string]int
	// passes has a run beyond the recordings in which the test passes.
	passes map[string]*strategy.Run

	// unrepeated says, by test, why the replay of a run in which it failed did not fail.
	unrepeated map[string]string
}

// addPackage adds to the report what it has of a package whose tests were run, before
// anything is analyzed.
func (l *loop) addPackage() *report.Package {
	r, run := &l.ledger.Report, l.ledger.Run
	r.Packages = append(r.Packages, report.Package{Package: run.Package.Path, Result: string(run.Result), RecordS: run.Seconds})
	return l.ledger.Package()
}

// run explores the package, from whose first recording p was predicted; nil if it has no
// trace. What goes wrong with this package only is reported as a warning; the error is for
// what concerns the whole run.
func (l *loop) run(ctx context.Context, p *prediction) error {
	run, pkg := l.ledger.Run, l.addPackage()
	if !run.Started.IsZero() {
		pkg.Started = run.Started.Format(time.RFC3339)
	}
	for _, s := range l.session.build.SkippedFiles(run.Package) {
		pkg.Skipped = append(pkg.Skipped, l.session.sources.Files.Name(s.File)+": "+s.Reason)
	}
	if p == nil {
		return nil
	}
	// The trace is written: whatever goes wrong from here on, the report has the package,
	// with what the plain run has shown.
	if info, err := os.Stat(run.Trace); err == nil {
		pkg.TraceBytes = info.Size()
	}
	l.ledger.Note(p.notes)
	l.ledger.Failed = l.ledger.Failed || !p.whole
	if t := p.trace; t != nil {
		pkg.Events = t.LoggedEvents()
		pkg.Tests, pkg.Cases = recording.CountTests(t), evidence.RecordedTestCases(t)
		pkg.Lingering = evidence.LingeringIn(t, run.Package.Path, l.session.sources.Files, l.session.sources.Lines.Line)
	}
	defer func() { l.ledger.Package().Runs = l.ledger.Runs.Load() }()
	switch {
	case p.err != nil && ctx.Err() != nil:
		return ctx.Err()
	case p.err != nil:
		l.ledger.Failed = true
		l.ledger.Warn("%s: %v", run.Package.Path, p.err)
		return nil
	case p.trace == nil:
		return nil
	}
	l.ledger.Report.Totals.Pruned += p.result.Pruned()
	if p.result.Truncated {
		l.ledger.Warn("%s: %s", run.Package.Path, finding.CutSearch)
	}
	if p.result.TooLong {
		l.ledger.Warn("%s: %s", run.Package.Path, finding.TooLong)
	}
	return l.explore(ctx, p)
}

// explore confirms what was predicted from the first recording, and then what the runs show
// that its outcome and the strategies ask for.
func (l *loop) explore(ctx context.Context, p *prediction) error {
	defer func() { // they hold traces, and the loop stays until earlier packages have ended
		l.ledger.Forget()
		clear(l.passes)
	}()
	if err := l.firstRecordings(ctx, p); err != nil {
		return err
	}
	passing, err := l.recordFailing(ctx)
	if err != nil {
		return err
	}
	committed, err := l.committedWitnesses(passing)
	if err != nil {
		return err
	}
	for _, r := range slices.Concat(l.ledger.Firsts, l.ledger.Recordings) {
		if err := l.confirmer.Blocked(ctx, r.Recording); err != nil {
			return err
		}
	}
	l.ledger.Recordings = append(l.ledger.Recordings, l.ledger.Firsts...)
	// The committed witnesses go first: a bug that one of them shows is confirmed then, with a
	// file that is there already.
	if err := l.confirmer.InTime(ctx, func(limit context.Context) error { return committed.replay(limit) }); err != nil {
		return err
	}
	for _, r := range l.ledger.Recordings {
		if _, err := l.confirmer.Findings(ctx, r.Recording, r.Findings); err != nil {
			return err
		}
	}
	// Only now other runs are made: they cost the most, and are searched only for what the
	// first has left open.
	for _, phase := range []func(context.Context) error{l.recordOrders, l.recordAlone, l.exploreTests, l.confirmer.Merged, l.confirmFailures} {
		if err := phase(ctx); err != nil {
			return err
		}
	}
	if err := l.confirmer.InTime(ctx, func(limit context.Context) error { return committed.recheck(ctx, limit) }); err != nil {
		return err
	}
	l.ledger.DropExplained()
	for _, text := range l.replays.Unchecked() {
		l.ledger.Warn("%s: %s", l.ledger.Package().Package, text)
	}
	return nil
}

// firstRecordings enters the first recording of each test into the ledger: the one that p
// was predicted from, and those of tests that its early end kept from running.
func (l *loop) firstRecordings(ctx context.Context, p *prediction) error {
	// All witnesses are made before the first replay: committed ones are told apart by what
	// was predicted at their places, and what is infeasible needs no replay.
	l.ledger.ShowsNew(p.trace)
	l.ledger.Candidates.NotePredicted(p.result)
	rec := recording.New(l.ledger.Run, p.trace, l.session.sources)
	findings, err := l.confirmer.Enter(rec, p.result)
	if err != nil {
		return err
	}
	l.ledger.Firsts = []ledger.Predicted{{Recording: rec, Findings: findings}}
	if err := l.recordRemaining(ctx); err != nil {
		return err
	}
	if recording.TimedOut(p.trace) {
		l.ledger.Run.Seconds = min(l.ledger.Run.Seconds, hungSeconds)
		l.ledger.Firsts[0].Recording = rec.With(func(r *recording.Recording) { r.Run = l.ledger.Run })
	}
	l.ledger.Size, l.ledger.Waited = make(map[string]int), make(map[string]time.Duration)
	events := 0
	for _, r := range l.ledger.Firsts {
		sizes := r.Sizes()
		maps.Copy(l.ledger.Size, sizes.Events)
		maps.Copy(l.ledger.Waited, recording.Waited(r.Trace))
		tests, size := recording.Smallest(sizes.Concurrent, sizes.Events, recording.MaxRepeated)
		l.ledger.Tests, events = append(l.ledger.Tests, tests...), events+size
	}
	l.replays.Waited = l.ledger.Waited
	l.ledger.Orders = l.strategy.CountOrders(l.ledger.Run, events)
	l.ledger.Allowance = budget.NewAllowance(p.trace)
	return nil
}

// A prediction is the analysis of the first recording of a package.
type prediction struct {
	trace *trace.Trace // nil: there is nothing to analyze
	// whole is set if the trace is not damaged, and was written to its end.
	whole  bool
	notes  recording.Notes
	result *analysis.Result
	err    error // why there is no result
}

// predictFirst analyzes the first recording of the package.
func (l *loop) predictFirst(ctx context.Context) *prediction {
	run, status := l.ledger.Run, l.session.status
	l.session.clock.Release(l.reserved)
	status.Set("predicting", run.Package.Path)
	p := new(prediction)
	if p.trace, p.whole = recording.Read(run, l.session.build, l.session.opts.Keep, &p.notes); p.trace != nil {
		status.Set("predicting", fmt.Sprintf("%s, %d events", run.Package.Path, p.trace.LoggedEvents()))
		p.result, p.err = finding.Predict(ctx, p.trace, l.confirmer.Analysis)
	}
	return p
}
