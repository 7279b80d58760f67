package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/replayer"
)

// This file records tests of a package again, as the strategies that propose recordings ask
// for. Each knows the outcome of the run that it proposed last.

// record makes a run in an order of goroutines; nothing may come of it.
func (l *loop) record(ctx context.Context, r *strategy.Run) error {
	first, s := l.ledger.Run, l.session
	limit := replays.RecordTime(first.Seconds)
	args := replayer.RerunArgs(first.Args, r.Tests, replayer.SubtestFilter(first.Args), limit)
	if r.Tests == nil {
		args = replayer.RerunArgsWithout(first.Args, r.Without, limit)
	}
	n := l.ledger.NextRecording()
	bound, end := s.clock.LimitAnalysis(ctx)
	defer end()
	s.status.Set("recording", fmt.Sprintf("%s, time %d", first.Package.Path, n+1))
	l.ledger.Runs.Add(1)
	again, err := s.pool.Record(bound, first, r.Order, args, fmt.Sprintf("%s-%d", first.Trace, n))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || bound.Err() != nil || again.Trace == "" { // the user has not asked for this run
		return nil
	}
	var notes recording.Notes
	t, _ := recording.Read(again, s.build, s.opts.Keep, &notes)
	l.ledger.Note(recording.Notes{Incomplete: notes.Incomplete})
	if t == nil {
		return nil
	}
	timedOut := again.Seconds >= limit.Seconds()
	// The tests that were recorded again are some of the package's: replays of what they show
	// have the arguments and the time of those in the first recording.
	again.Args, again.Seconds, again.Processor = first.Args, first.Seconds, first.Processor
	rec := recording.New(again, t, s.sources)
	rec.TimedOut, rec.Alone = timedOut, r.Alone
	r.Recording = rec
	return nil
}

// recordNew makes a run and predicts from its recording, which is nil if it shows nothing new.
func (l *loop) recordNew(ctx context.Context, r *strategy.Run) (p ledger.Predicted, err error) {
	if err = l.record(ctx, r); err != nil || r.Recording == nil || !l.ledger.ShowsNew(r.Recording.Trace) {
		return p, err
	}
	p.Recording = r.Recording
	p.Findings, err = l.predictRecorded(ctx, p.Recording)
	return p, err
}

// predictRecorded predicts from a recording in another order.
func (l *loop) predictRecorded(ctx context.Context, r *recording.Recording) ([]finding.Finding, error) {
	l.session.status.Set("predicting", fmt.Sprintf("%s, %d events", r.Run.Package.Path, len(r.Trace.Events)))
	return l.confirmer.PredictOpen(ctx, r, l.session.opts.Analysis.Kinds)
}

// recordRemaining records the tests that the early end of a run kept from running. These are
// their first recordings.
func (l *loop) recordRemaining(ctx context.Context) error {
	remaining := new(strategy.Remaining)
	for {
		next := remaining.Next(l.ledger, 1)
		if len(next) == 0 {
			return nil
		}
		if err := l.record(ctx, next[0]); err != nil {
			return err
		}
		path, culprits, rec := l.ledger.Run.Package.Path, strings.Join(remaining.Culprits, ", "), next[0].Recording
		if rec == nil && l.ledger.TimeLeft() == 0 {
			l.ledger.Warn("%s: what %s kept from running was not recorded, as %s", path, culprits, l.session.clock.Over())
		}
		if rec == nil || rec.Tests == 0 || !l.ledger.ShowsNew(rec.Trace) {
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
		l.ledger.Firsts = append(l.ledger.Firsts, ledger.Predicted{Recording: rec, Findings: findings})
		pkg := l.ledger.Package()
		pkg.Events += rec.Trace.LoggedEvents()
		pkg.Tests += rec.Tests
		pkg.Lingering = append(pkg.Lingering, evidence.LingeringIn(rec.Trace, path, l.session.sources.Files, l.session.sources.Lines.Line)...)
		l.ledger.Warn("%s: recorded in a run of their own, as %s ended the first one, by a panic or an exit: %s",
			path, culprits, recording.ListTests(recording.Tests(rec.Trace), recording.MaxListed))
	}
}

// recordFailing records the tests that failed in their first recording in other orders, and
// returns those that pass in one of them.
func (l *loop) recordFailing(ctx context.Context) (passing []string, err error) {
	for _, first := range l.ledger.Firsts {
		var all []ledger.Predicted // the last one first
		failing := strategy.NewPassing(l.strategy, first.Recording, l.ledger.Orders)
		for next := failing.Next(l.ledger, 1); len(next) > 0; next = failing.Next(l.ledger, 1) {
			p, err := l.recordNew(ctx, next[0])
			if err != nil {
				return nil, err
			}
			if next[0].Recording = p.Recording; p.Recording != nil {
				all = slices.Insert(all, 0, p)
			}
		}
		for _, test := range failing.Tests {
			l.ordersTried[test] = failing.Asked()
		}
		l.ledger.Recordings = append(l.ledger.Recordings, all...)
		passing = append(passing, failing.Passed...)
	}
	return passing, nil
}

// recordOrders records the tests in other orders and confirms what that shows.
func (l *loop) recordOrders(ctx context.Context) error {
	orders := &strategy.Orders{Options: l.strategy, Count: l.ledger.Orders}
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
		if err := l.confirmer.Blocked(ctx, p.Recording); err != nil {
			return err
		}
		if _, err := l.confirmer.Findings(ctx, p.Recording, p.Findings); err != nil {
			return err
		}
	}
	return nil
}

// recordAlone records tests alone whose replays left their schedules, and confirms what that
// shows. A few replays tell whether the test alone is any better, before all of its
// candidates are replayed.
func (l *loop) recordAlone(ctx context.Context) error {
	alone := &strategy.Alone{Options: l.strategy}
	for next := alone.Next(l.ledger, 1); len(next) > 0; next = alone.Next(l.ledger, 1) {
		p, err := l.recordNew(ctx, next[0])
		if err != nil {
			return err
		}
		if p.Recording == nil {
			continue
		}
		first := min(probes, len(p.Findings))
		confirmed, err := l.confirmer.Findings(ctx, p.Recording, p.Findings[:first])
		if err == nil && confirmed > 0 {
			_, err = l.confirmer.Findings(ctx, p.Recording, p.Findings[first:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compareWithPassing returns the recording r so that its replays are compared with a run in
// which the tests pass that failed in r, if there is one and they still do: to fail is an
// effect of a bug then.
func (l *loop) compareWithPassing(ctx context.Context, r *recording.Recording) (*recording.Recording, error) {
	var passed []string
	for _, test := range r.Failed {
		passes := l.passing(test)
		if passes == nil {
			continue
		}
		if err := l.confirmer.InTime(ctx, func(limit context.Context) error {
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

// passing returns a function that runs a test again in an order in which it has passed,
// without the schedule of a bug, and reports whether it still passes; nil if it has never
// passed.
func (l *loop) passing(test string) func(ctx context.Context) (bool, error) {
	for _, r := range l.ledger.Recordings {
		if r.Passed(test) {
			return func(ctx context.Context) (bool, error) { return l.replays.PassesStill(ctx, r.Recording, test) }
		}
	}
	if passed := l.passes[test]; passed != nil {
		return func(ctx context.Context) (bool, error) {
			again := *passed
			again.Recording, again.Result = nil, replayer.Result{} // a run that shows nothing does not pass
			err := l.perform(ctx, &again)
			l.ledger.Runs.Add(int64(len(again.Result.Verdicts)))
			return again.Recording != nil && recording.Passes(again.Recording.Trace, test), err
		}
	}
	return nil
}
