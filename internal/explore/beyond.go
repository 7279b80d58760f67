package explore

import (
	"context"
	"slices"
	"time"

	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/internal/report"
)

// This file explores tests beyond what was recorded, one after the other. An ordinary run
// makes a few flips of each test. If more is asked for, states that no run has reached come
// first, and random orders last.

// exploreTests explores the tests: last those that are too large to be recorded again, and
// before them slow ones and those with input from outside. Tests that have started processes
// are explored only where more than flips was asked for.
func (l *loop) exploreTests(ctx context.Context) error {
	b := l.session.opts.Explore
	if b.Off {
		return nil
	}
	tests := slices.Clone(l.ledger.Tests)
	for _, r := range l.ledger.Firsts {
		for _, test := range r.Sizes().Concurrent {
			if !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
		}
	}
	if !l.strategy.Exploring {
		tests = strategy.WithoutProcesses(l.ledger.Firsts, tests)
	}
	if b.All {
		l.reportSequential(tests)
	}
	if len(tests) == 0 {
		return nil
	}
	tests = strategy.SlowLast(l.ledger.Firsts, tests)
	flips := strategy.NewPackageFlips(l.strategy, l.ledger, tests)
	for _, test := range tests {
		if err := l.exploreTest(ctx, test, flips); err != nil {
			return err
		}
	}
	return l.confirmSuspects(ctx)
}

// exploreTest explores one test.
func (l *loop) exploreTest(ctx context.Context, test string, all *strategy.PackageFlips) error {
	l.ledger.TestRuns = nil
	for _, r := range slices.Concat(l.ledger.Firsts, l.ledger.Recordings) { // the latter have the former, too
		if recording.Has(r.Trace, test) && !slices.Contains(l.ledger.TestRuns, r.Recording) {
			l.ledger.TestRuns = append(l.ledger.TestRuns, r.Recording)
		}
	}
	flips := all.Of(l.ledger, test, len(l.ledger.TestRuns))
	t := &testLoop{loop: l, test: test, strategies: []strategy.Strategy{flips}, withinBudget: func() bool { return flips.More(l.ledger) }}
	t.failedFirst = slices.ContainsFunc(l.ledger.Firsts, func(r ledger.Predicted) bool { return slices.Contains(r.Failed, test) })
	if l.strategy.Exploring {
		return t.exploreFurther(ctx, flips)
	}
	return t.run(ctx)
}

// reportSequential reports, of the tests that are not among the concurrent ones, what their
// recordings have shown: all that they can do, if nothing but order could change that.
func (l *loop) reportSequential(concurrent []string) {
	pkg := l.ledger.Package()
	for _, r := range l.ledger.Firsts {
		for _, test := range recording.Tests(r.Trace) {
			if slices.Contains(concurrent, test) {
				continue
			}
			u := strategy.NewUnreached(l.strategy, test)
			u.SearchOne(r.Recording)
			pkg.Explored = append(pkg.Explored, exploredBy(u, 1, 0))
		}
	}
}

// exploredBy reports how far a test was explored, by so many runs; other strategies propose
// so many more.
func exploredBy(u *strategy.Unreached, runs, more int) report.Explored {
	result := u.Result()
	return report.Explored{
		Test: u.Test, Runs: runs, Behaviours: result.Behaviours, Complete: u.Complete(),
		RunsLeft: len(result.Next) + more, OpenReasons: result.Open,
	}
}

// exploreFurther explores a test until nothing is left or the budget is used up, and reports
// how far that was.
func (t *testLoop) exploreFurther(ctx context.Context, flips *strategy.Flips) error {
	b := t.session.opts.Explore
	unreached := strategy.NewUnreached(t.strategy, t.test)
	random := &strategy.Random{Options: t.strategy, Test: t.test}
	t.strategies = []strategy.Strategy{unreached, flips}
	if !b.All {
		t.strategies = append(t.strategies, random)
	}
	start := time.Now()
	end := start.Add(t.session.exploring)
	t.withinBudget = func() bool {
		return (b.Time == 0 || time.Now().Before(end)) && !unreached.Complete()
	}
	t.statusText = unreached.Status
	err := t.run(ctx)
	t.session.exploring -= time.Since(start)
	if err != nil {
		return err
	}
	explored := exploredBy(unreached, t.made+len(t.ledger.Firsts), flips.Left())
	if random.Made > 0 {
		explored.RandomRuns, explored.Seed = random.Made, t.session.opts.Seed
	}
	pkg := t.ledger.Package()
	pkg.Explored = append(pkg.Explored, explored)
	return nil
}
