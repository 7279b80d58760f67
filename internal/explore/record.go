package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/replayer"
)

// This file makes the recordings that strategies propose. A strategy finds the result of the
// run that it proposed last in that run.

// record makes a run in an order of goroutines. It leaves r.Recording nil if there is nothing
// to analyze.
func (l *loop) record(ctx context.Context, r *strategy.Run) error {
	first, s := l.ledger.FirstRun, l.session
	limit := replays.RecordTime(first.Seconds)
	args := replayer.RerunArgs(first.Args, r.Tests, replayer.SubtestFilter(first.Args), limit)
	if r.Tests == nil {
		args = replayer.RerunArgsWithout(first.Args, r.ExcludedTests, limit)
	}
	// The numbers make the names of the files distinct.
	n := l.ledger.NextRecording()
	s.status.Set("recording", fmt.Sprintf("%s, time %d", first.Package.Path, n+1))
	l.ledger.NumRuns.Add(1)
	again, err := s.pool.Record(ctx, first, r.Order, args, fmt.Sprintf("%s-%d", first.Trace, n))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || again.Trace == "" { // the user has not asked for this run
		return nil
	}
	var notes recording.TraceNotes
	t, _ := recording.ReadRecording(again, s.build, s.opts.KeepFiles, &notes)
	l.ledger.AddNotes(recording.TraceNotes{Incomplete: notes.Incomplete})
	if t == nil {
		return nil
	}
	// A run that has reached its limit may have been cut off, whatever its trace says.
	timedOut := again.TimedOut || recording.EndedByTimeout(t)
	// The tests that were recorded again are some of the package's. Replays of what they show
	// have the arguments and the time of the first recording.
	again.Args, again.Seconds, again.Processor = first.Args, first.Seconds, first.Processor
	rec := recording.New(again, t, s.sourceNames)
	rec.TimedOut, rec.SingleTest = timedOut, r.SingleTest
	r.Recording = rec
	return nil
}

// recordNew makes a run and predicts from its recording, which is nil if it shows nothing new.
func (l *loop) recordNew(ctx context.Context, r *strategy.Run) (p ledger.PredictedRecording, err error) {
	if err = l.record(ctx, r); err != nil || r.Recording == nil || !l.ledger.ShowsNew(r.Recording.Trace) {
		return p, err
	}
	p.Recording = r.Recording
	l.session.status.Set("predicting", fmt.Sprintf("%s, %d events", p.Run.Package.Path, len(p.Trace.Events)))
	p.Findings, err = l.confirmer.PredictOpen(ctx, p.Recording, l.session.opts.Analysis.Kinds)
	return p, err
}

// recordRemaining records the tests that the early end of a run kept from running. These are
// their first recordings.
func (l *loop) recordRemaining(ctx context.Context) error {
	// Several tests may end a run early, one after the other.
	remaining := new(strategy.RemainingTests)
	for {
		next := remaining.Next(l.ledger, 1)
		if len(next) == 0 {
			return nil
		}
		if err := l.record(ctx, next[0]); err != nil {
			return err
		}
		path, culprits, rec := l.ledger.FirstRun.Package.Path, strings.Join(remaining.Culprits, ", "), next[0].Recording
		if rec == nil || rec.NumTests == 0 || !l.ledger.ShowsNew(rec.Trace) {
			return nil
		}
		l.session.status.Set("predicting", fmt.Sprintf("%s, %d events", path, len(rec.Trace.Events)))
		result, findings, err := l.confirmer.Predict(ctx, rec, l.confirmer.Analysis)
		if err != nil {
			return err
		}
		if result != nil {
			l.ledger.Report.Totals.Pruned += result.Pruned()
		}
		l.ledger.FirstRecordings = append(l.ledger.FirstRecordings, ledger.PredictedRecording{Recording: rec, Findings: findings})
		pkg := l.ledger.PackageEntry()
		pkg.Events += rec.Trace.LoggedEvents()
		pkg.Tests += rec.NumTests
		pkg.Lingering = append(pkg.Lingering, evidence.LingeringIn(rec.Trace, path, l.session.sourceNames.Files, l.session.sourceNames.Lines.Line)...)
		l.ledger.Warn("%s: recorded in a run of their own, as %s ended the first one, by a panic or an exit: %s",
			path, culprits, recording.ListTests(recording.Tests(rec.Trace), recording.MaxListed))
	}
}

// recordFailing records the tests that failed in their first recording in other orders, and
// returns those that pass in one of them.
func (l *loop) recordFailing(ctx context.Context) (passing []string, err error) {
	for _, first := range l.ledger.FirstRecordings {
		var all []ledger.PredictedRecording // the last one first
		failing := strategy.NewPassingOrders(l.strategyOptions, first.Recording, l.ledger.NumOrders)
		for next := failing.Next(l.ledger, 1); len(next) > 0; next = failing.Next(l.ledger, 1) {
			p, err := l.recordNew(ctx, next[0])
			if err != nil {
				return nil, err
			}
			if next[0].Recording = p.Recording; p.Recording != nil {
				all = slices.Insert(all, 0, p)
			}
		}
		for _, test := range failing.FailedTests {
			l.otherOrders[test] = failing.NumAsked
		}
		l.ledger.Recordings = append(l.ledger.Recordings, all...)
		passing = append(passing, failing.PassedTests...)
	}
	return passing, nil
}

// recordOrders records the tests in other orders and confirms what these recordings show.
func (l *loop) recordOrders(ctx context.Context) error {
	orders := &strategy.OtherOrders{Options: l.strategyOptions, MaxOrders: l.ledger.NumOrders}
	for next := orders.Next(l.ledger, 1); len(next) > 0; next = orders.Next(l.ledger, 1) {
		p, err := l.recordNew(ctx, next[0])
		if err != nil {
			return err
		}
		if p.Recording == nil {
			continue
		}
		if p.Recording, err = l.compareWithPassing(ctx, p.Recording); err != nil {
			return err
		}
		l.ledger.Recordings = append(l.ledger.Recordings, p)
		if err := l.confirmRecording(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// confirmRecording confirms what blocks for ever in a recording, and what was predicted from it.
func (l *loop) confirmRecording(ctx context.Context, p ledger.PredictedRecording) error {
	if err := l.confirmer.ConfirmBlocked(ctx, p.Recording); err != nil {
		return err
	}
	_, err := l.confirmer.ConfirmFindings(ctx, p.Recording, p.Findings)
	return err
}

// recordChances records the tests that chance decides in with other random numbers, and confirms
// what these recordings show. They are compared with nothing else: a test that fails there, in an
// order of goroutines in which it passes otherwise, fails by chance.
func (l *loop) recordChances(ctx context.Context) error {
	chances, decided := &strategy.OtherChances{Options: l.strategyOptions}, make(map[string]bool)
	for next := chances.Next(l.ledger, 1); len(next) > 0; next = chances.Next(l.ledger, 1) {
		p, err := l.recordNew(ctx, next[0])
		if err != nil {
			return err
		}
		if p.Recording == nil {
			continue
		}
		for _, test := range p.FailedTests {
			if l.passingRun(test) != nil && !decided[test] && !recording.DeadlockBlocks(p.Trace, test) {
				decided[test] = true
				l.ledger.Warn("%s: %s fails with other random numbers, or another order of a map, in the order of goroutines in which it passes: chance decides, which is no concurrency bug", p.Run.Package.Path, test)
			}
		}
		if err := l.confirmRecording(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// recordAlone records single tests whose replays left their schedules, and confirms what these
// recordings show. The replays of a few candidates decide whether all are replayed.
func (l *loop) recordAlone(ctx context.Context) error {
	alone := &strategy.SingleTests{Options: l.strategyOptions}
	for next := alone.Next(l.ledger, 1); len(next) > 0; next = alone.Next(l.ledger, 1) {
		p, err := l.recordNew(ctx, next[0])
		if err != nil {
			return err
		}
		if p.Recording == nil {
			continue
		}
		// If none of the first few is confirmed the test by itself is no better than with the
		// others, and the rest is not replayed.
		first := min(probedCandidates, len(p.Findings))
		confirmed, err := l.confirmer.ConfirmFindings(ctx, p.Recording, p.Findings[:first])
		if err == nil && confirmed > 0 {
			_, err = l.confirmer.ConfirmFindings(ctx, p.Recording, p.Findings[first:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compareWithPassing returns r with another outcome that its replays are compared with: that
// of a run in which those tests pass that failed in r and still pass in an earlier order. In
// replays compared with this a failure is an effect of the bug.
func (l *loop) compareWithPassing(ctx context.Context, r *recording.Recording) (*recording.Recording, error) {
	var passed []string
	// Compared with a run that has failed itself, a failure would be no effect of a bug.
	for _, test := range r.FailedTests {
		passes := l.passingRun(test)
		if passes == nil {
			continue
		}
		if err := l.confirmer.WithinTime(ctx, func(limit context.Context) error {
			again, err := passes(limit)
			switch {
			case limit.Err() != nil:
				return ctx.Err()
			case err == nil && again:
				passed = append(passed, test)
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	if len(passed) == 0 {
		return r, nil
	}
	return r.ComparedWith(r.Outcome.WithoutTests(passed)), nil
}

// passingRun returns a function that runs a test again, without the schedule of a bug, in an
// order in which it has passed. The function reports whether the test passes. It is nil if the
// test has never passed.
func (l *loop) passingRun(test string) func(ctx context.Context) (bool, error) {
	for _, r := range l.ledger.Recordings {
		if r.HasPassed(test) {
			return func(ctx context.Context) (bool, error) {
				return l.replays.PassesWithoutSchedule(ctx, r.Recording, test)
			}
		}
	}
	if passed := l.passingRuns[test]; passed != nil {
		return func(ctx context.Context) (bool, error) {
			again := *passed
			again.Recording, again.Result = nil, replayer.Result{} // a run without a recording does not pass
			err := l.makeRun(ctx, &again)
			l.ledger.NumRuns.Add(int64(len(again.Result.Verdicts)))
			return again.Recording != nil && recording.HasPassed(again.Recording.Trace, test), err
		}
	}
	return nil
}
