package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	e.never()
	if !e.wants(bug.Failure) {
		return nil
	}
	defer e.tellStrays()
	changed := make(map[string]bool) // tests that do not pass any more
	for _, r := range e.recordings {
		e.endless(r)
		for _, f := range r.failures() {
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

// tellStrays tells of the tests whose failures replays have not shown again.
func (e *explored) tellStrays() {
	for _, test := range slices.Sorted(maps.Keys(e.strays)) {
		if !slices.ContainsFunc(e.Report.Findings, func(f report.Finding) bool {
			return f.Status == bug.Confirmed && f.Effect.Harm() >= bug.TestFailure.Harm() && f.Package == e.run.Package.Path && f.Test == test
		}) {
			e.warn("%s: %s has failed, and not when its order of goroutines was replayed: %s", e.run.Package.Path, test, e.strays[test])
		}
	}
}

// never tells of the tests that have failed in all runs.
func (e *explored) never() {
	var each, one []string
	for _, r := range e.firsts {
		if len(r.failed) == 0 {
			continue
		}
		several, _ := r.sized()
		for _, test := range r.failed {
			switch {
			case blocks(r.trace, test) || e.passing(test) != nil: // that it blocks is told
			case !slices.Contains(several, test):
				one = append(one, test)
			case e.tried[test] > 0:
				each = append(each, test)
			}
		}
	}
	if len(each) > 0 {
		most := 0
		for _, test := range each {
			most = max(most, e.tried[test])
		}
		e.warn("%s: failed in each of %d orders of goroutines, which is no concurrency bug: %s; a bug that makes a test fail in the way in which it fails anyway is told as without effect",
			e.run.Package.Path, most+1, some(each, "tests"))
	}
	if len(one) > 0 {
		e.warn("%s: failed with one goroutine, which is no concurrency bug: %s", e.run.Package.Path, some(one, "tests"))
	}
}

// blocks reports whether goroutines of test were blocked for ever as the run of t ended.
func blocks(t *trace.Trace, test string) bool {
	return slices.ContainsFunc(t.Stuck, func(s trace.Stuck) bool {
		return s.Proof == trace.ProofDeadlock && funcOf(t.Goroutines[s.G].Test) == test
	})
}

// passing returns what runs test again in an order in which it has passed, without the
// schedule of a bug, and reports whether it does so again; nil if it has never passed.
func (e *explored) passing(test string) func(ctx context.Context) (bool, error) {
	for _, r := range e.recordings {
		if r.passed(test) {
			return func(ctx context.Context) (bool, error) { return r.passesStill(ctx, test) }
		}
	}
	if a := e.passes[test]; a != nil {
		return func(ctx context.Context) (bool, error) {
			next, r, err := a.run(ctx)
			e.inPackage.runs.Add(int64(len(r.Verdicts)))
			return next != nil && began(next.trace, test) && !slices.Contains(failing(next.trace), test), err
		}
	}
	return nil
}

// passed reports whether the recorded run has one of test, and it did not fail.
func (c *confirmation) passed(test string) bool {
	return began(c.trace, test) && !slices.Contains(c.failed, test)
}

// endless tells of the tests that had not ended when the time of r was over, and that end
// in another order. What they have waited for, or turned round for, is not in the events.
func (e *explored) endless(r recording) {
	if !timeOver(r.trace) {
		return
	}
	culprits, _ := endedBy(r.trace)
	for _, test := range culprits {
		if e.passing(test) != nil {
			e.warn("%s: %s had not ended when its time was over, in the order of goroutines of %s, and ends in another", e.run.Package.Path, test, cmp.Or(string(r.run.Order), "go test"))
		}
	}
}

// timeOver reports whether the run of t was ended as the tests' time was over.
func timeOver(t *trace.Trace) bool {
	last := len(t.Events) - 1
	return !t.Complete && last >= 0 && t.Events[last].Kind == trace.Panic && t.Goroutines[t.Events[last].G].Test == ""
}

// hungSeconds is how long the tests of a package are taken to run whose time was over, if
// that was longer: what hangs says nothing of how long they do otherwise.
const hungSeconds = 1

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
	in := func(e *trace.Event) bool { return funcOf(t.Goroutines[e.G].Test) == test }
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
	return trace.OfTesting(t.Sites[e.Site].Func)
}

// failedAt replays the run that c has recorded up to where its test has failed, and tells
// of it if that is a bug of its own. It is none if the test does not pass again.
func (e *explored) failedAt(ctx, limit context.Context, c *confirmation, f finding) (again bool, err error) {
	told, err := c.replayFailure(limit, f)
	return e.tellFailure(ctx, limit, c, f, told, err)
}

// tellFailure tells of a failure in the run of c what its replays have shown, or why there is nothing
// to tell of them, if it is a bug of its own. It is none if the test does not pass again.
func (e *explored) tellFailure(ctx, limit context.Context, c *confirmation, f finding, told reported, err error) (again bool, _ error) {
	if err == nil && told.Status == bug.Confirmed {
		if slices.ContainsFunc(c.Report.Findings, func(o report.Finding) bool { return explains(&o, &told.Finding) }) {
			return true, nil
		}
		if again, err = e.passing(f.Tests[0])(limit); err == nil && !again {
			c.warn("%s: %s fails in each order by now: by what its runs leave behind, as files, or by chance, and not by the order of goroutines%s", c.run.Package.Path, f.Tests[0], c.lookedAt(f.Tests[0]))
			return false, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case limit.Err() != nil:
		ev, _ := late(limit, c.evidence(f, f.witness))
		ev.Result.Status = bug.Unconfirmed
		if told = c.reported(ev); !c.outdone(&told.Finding) {
			c.keep(told)
		}
	case err != nil:
		c.trouble(f.witness.ID, err)
	default:
		if told.Status != bug.Confirmed {
			told.Reason += c.lookedAt(f.Tests[0])
			// One that rests on time is explained by that, and a run that was sent where no
			// recorded one went is no run of the user's.
			if told.Time == nil && c.toward == nil {
				e.strays[f.Tests[0]] = told.Reason
			}
		}
		c.keep(told)
	}
	return true, nil
}

// lookedAt names what test has looked at, in the run of c, that no order of goroutines
// decides, to be put after a reason; "" if that is nothing.
func (c *confirmation) lookedAt(test string) string {
	var all []string
	for _, what := range c.looks(test) {
		all = append(all, fromOutside[what])
	}
	if len(all) == 0 {
		return ""
	}
	return "; it has looked at " + strings.Join(all, ", ")
}

// looks returns what test has looked at, as [trace.Unseen] says it, of what fromOutside has words for.
func (c *confirmation) looks(test string) (all []string) {
	for _, u := range c.trace.Unseen {
		if funcOf(u.Test) == test && fromOutside[u.What] != "" {
			all = append(all, u.What)
		}
	}
	return all
}

// fromOutside says in words what [trace.Unseen.What] is, of what the program does not decide.
var fromOutside = map[string]string{
	"clock": "the clock", "files": "files", "network": "the network", "chance": "crypto/rand", "environment": "the environment",
	"processes": "other processes",
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
		_, s.Hold = c.upTo(at)
	}
	return s
}

// explains reports whether a confirmed bug makes a test fail as f does.
func explains(o, f *report.Finding) bool {
	return o.Status == bug.Confirmed && o.Effect.Harm() >= bug.TestFailure.Harm() &&
		o.Package == f.Package && o.Test == f.Test && slices.Equal(placesIn(o.Detail), placesIn(f.Detail))
}

// dropExplained takes back the failures that were confirmed before a bug was that makes the
// test fail so: one bug is told once. Nothing is told of the package after that.
func (e *explored) dropExplained() {
	told := slices.Clone(e.Report.Findings)
	e.Report.Findings = slices.DeleteFunc(e.Report.Findings, func(f report.Finding) bool {
		if f.Kind != bug.Failure || f.Status != bug.Confirmed || f.Package != e.run.Package.Path || slices.Contains(e.tally.taken, e.path(f.Witness)) ||
			!slices.ContainsFunc(told, func(o report.Finding) bool { return o.Kind != bug.Failure && explains(&o, &f) }) {
			return false
		}
		e.withdraw(&f)
		return true
	})
}

var sourceLine = regexp.MustCompile(`[\w.-]+\.go:\d+`)

// placesIn returns the lines of sources that the detail of an effect names.
func placesIn(detail []string) []string {
	places := sourceLine.FindAllString(strings.Join(detail, "\n"), -1)
	slices.Sort(places)
	return slices.Compact(places)
}
