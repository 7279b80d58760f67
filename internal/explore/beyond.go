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
// explores small tests to the end, and makes a few flips of the others. If more is asked for, states that no run has reached come
// first, and random orders last.

// exploreTests explores the tests in this order: fast ones without input from outside, the
// other ones, and those that are too large to be recorded again. Tests that have started
// processes are explored only if the user asks for more than flips.
func (l *loop) exploreTests(ctx context.Context) error {
	b := l.session.opts.Explore
	if b.NoExploration {
		return nil
	}
	// Tests that are too large to be recorded again may have flips all the same.
	tests := slices.Clone(l.ledger.TestsToRecord)
	for _, r := range l.ledger.FirstRecordings {
		for _, test := range r.Sizes().ConcurrentTests {
			if !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
		}
	}
	if !l.strategyOptions.Exploring {
		tests = strategy.WithoutProcessTests(l.ledger.FirstRecordings, tests)
	}
	if b.UntilComplete {
		l.reportSequential(tests)
	}
	if len(tests) == 0 {
		return nil
	}
	tests = strategy.SlowTestsLast(l.ledger.FirstRecordings, tests)
	flips := strategy.NewPackageFlips(l.strategyOptions, l.ledger, tests)
	for _, test := range tests {
		if err := l.exploreTest(ctx, test, flips); err != nil {
			return err
		}
	}
	return l.confirmSuspects(ctx)
}

// exploreTest explores one test.
func (l *loop) exploreTest(ctx context.Context, test string, all *strategy.PackageFlips) error {
	l.ledger.RunsOfTest = nil
	for _, r := range slices.Concat(l.ledger.FirstRecordings, l.ledger.Recordings) { // Recordings has the first ones, too
		if recording.HasTest(r.Trace, test) && !slices.Contains(l.ledger.RunsOfTest, r.Recording) {
			l.ledger.RunsOfTest = append(l.ledger.RunsOfTest, r.Recording)
		}
	}
	flips := all.FlipsOf(l.ledger, test, len(l.ledger.RunsOfTest))
	t := &testLoop{loop: l, test: test, strategies: []strategy.Strategy{flips}, withinBudget: func() bool { return flips.MayMakeMore(l.ledger) }}
	// A run in which such a test passes lets failures in other runs be effects of bugs.
	t.failedFirst = slices.ContainsFunc(l.ledger.FirstRecordings, func(r ledger.PredictedRecording) bool { return slices.Contains(r.FailedTests, test) })
	if l.strategyOptions.Exploring {
		return t.exploreFurther(ctx, flips)
	}
	if complete, err := t.exploreSmall(ctx); complete || err != nil {
		return err
	}
	return t.run(ctx)
}

// exploreSmall explores a small test to the end, if that takes few runs, and reports whether it
// did. Nothing is left for other strategies then.
func (t *testLoop) exploreSmall(ctx context.Context) (complete bool, err error) {
	small := strategy.NewSmallTest(t.strategyOptions, t.ledger, t.test)
	if small == nil {
		return false, nil
	}
	states := *t
	states.strategies, states.endsTogether = []strategy.Strategy{small}, true
	states.withinBudget = func() bool { return !small.IsComplete() }
	err = states.run(ctx)
	t.runsMade = states.runsMade
	return small.IsComplete(), err
}

// reportSequential reports how far the tests without concurrent goroutines were explored. If
// nothing but the order of goroutines could change what they do, their recordings have shown
// all.
func (l *loop) reportSequential(concurrent []string) {
	pkg := l.ledger.PackageEntry()
	for _, r := range l.ledger.FirstRecordings {
		for _, test := range recording.Tests(r.Trace) {
			if slices.Contains(concurrent, test) {
				continue
			}
			u := strategy.NewUnreachedStates(l.strategyOptions, test)
			u.SearchRecording(r.Recording)
			pkg.Explored = append(pkg.Explored, newExplored(u, 1, 0))
		}
	}
}

// newExplored returns the report of how far a test was explored. Runs is the number of its
// runs, and other strategies propose left runs more.
func newExplored(u *strategy.UnreachedStates, runs, left int) report.Explored {
	result := u.Result()
	return report.Explored{
		Test: u.Test, Runs: runs, Behaviours: result.Behaviours, Complete: u.IsComplete(),
		RunsLeft: len(result.Next) + left, OpenReasons: result.Doubts,
	}
}

// exploreFurther explores a test until no run is left or the budget is used up, and reports
// how far that was.
func (t *testLoop) exploreFurther(ctx context.Context, flips *strategy.Flips) error {
	b := t.session.opts.Explore
	unreached := strategy.NewUnreachedStates(t.strategyOptions, t.test)
	random := &strategy.RandomOrders{Options: t.strategyOptions, Test: t.test}
	t.strategies, t.endsTogether = []strategy.Strategy{unreached, flips}, true
	// Random orders never end, so that they are for budgets with a bound only.
	if !b.UntilComplete {
		t.strategies = append(t.strategies, random)
	}
	start := time.Now()
	// The time for exploring is shared by all tests, one after the other.
	end := start.Add(t.session.explorationTimeLeft)
	t.withinBudget = func() bool {
		return (b.TotalTime == 0 || time.Now().Before(end)) && !unreached.IsComplete()
	}
	t.exploredSoFar = unreached.Status
	err := t.run(ctx)
	t.session.explorationTimeLeft -= time.Since(start)
	if err != nil {
		return err
	}
	unreached.Next(t.ledger, 0) // notes what the last runs have shown
	explored := newExplored(unreached, t.runsMade+len(t.ledger.FirstRecordings), flips.NumQueued())
	if random.NumMade > 0 {
		explored.RandomRuns, explored.Seed = random.NumMade, t.session.opts.FirstSeed
	}
	pkg := t.ledger.PackageEntry()
	pkg.Explored = append(pkg.Explored, explored)
	return nil
}
