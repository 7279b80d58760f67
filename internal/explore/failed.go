package explore

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
)

// This file deals with recorded runs that have failed by themselves. All of such a run was
// recorded, so that its own order of events is the schedule, and a replay shows whether
// that is what made the test fail. A test that fails in each order has no concurrency bug.

// failed replays the runs in which tests have failed that pass in another order. It comes
// last: what was confirmed by then may be why they fail, and tells more.
func failed(ctx context.Context, e *explored) error {
	if !e.wants(bug.Failure) {
		return nil
	}
	changed := make(map[string]bool) // tests that do not pass any more
	for _, r := range e.recordings {
		e.endless(r)
		for _, f := range r.failures() {
			if e.left == 0 {
				return nil
			}
			test := f.Tests[0]
			if e.passing(test) == nil || changed[test] || r.done[sitesOf(f.witness)] {
				continue
			}
			if err := r.inTime(ctx, func(limit context.Context) error {
				again, err := e.failedAt(ctx, limit, r.confirmation, f)
				changed[test] = !again
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// passing returns a recording with a run of test that has not failed; nil if there is none.
func (e *explored) passing(test string) *confirmation {
	for _, r := range e.recordings {
		if passed(r.trace, test) {
			return r.confirmation
		}
	}
	return nil
}

// endless tells of the tests that had not ended when the time of r was over, and that end
// in another order. What they have waited for, or turned round for, is not in the events.
func (e *explored) endless(r recording) {
	last := len(r.trace.Events) - 1
	if r.trace.Complete || last < 0 || r.trace.Events[last].Kind != trace.Panic || r.trace.Goroutines[r.trace.Events[last].G].Test != "" {
		return
	}
	culprits, _ := endedBy(r.trace)
	for _, test := range culprits {
		if e.passing(test) != nil {
			e.warn("%s: %s had not ended when its time was over, in the order of goroutines of %s, and ends in another", e.run.Package.Path, test, cmp.Or(string(r.run.Order), "go test"))
		}
	}
}

// passed reports whether t has a run of test, and it did not fail.
func passed(t *trace.Trace, test string) bool {
	return began(t, test) && !slices.Contains(failing(t), test)
}

// failures returns a finding for each test that has failed in the recorded run at a place
// of the sources: not for one that was only killed, or blocks.
func (c *confirmation) failures() (out []finding) {
	if deadlocked(c.trace) {
		return nil
	}
	for _, test := range failing(c.trace) {
		at, found := failedWhere(c.trace, test)
		if !found {
			continue
		}
		f := finding{Finding: analysis.Finding{
			Kind: bug.Failure, Accesses: []int{at}, Tests: []string{test}, Status: bug.Predicted, Tier: c.tier(),
			Name: fmt.Sprintf("%s %s %d", bug.Failure, test, c.trace.Events[at].Site),
		}}
		f.witness = c.unscheduled(f.Finding)
		out = append(out, f)
	}
	return out
}

// failedWhere returns the position at which a test of t has failed: of what was the end of
// the run, or else where it was first made to fail.
func failedWhere(t *trace.Trace, test string) (at int, found bool) {
	in := func(e *trace.Event) bool {
		name, _, _ := strings.Cut(t.Goroutines[e.G].Test, "#")
		return name == test
	}
	if at, crashed := crash(t); crashed && in(&t.Events[at]) {
		return at, true
	}
	at = slices.IndexFunc(t.Events, func(e trace.Event) bool {
		return e.Kind == trace.Assert && e.Val == 0 && in(&e) && !inTesting(t, &e)
	})
	return at, at >= 0
}

// crash returns the position of what has crashed the program of t, within a test: a panic,
// or the operation that was fatal.
func crash(t *trace.Trace) (at int, did bool) {
	if t.Complete || t.Meta.Limit > 0 || deadlocked(t) || len(t.Events) == 0 {
		return 0, false
	}
	last := func(is func(e *trace.Event) bool) (int, bool) {
		for i := range slices.Backward(t.Events) {
			if is(&t.Events[i]) {
				return i, t.Goroutines[t.Events[i].G].Test != ""
			}
		}
		return 0, false
	}
	end, _ := last(func(e *trace.Event) bool { return e.Kind == trace.Panic || e.Kind == trace.Recover })
	if t.Events[end].Kind != trace.Panic {
		return last(func(e *trace.Event) bool { return true })
	}
	if t.Goroutines[t.Events[end].G].Test == "" { // the time was over
		return 0, false
	}
	return last(func(e *trace.Event) bool {
		return e.Kind == trace.Panic && e.G == t.Events[end].G && !inTesting(t, e)
	})
}

// inTesting reports whether an event is of package testing's own, which hands failures on.
func inTesting(t *trace.Trace, e *trace.Event) bool {
	return strings.HasPrefix(t.Sites[e.Site].Func, "testing.")
}

// failedAt replays the run that c has recorded up to where its test has failed, and tells
// of it if that is a bug of its own. It is none if the test does not pass again.
func (e *explored) failedAt(ctx, limit context.Context, c *confirmation, f finding) (again bool, err error) {
	told, err := c.replayFailure(limit, f)
	if err == nil && told.Status == bug.Confirmed {
		if c.explained(&told.Finding) {
			return true, nil
		}
		if again, err = e.passing(f.Tests[0]).passesStill(limit, f.Tests[0]); err == nil && !again {
			c.warn("%s: %s fails in each order by now: by what its runs leave behind, as files, or by chance, and not by the order of goroutines", c.run.Package.Path, f.Tests[0])
			return false, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case limit.Err() != nil:
		return true, nil
	case err == nil:
		err = c.save(&told)
		c.tell(told)
	}
	if err != nil {
		c.Failed = true
		c.warn("%s: %s: %v", c.run.Package.Path, f.witness.ID, err)
	}
	return true, nil
}

// replayFailure replays the recorded run up to the failure f, and returns what there is to
// tell of that.
func (c *confirmation) replayFailure(ctx context.Context, f finding) (reported, error) {
	at := *c
	at.recorded = replayer.Outcome{Effect: bug.NoEffect} // the failure is the bug's
	recipe := analysis.Recipe{Recipe: schedule.Recipe{Accesses: f.Accesses}}
	w, r, replayed, err := at.smallOrWhole(ctx, scheduled{f, recipe, c.upToFailure(f.Accesses[0])})
	if err != nil {
		return reported{}, err
	}
	ev := c.evidence(f, w)
	ev.Result, ev.Replayed = r, replayed
	return c.reported(ev), nil
}

// upToFailure is the schedule of the run of c up to position at: one that has departed from
// a recorded one lets nobody go further.
func (c *confirmation) upToFailure(at int) schedule.Schedule {
	s := asRecorded(c.trace, at)
	if c.toward != nil {
		_, s.Hold = upTo(c.trace, at)
	}
	return s
}

// explained reports whether a confirmed bug makes a test fail as f does.
func (c *confirmation) explained(f *report.Finding) bool {
	where := placesIn(f.Detail)
	return slices.ContainsFunc(c.Report.Findings, func(o report.Finding) bool {
		return o.Status == bug.Confirmed && o.Effect.Harm() >= bug.TestFailure.Harm() &&
			o.Package == f.Package && o.Test == f.Test && slices.Equal(placesIn(o.Detail), where)
	})
}

var sourceLine = regexp.MustCompile(`[\w.-]+\.go:\d+`)

// placesIn returns the lines of sources that the detail of an effect names.
func placesIn(detail []string) []string {
	places := sourceLine.FindAllString(strings.Join(detail, "\n"), -1)
	slices.Sort(places)
	return slices.Compact(places)
}
