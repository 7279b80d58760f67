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
// strategy is asked for the next run only after all runs that were proposed before the oldest
// one still running were dealt with, whatever has ended meanwhile.
type testLoop struct {
	*loop
	test string
	// strategies are in the order in which they are asked.
	strategies   []strategy.Strategy
	made         int         // runs
	withinBudget func() bool // the budget is not used up
	// failedFirst is set if the test failed in its first recording.
	failedFirst bool
	// statusText, if not nil, returns what the runs have shown so far, for the status line.
	statusText func() string
}

// run makes the runs. They are dealt with in the order in which they were proposed, while
// those after them go on: which run is next follows from all that were dealt with, however
// long each of them took. Where the test is explored further, runs that were proposed
// together have all ended before the next are proposed.
func (t *testLoop) run(ctx context.Context) error {
	if err := t.session.pool.Prepare(); err != nil {
		return err
	}
	atOnce := max(1, min(budget.AtOnce, recording.ConcurrentEvents/max(1, t.ledger.Size[t.test])))
	running, stop := context.WithCancel(ctx)
	var begun []*strategy.Run
	defer func() {
		stop()
		for _, r := range begun {
			<-r.Ended
		}
	}()
	together := t.strategy.Exploring
	for {
		if !together || len(begun) == 0 {
			next := t.propose(atOnce - len(begun))
			t.begin(running, next)
			begun = append(begun, next...)
		}
		if len(begun) == 0 {
			return nil
		}
		now := begun[:1]
		if together {
			now = begun
		}
		begun = begun[len(now):]
		if err := t.await(ctx, now); err != nil {
			return err
		}
		for _, r := range now {
			if replays.TimedOut(r.Result) {
				return nil // the next may take as long
			}
			if err := t.enter(ctx, r); err != nil {
				return err
			}
		}
	}
}

// propose returns up to n runs to make; none if the budget is used up.
func (t *testLoop) propose(n int) (next []*strategy.Run) {
	most := t.session.opts.Explore.Runs
	if most > 0 {
		n = min(n, most-t.made)
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
		t.made++
		r.Number = t.made
	}
	text := ""
	if t.statusText != nil {
		text = t.statusText()
	}
	t.session.status.Count("exploring", t.test+", "+t.ledger.Run.Package.Path, t.made, most, text)
	return next
}

// begin begins runs, in the time that is left for replays.
func (t *testLoop) begin(ctx context.Context, all []*strategy.Run) {
	for _, r := range all {
		limit, cancel := t.session.clock.Limit(ctx)
		r.Ended = make(chan struct{})
		go func() {
			defer cancel()
			defer close(r.Ended)
			r.Err = t.perform(limit, r)
		}()
	}
}

// perform makes a run.
func (l *loop) perform(ctx context.Context, r *strategy.Run) error {
	if r.Begin == nil {
		return l.record(ctx, r)
	}
	return l.confirmer.Continue(ctx, r)
}

// await waits for the ends of runs.
func (t *testLoop) await(ctx context.Context, all []*strategy.Run) error {
	err := t.confirmer.InTime(ctx, func(context.Context) error {
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
		t.ledger.Failed = true
		t.ledger.Warn("%s: %v", t.ledger.Run.Package.Path, err)
	}
	for _, r := range all {
		r.Awaited = true
		t.ledger.Runs.Add(int64(len(r.Result.Verdicts)))
		if r.Recording == nil {
			continue
		}
		if r.Parents == nil {
			r.Parents = []int{r.Base.Number}
		}
		r.Recording = r.Recording.With(func(c *recording.Recording) { c.Number, c.Parents = r.Number, r.Parents })
	}
	return nil
}

// enter enters a run that has ended into the ledger, if it shows anything new, and confirms
// what it shows.
func (t *testLoop) enter(ctx context.Context, r *strategy.Run) (err error) {
	if t.failedFirst && r.Recording != nil && t.passing(t.test) == nil && !slices.Contains(recording.Failing(r.Recording.Trace), t.test) {
		t.passes[t.test] = r
	}
	if r.Recording == nil || !t.ledger.ShowsNew(r.Recording.Trace) {
		return nil
	}
	if onNew := t.session.opts.OnNew; onNew != nil && t.strategy.Exploring {
		onNew(fmt.Sprintf("explore: %s, %s: run %d%s: new from %s", t.test, t.ledger.Run.Package.Path, r.Number, after(r.Parents), r.Toward))
	}
	if r.Recording, err = t.compareWithPassing(ctx, r.Recording); err != nil {
		return err
	}
	t.ledger.TestRuns = append(t.ledger.TestRuns, r.Recording)
	return t.confirmRun(ctx, r)
}

// after names the runs that show what leads to another run, where these are no recordings.
func after(parents []int) string {
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

// confirmRun confirms what a run has shown, and what is predicted from it. That the test
// failed comes last: a bug that makes it fail is the better explanation.
func (t *testLoop) confirmRun(ctx context.Context, r *strategy.Run) error {
	rec := r.Recording
	if err := t.confirmer.Blocked(ctx, rec); err != nil {
		return err
	}
	if kinds, some := t.kinds(); some && len(rec.Trace.Events) <= recording.MaxRepeated {
		findings, err := t.confirmer.PredictOpen(ctx, rec, kinds)
		if err != nil {
			return err
		}
		if _, err := t.confirmer.Findings(ctx, rec, findings); err != nil {
			return err
		}
	}
	t.suspect(r)
	if t.strategy.Exploring || t.ledger.Suspects.Events() > recording.MaxRepeated {
		return t.confirmSuspects(ctx)
	}
	return nil
}

// kinds returns those that are looked for in further runs of the test, none if these are all;
// some is false if nothing is looked for.
func (t *testLoop) kinds() (kinds []bug.Kind, some bool) {
	kinds = t.session.opts.Analysis.Kinds
	confirmed := 0
	for _, f := range t.ledger.Report.Findings {
		if finding.IsPattern(f.Kind) && f.Status == bug.Confirmed && f.Test == t.test && f.Package == t.ledger.Run.Package.Path {
			confirmed++
		}
	}
	if confirmed < maxPatterns || t.strategy.Exploring {
		return kinds, true
	}
	kinds = confirm.WithoutPatterns(kinds)
	return kinds, len(kinds) > 0
}

// suspect keeps a run in which the test failed at a place at which it is not known to fail.
func (t *testLoop) suspect(r *strategy.Run) {
	if !t.confirmer.Wants(bug.Failure) {
		return
	}
	for _, f := range confirm.FailuresIn(r.Recording) {
		s := ledger.Suspect{Recording: r.Recording, Finding: f, Sites: finding.Sites(f.Witness), Detail: r.Result.Detail}
		if f.Tests[0] == t.test && !t.ledger.IsConfirmed(s.Sites) && t.ledger.Suspects.Count(s.Sites) < ledger.MaxEndings {
			t.ledger.Suspects = append(t.ledger.Suspects, s)
		}
	}
}
