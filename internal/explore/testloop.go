package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/confirm"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/explore/strategy"
)

// A testLoop makes runs of one test beyond the recordings, as long as the strategies propose
// any and the budget is not used up.
//
// Runs go on concurrently, but results must not depend on which of them is faster. So a
// strategy is asked for the next run only when all runs that were proposed before the oldest
// one still running were entered, even if later ones have ended.
type testLoop struct {
	*loop
	test string
	// strategies are in the order in which they are asked.
	strategies   []strategy.Strategy
	runsMade     int         // runs
	withinBudget func() bool // the budget is not used up
	// failedFirst is set if the test failed in its first recording.
	failedFirst bool
	// endsTogether is set if all runs that were proposed together end before the next are
	// proposed: a search for states that no run has reached is expensive, and is worth more
	// if it knows more runs.
	endsTogether bool
	// exploredSoFar, if not nil, returns what the runs have shown so far, for the status line.
	exploredSoFar func() string
}

// run makes the runs. They are entered into the ledger in the order in which they were
// proposed, while later ones go on: which run is next follows from those that were entered,
// however long each of them took.
func (t *testLoop) run(ctx context.Context) error {
	if err := t.session.pool.Prepare(); err != nil {
		return err
	}
	// Each run that goes on has its recording in memory when it ends.
	atOnce := max(1, min(budget.ConcurrentRuns, recording.ConcurrentEvents/max(1, t.ledger.EventsOfTest[t.test])))
	// Runs that are left when this ends are of no use, but must not use their folders any
	// more.
	running, stop := context.WithCancel(ctx)
	var begun []*strategy.Run
	defer func() {
		stop()
		for _, r := range begun {
			<-r.Ended
		}
	}()
	for {
		if !t.endsTogether || len(begun) == 0 {
			next := t.proposeRuns(atOnce - len(begun))
			t.beginRuns(running, next)
			begun = append(begun, next...)
		}
		if len(begun) == 0 {
			return nil
		}
		now := begun[:1]
		if t.endsTogether {
			now = begun
		}
		begun = begun[len(now):]
		if err := t.awaitRuns(ctx, now); err != nil {
			return err
		}
		for _, r := range now {
			if replays.TimedOut(r.Result) {
				return nil // the next may take as long
			}
			if err := t.enterRun(ctx, r); err != nil {
				return err
			}
		}
	}
}

// proposeRuns returns up to n runs to make; none if the budget is used up.
func (t *testLoop) proposeRuns(n int) (next []*strategy.Run) {
	most := t.session.opts.Explore.RunsPerTest
	if most > 0 {
		n = min(n, most-t.runsMade)
	}
	for _, s := range t.strategies {
		if n <= 0 || t.ledger.TimeLeft() == 0 || !t.withinBudget() {
			return nil
		}
		if next = s.Next(t.ledger, n); len(next) > 0 {
			break
		}
	}
	if len(next) == 0 {
		return nil
	}
	for _, r := range next {
		t.runsMade++
		r.Number = t.runsMade
	}
	text := ""
	if t.exploredSoFar != nil {
		text = t.exploredSoFar()
	}
	t.session.status.Count("exploring", t.test+", "+t.ledger.FirstRun.Package.Path, t.runsMade, most, text)
	return next
}

// beginRuns begins runs, in the time that is left for replays.
func (t *testLoop) beginRuns(ctx context.Context, all []*strategy.Run) {
	for _, r := range all {
		// Each run has its own context: it may begin before others have ended.
		limit, cancel := t.session.clock.Limit(ctx)
		r.Ended = make(chan struct{})
		go func() {
			defer cancel()
			defer close(r.Ended)
			r.Err = t.makeRun(limit, r)
		}()
	}
}

// makeRun makes a run.
func (l *loop) makeRun(ctx context.Context, r *strategy.Run) error {
	if r.MakeBeginning == nil {
		return l.record(ctx, r)
	}
	return l.confirmer.MakeWitnessRun(ctx, r)
}

// awaitRuns waits for the ends of runs.
func (t *testLoop) awaitRuns(ctx context.Context, all []*strategy.Run) error {
	err := t.confirmer.WithinTime(ctx, func(context.Context) error {
		var errs []error
		for _, r := range all {
			<-r.Ended
			errs = append(errs, r.Err)
		}
		return errors.Join(errs...)
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, budget.ErrTimeOver):
		t.ledger.AnalysisFailed = true
		t.ledger.Warn("%s: %v", t.ledger.FirstRun.Package.Path, err)
	}
	for _, r := range all {
		r.IsDealtWith = true
		t.ledger.NumRuns.Add(int64(len(r.Result.Verdicts)))
		if r.Recording == nil {
			continue
		}
		if r.ParentRuns == nil {
			r.ParentRuns = []int{r.Base.RunNumber}
		}
		r.Recording = r.Recording.With(func(c *recording.Recording) { c.RunNumber, c.ParentRuns = r.Number, r.ParentRuns })
	}
	return nil
}

// enterRun enters a run that has ended into the ledger, if it shows a new behaviour, and
// confirms the bugs that it shows.
func (t *testLoop) enterRun(ctx context.Context, r *strategy.Run) (err error) {
	if t.failedFirst && r.Recording != nil && t.passingRun(t.test) == nil && !slices.Contains(recording.FailedTests(r.Recording.Trace), t.test) {
		t.passingRuns[t.test] = r
	}
	if r.Recording == nil || !t.ledger.ShowsNew(r.Recording.Trace) {
		return nil
	}
	if onNew := t.session.opts.OnNewBehaviour; onNew != nil && t.strategyOptions.Exploring {
		onNew(fmt.Sprintf("explore: %s, %s: run %d%s: new from %s", t.test, t.ledger.FirstRun.Package.Path, r.Number, listParents(r.ParentRuns), r.Description))
	}
	if r.Recording, err = t.compareWithPassing(ctx, r.Recording); err != nil {
		return err
	}
	t.ledger.RunsOfTest = append(t.ledger.RunsOfTest, r.Recording)
	return t.confirmRun(ctx, r)
}

// listParents names the runs that led to another run. The first recordings, which have the
// number 0, are not named.
func listParents(parents []int) string {
	var all []string
	for _, n := range parents {
		if n > 0 {
			all = append(all, fmt.Sprint(n))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", after " + strings.Join(all, ", ")
}

// confirmRun confirms the bugs that a run shows, and those that are predicted from it. A
// failure of the test comes last: another bug that makes it fail is the better explanation.
func (t *testLoop) confirmRun(ctx context.Context, r *strategy.Run) error {
	rec := r.Recording
	if err := t.confirmer.ConfirmBlocked(ctx, rec); err != nil {
		return err
	}
	if kinds, some := t.kindsToPredict(); some && len(rec.Trace.Events) <= recording.MaxRepeated {
		findings, err := t.confirmer.PredictOpen(ctx, rec, kinds)
		if err != nil {
			return err
		}
		if _, err := t.confirmer.ConfirmFindings(ctx, rec, findings); err != nil {
			return err
		}
	}
	t.noteFailures(r)
	// Suspect runs keep their traces in memory, so that they wait only while these are small.
	if t.strategyOptions.Exploring || t.ledger.SuspectRuns.CountEvents() > recording.MaxRepeated {
		return t.confirmSuspects(ctx)
	}
	return nil
}

// kindsToPredict returns the kinds of bugs that are predicted from further runs of the test;
// no kinds are all. It reports false if nothing is predicted.
func (t *testLoop) kindsToPredict() (kinds []bug.Kind, some bool) {
	kinds = t.session.opts.Analysis.Kinds
	confirmed := 0
	for _, f := range t.ledger.Report.Findings {
		if finding.IsPattern(f.Kind) && f.Status == bug.Confirmed && f.Test == t.test && f.Package == t.ledger.FirstRun.Package.Path {
			confirmed++
		}
	}
	if confirmed < maxPatterns || t.strategyOptions.Exploring {
		return kinds, true
	}
	kinds = confirm.WithoutPatterns(kinds)
	return kinds, len(kinds) > 0
}

// noteFailures keeps a run in which the test failed at a place where it was not known to fail.
func (t *testLoop) noteFailures(r *strategy.Run) {
	if !t.confirmer.LooksFor(bug.Failure) {
		return
	}
	for _, f := range confirm.FailuresIn(r.Recording) {
		s := ledger.SuspectRun{Recording: r.Recording, Finding: f, Bug: finding.BugKey(f.Witness), FailureOutput: r.Result.Detail}
		if f.Tests[0] == t.test && !t.ledger.IsConfirmed(s.Bug) && t.ledger.SuspectRuns.CountOf(s.Bug) < ledger.MaxReplayedEndings {
			t.ledger.SuspectRuns = append(t.ledger.SuspectRuns, s)
		}
	}
}
