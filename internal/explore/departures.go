package explore

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file follows runs that depart from the recorded one: a branch goes the other
// way there, or a read finds something else, and what comes then is in no trace yet.
// So the program is run to there and recorded from then on, as a further trace of the
// same test (Wang et al., FAC 2011, §8: traces with different branches). What the
// recorded run alone has ruled out is looked for in that trace once more.

// maxDeparted is how many of these runs of one test there are at most, and
// maxDepartedPackage how many of all tests of a package that have more than one. Each
// takes a replay and a prediction.
const maxDeparted, maxDepartedPackage = 6, 64

// warnedEvents is how many events tests have at most of which patterns of accesses are looked for
// in these runs: most do no harm.
const warnedEvents = 20_000

// departedShare is of how many findings the search in the trace of such a run takes as long as
// reading it.
const departedShare = 4

// departedSolving is the solver's budget, in steps, for each candidate in the trace of such a run.
const departedSolving = furtherSolving / 4

// kindDeparted is the kind of the witnesses that lead to where runs depart. They are in
// no report, and confirmed where the run comes there.
const kindDeparted = "departed"

// tierDeparture is the tier of a finding that only a run which departs from the recorded
// one has shown.
const tierDeparture = "departure"

// departed follows the departures of the findings, and puts what that confirms in the
// place of what there is to tell of them in out.
func (c *confirmation) departed(ctx context.Context, findings []finding, out []reported) error {
	if c.opts.Explore.explores() && len(c.trace.Events) <= maxValues {
		return nil // exploring makes such runs, and knows which it has made
	}
	_, size := c.sized()
	var groups [][]int // findings of the same tests, who may share departures
	of := make(map[string]int)
	for k, f := range findings {
		key := keyOf(f.Tests)
		if len(f.Departures) == 0 || c.endless[key] || isPattern(f.Kind) && eventsOf(f.Tests, size) > warnedEvents {
			continue
		}
		g, ok := of[key]
		if !ok {
			g = len(groups)
			of[key] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], k)
	}
	if len(groups) == 0 {
		return nil
	}
	// An assertion that fails because of a race is not told beside the race. Where the
	// race is in this trace and the failure in a further one, sites have other numbers:
	// keys are the same in all traces.
	c.others = make(map[uint64]bool)
	for _, f := range findings {
		for _, site := range f.Sites {
			c.others[c.trace.Sites[site].Key] = c.others[c.trace.Sites[site].Key] || f.Kind != bug.Assertion && len(f.Schedules) > 0
		}
	}
	grants := c.grants(findings, groups, size)
	errs := make([]error, len(groups))
	spared, endless := make([]time.Duration, len(groups)), make([]bool, len(groups))
	each(c.workers, len(groups), func(g int) {
		its := grants[g]
		made, hangs, err := c.followAll(ctx, findings, groups[g], its.most, out)
		spared[g], endless[g], errs[g] = time.Duration(its.most-made)*its.cost, hangs, err
	})
	for key, g := range of {
		c.endless[key] = c.endless[key] || endless[g]
	}
	if c.further != nil {
		for _, d := range spared {
			c.further.left += d
		}
	}
	return cmp.Or(errs...)
}

// keyOf tells tests apart from others.
func keyOf(tests []string) string { return strings.Join(tests, "\x00") }

// eventsOf is how many events tests have, of which size has the numbers.
func eventsOf(tests []string, size map[string]int) int {
	events := 0
	for _, test := range tests {
		events += size[funcOf(test)]
	}
	return events
}

// waitOf is how long tests wait, by what they waited in a recording.
func waitOf(tests []string, waited map[string]time.Duration) (all time.Duration) {
	for _, test := range tests {
		all += coarse(waited[funcOf(test)])
	}
	return all
}

// A grant is how many departures of some findings may be followed, and what each of them costs.
type grant struct {
	most int
	cost time.Duration
}

// grants returns those of groups of findings, of which size has the numbers of events by test. Each
// has one in turn, as long as these cost no more than a half of what is left of the allowance, or
// an eighth where the trace is of a flip: there are many of these, and they have theirs to take.
// What tests wait bounds these, too, but takes nothing from other runs.
// Candidates of the same tests share departures: those of a package with many tests get fewer
// each, that of a single one all.
func (c *confirmation) grants(findings []finding, groups [][]int, size map[string]int) []grant {
	most := min(maxDeparted, max(1, maxDepartedPackage/len(groups)))
	all, open := make([]grant, len(groups)), make([]int, len(groups))
	for g, group := range groups {
		its := make(map[*analysis.Departure]bool)
		for _, k := range group {
			for _, d := range findings[k].Departures {
				its[d] = true
			}
		}
		open[g] = min(most, len(its))
	}
	if c.further == nil || c.opts.Explore.explores() {
		for g := range all {
			all[g].most = open[g]
		}
		return all
	}
	part := allowance{left: c.further.left / 2}
	if c.toward != nil {
		part.left = c.further.left / 8
	}
	took := waited(c.trace)
	for range most {
		for g, group := range groups {
			tests := findings[group[0]].Tests
			events := eventsOf(tests, size)
			all[g].cost = c.further.cost(events + events*len(group)/departedShare)
			wait := waitOf(tests, took) // those of a group are followed one after the other
			if all[g].most < open[g] && part.take(all[g].cost+wait) {
				c.further.take(all[g].cost)
				all[g].most++
			}
		}
	}
	return all
}

// followAll follows most of the departures of those findings of which open are the
// indices, the first ones of all of them first. It returns how many these were, and whether the last
// one did not end.
func (c *confirmation) followAll(ctx context.Context, findings []finding, open []int, most int, out []reported) (int, bool, error) {
	followed := make(map[*analysis.Departure]bool)
	for n := range most {
		for _, first := range slices.Clone(open) {
			all := findings[first].Departures
			if n >= len(all) || followed[all[n]] || len(followed) == most || !slices.Contains(open, first) {
				continue
			}
			followed[all[n]] = true
			next, r, err := c.depart(ctx, all[n])
			switch {
			case err != nil:
				return len(followed), false, err
			case timedOut(r):
				return len(followed), true, nil // the next may take as long, in other recordings, too
			case next == nil:
				continue
			}
			if open, err = c.follow(ctx, next, r.Detail, findings, open, out); err != nil {
				return len(followed), false, err
			}
		}
	}
	return len(followed), false, nil
}

// follow looks for what findings of the indices open suspect in the further trace of
// next, a run that has printed detail where tests failed. It returns those that it has
// not confirmed.
func (c *confirmation) follow(ctx context.Context, next *confirmation, detail []string, findings []finding, open []int, out []reported) ([]int, error) {
	again, err := next.again(ctx, c.lookedFor(findings, open))
	if err != nil {
		return nil, err
	}
	confirmed, errs := make([]bool, len(open)), make([]error, len(open))
	each(c.workers, len(open), func(i int) {
		k := open[i]
		ev, err := next.look(ctx, findings[k], again, c.place(findings[k]), detail)
		if confirmed[i], errs[i] = err == nil && ev.Result.Status == bug.Confirmed, err; confirmed[i] {
			ev.Tier = tierDeparture
			out[k] = c.reported(ev)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	var left []int
	for i, k := range open {
		if !confirmed[i] {
			left = append(left, k)
		}
	}
	return left, nil
}

// depart runs to where a run departs, and goes on. It returns the confirmation of what
// is predicted from the trace of that, which is nil if the run did not come there.
func (c *confirmation) depart(ctx context.Context, d *analysis.Departure) (*confirmation, replayer.Result, error) {
	plan := d.Schedule()
	w, err := witness.FromSchedule(c.trace, plan.Steps, d.Accesses, plan.Hold, witness.Meta{
		Kind: kindDeparted, Package: c.run.Package.Path, Files: c.files, Source: c.source, Extent: witness.Whole, Index: c.index,
	})
	if err != nil {
		return nil, replayer.Result{}, err
	}
	next, r, err := c.goOn(ctx, w, c.all, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		return replayer.Repeat(ctx, bin, w, c.code, 1, opts)
	})
	c.runs.Add(int64(len(r.Verdicts)))
	if next != nil {
		next.others, next.tally = c.others, newTally()
	}
	return next, r, err
}

// goOn has run replay w, after which the program goes on as it likes. It returns the
// confirmation of what that has recorded, without a tally; nil if it did not come there, or that is not read.
func (c *confirmation) goOn(ctx context.Context, w *witness.Witness, read func(replayer.Result) *trace.Trace, run func(replayer.Binary, replayer.Options) (replayer.Result, error)) (*confirmation, replayer.Result, error) {
	c.likeRun(w)
	r, further, err := c.replayWith(w, c.run.Args, false, read, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		opts.Timeout = furtherTime(c.took(c.run, w.Tests))
		return run(bin, opts)
	})
	if ctx.Err() != nil {
		return nil, r, context.Cause(ctx)
	}
	if err != nil || further == nil || trace.Validate(further) != nil {
		return nil, r, err
	}
	return &confirmation{
		inPackage: c.inPackage, run: c.run, trace: further, toward: w, index: witness.NewIndex(further),
		recorded: c.recorded, failed: c.failed, progress: c.progress, sized: sizesOnce(further),
	}, r, nil
}

// lookedFor says what is looked for in a further trace: those findings of which open are the indices,
// and what may explain them, as assertions fail because of other bugs, and patterns have races in
// them.
func (c *confirmation) lookedFor(findings []finding, open []int) (opts analysis.Options) {
	opts = c.analysis(c.run)
	opts.Solving.Budget.Steps = departedSolving
	known := make(map[string]analysis.Known)
	for _, f := range findings {
		if len(f.Schedules) > 0 {
			known[f.Name] = analysis.Settled
		}
	}
	var kinds []bug.Kind
	all := false
	for _, k := range open {
		f := findings[k]
		known[f.Name] = analysis.Unknown
		kinds = append(kinds, f.Kind)
		all = all || f.Kind == bug.Assertion
		if isPattern(f.Kind) && c.wants(bug.Race) {
			kinds = append(kinds, bug.Race)
		}
	}
	if !all {
		slices.Sort(kinds)
		opts.Kinds = slices.Compact(kinds)
	}
	opts.Known = func(name string) analysis.Known {
		if k, ok := known[name]; ok {
			return k
		}
		return max(c.tally.of(name), analysis.Tried)
	}
	return opts
}

// again predicts from the further trace of c, and returns what has schedules there.
func (c *confirmation) again(ctx context.Context, opts analysis.Options) ([]finding, error) {
	opts.Scheduled = true
	result, err := Predict(ctx, c.trace, opts)
	if err != nil {
		return nil, err
	}
	result.Findings = slices.DeleteFunc(result.Findings, func(f analysis.Finding) bool { return len(f.Schedules) == 0 || len(f.Tests) == 0 })
	open, _, err := c.findings(result)
	return open, err
}

// look looks for what f suspects in the further trace of c, from which again was
// predicted: what has failed in that run, or the same violation with a schedule.
func (c *confirmation) look(ctx context.Context, f finding, again []finding, place trace.Site, detail []string) (evidence.Evidence, error) {
	if at := c.failure(f.Kind, place, detail); at >= 0 {
		if f.Kind == bug.Assertion && c.byOthers(at) {
			return evidence.Evidence{}, nil
		}
		return c.fails(ctx, f, at)
	}
	for _, a := range again {
		if sitesOf(a.witness) != sitesOf(f.witness) {
			continue
		}
		named := *a.witness
		named.ID = f.witness.ID
		a.witness = &named
		ev, err := c.replayFinding(ctx, a)
		if err != nil || ev.Result.Status == bug.Confirmed {
			return ev, err
		}
	}
	return evidence.Evidence{}, nil
}

// byOthers reports whether the assertion that has failed at position at of the further
// trace follows from accesses of another bug that is predicted: whoever mends that mends
// it, or will see it again.
func (c *confirmation) byOthers(at int) bool {
	for site := range analysis.FollowsFrom(c.trace, at) {
		if c.others[c.trace.Sites[site].Key] {
			return true
		}
	}
	return false
}

// place returns where the first access of f is, which of what fails is the only one.
func (c *confirmation) place(f finding) trace.Site {
	return c.trace.Sites[c.trace.Events[f.Accesses[0]].Site]
}

// fails confirms that f fails, which it has done at position at of the further trace of
// c.
func (c *confirmation) fails(ctx context.Context, f finding, at int) (evidence.Evidence, error) {
	var ev evidence.Evidence
	for _, extent := range []witness.Extent{witness.Small, witness.Whole} {
		w, err := c.performed(f, at, extent)
		if err != nil {
			return ev, err
		}
		r, replayed, err := c.replay(ctx, w, c.run.Args, false)
		if ctx.Err() != nil {
			return ev, context.Cause(ctx)
		}
		if err != nil {
			return ev, err
		}
		if r.Status == bug.Confirmed {
			c.confirmed.Add(1)
			ev = c.evidence(f, w)
			ev.Undecided, ev.Violation, ev.Result, ev.Replayed = false, []int{at}, r, replayed
			return ev, nil
		}
	}
	return ev, nil
}

// failure returns the position in the further trace of c, in which tests have failed
// with the given output, of the assertion at a place that failed, or of the unlock there
// that was fatal; -1 if there is none.
func (c *confirmation) failure(kind bug.Kind, place trace.Site, detail []string) int {
	// A failed assertion is in the trace as a branch that went the way which fails, or as
	// a call of testify's, whose message names the line; a bad unlock as the release that
	// came too early. The last one counts: it ended the run.
	line, fatal := fmt.Sprintf("%s:%d: ", filepath.Base(place.File), place.Line), -1
	asserts := kind.Proof() == bug.FailedTest
	if kind.Proof() == bug.Misused {
		fatal = unlocked(c.trace)
	}
	for i, e := range slices.Backward(c.trace.Events) {
		its := c.trace.Sites[e.Site]
		if its.Key != place.Key {
			continue
		}
		told := func(text string) bool {
			return slices.ContainsFunc(detail, func(l string) bool { return strings.Contains(l, text) })
		}
		switch {
		case i == fatal,
			asserts && e.Kind == trace.Branch && its.Fails != trace.Neither && (its.Fails == trace.IfTrue) == (e.Val != 0),
			asserts && e.Kind == trace.Assert && its.Fails != trace.Neither && told(line):
			return i
		}
	}
	return -1
}

// unlocked returns the position of the last event of t that gives back a lock which
// nobody holds; -1 if there is none.
func unlocked(t *trace.Trace) int {
	type mode struct {
		lock   uint64
		reader bool
	}
	held, last := make(map[mode]int), -1
	for i, e := range t.Events {
		m := mode{e.Obj, e.Kind == trace.RAcquire || e.Kind == trace.RRelease}
		switch e.Kind {
		case trace.Acquire, trace.RAcquire:
			held[m]++
		case trace.Release, trace.RRelease:
			if held[m]--; held[m] < 0 {
				last = i
			}
		}
	}
	return last
}

// upTo returns the events of the trace before position at, in their order, and the first one of
// each other goroutine from there on: of those of its test, as no replay controls others.
func (c *confirmation) upTo(at int) (steps, hold []int) {
	t, g := c.trace, c.trace.Events[at].G
	its := make([]bool, len(t.Goroutines))
	from, to := at, at+1 // where the events of the test are
	for o := range t.Goroutines {
		test := t.Goroutines[o].Test
		if its[o] = trace.GID(o) == g || test != "" && test == t.Goroutines[g].Test; its[o] {
			first, end := c.index.Extent(t, trace.GID(o))
			from, to = min(from, first), max(to, end)
		}
	}
	for i := from; i < at; i++ {
		if e := &t.Events[i]; its[e.G] && e.Kind != trace.End { // nothing waits for an end
			steps = append(steps, i)
		}
	}
	its[g] = false
	for i := at; i < to; i++ {
		if g := t.Events[i].G; its[g] {
			its[g] = false
			hold = append(hold, i)
		}
	}
	return steps, hold
}

// performed makes a witness for f of the order in which the events of the further trace
// of c came up to the assertion at position at.
func (c *confirmation) performed(f finding, at int, extent witness.Extent) (*witness.Witness, error) {
	t := c.trace
	steps, hold := c.upTo(at)
	w, err := witness.FromSchedule(t, steps, []int{at}, hold, witness.Meta{
		Kind: f.Kind, Package: c.run.Package.Path, Files: c.files, Source: c.source, Extent: extent, Index: c.index,
	})
	if err != nil {
		return nil, err
	}
	var gone []witness.Step
	if c.toward != nil {
		gone = c.toward.Hold
	}
	for _, h := range gone { // who has come to nothing more there, as the program died
		its := func(o witness.Step) bool { return o.Goroutine == h.Goroutine }
		if !slices.ContainsFunc(w.Hold, its) && !its(w.Violation[0]) && !slices.ContainsFunc(w.Steps, func(o witness.Step) bool {
			return its(o) && o.Op == h.Op && o.Line == h.Line && o.Col == h.Col && o.Occ == h.Occ
		}) {
			w.Hold = append(w.Hold, h)
		}
	}
	w.ID = f.witness.ID
	c.likeRun(w)
	return w, nil
}
