package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
)

// This file records the tests of a package again. One recording shows one order, and
// keeps what that chose: which of two goroutines took a channel that is used as a mutex,
// what a queue held, which branch was taken. So the same binary is recorded in other
// orders too.

// furtherRuns are how many further recordings there are, by what the first one costs, in
// seconds: its tests, if they take long, and the analysis of those with several goroutines.
var furtherRuns = []struct {
	cost float64 // at most
	n    int
}{{0.25, 6}, {1, 3}, {10, 1}}

const (
	// eventsASecond is about how many are analyzed in a second.
	eventsASecond = 400_000
	// againEvents is how many events the tests have at most that are recorded again: those
	// with the fewest.
	againEvents = 2_000_000
	// knownShare is how much less the events of such a recording take than those of a run that does
	// something else: most candidates are known.
	knownShare = 2
	// furtherSolving is the solver's budget, in steps, for each candidate of a further
	// recording, or of a run that departed from one: what is easily decided. All of one
	// trace together may take six times as many.
	furtherSolving = solver.Second / 2
	// furtherPatterns is how many events a further trace has at most that is searched for patterns of
	// accesses: there are the most of these, they harm the least, and the first recording was
	// searched for them, however long it was.
	furtherPatterns = 50_000
)

// otherOrder returns the order of the n-th further recording, from 0.
func (x *setting) otherOrder(n int) recorder.Order {
	switch n {
	case 0:
		return recorder.OldestFirst
	case 1:
		return recorder.ChildFirst
	}
	return recorder.Seed(x.opts.Seed + n - 2)
}

// fewest returns those of tests, in their order, that have the fewest events, up to most together,
// and how many they have.
func fewest(tests []string, size map[string]int, most int) (some []string, events int) {
	bySize := slices.Clone(tests)
	slices.SortStableFunc(bySize, func(a, b string) int { return cmp.Compare(size[a], size[b]) })
	for k, test := range bySize {
		if events += size[test]; events > most {
			events -= size[test]
			bySize = bySize[:k]
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return !slices.Contains(bySize, test) }), events
}

// funcOf is the name of the function of a test: where a package has two of one name, as its external tests may have,
// tests have numbers behind it.
func funcOf(test string) string {
	name, _, _ := strings.Cut(test, "#")
	return name
}

// sizesOnce is sizes, found when it is asked for the first time.
func sizesOnce(t *trace.Trace) func() (tests []string, size map[string]int) {
	return sync.OnceValues(func() ([]string, map[string]int) { return sizes(t) })
}

// sizes returns the tests of t that have several goroutines, in their order, and how many
// events each test has: one of which t has only a part, more than are recorded again. Goroutines
// that wait for their subtests, one after the other, are as one.
func sizes(t *trace.Trace) (tests []string, size map[string]int) {
	serving := newServer(t)
	events, several := make([]int, len(serving.tests)), make([]bool, len(serving.tests))
	var begun []int32 // in the order of their first events
	nests := newNestings(t)
	for i := range t.Events {
		e := &t.Events[i]
		test := serving.of(e)
		if events[test]++; events[test] == 1 && test != 0 {
			begun = append(begun, test)
		}
		several[test] = several[test] || serving.by[e.G].test != test
		nests.event(e)
	}
	for g := range t.Goroutines {
		if its := &serving.by[g]; nests[g].beside(its.root) {
			several[its.test] = true
		}
	}
	size = make(map[string]int)
	concurrent := make(map[string]bool)
	for _, test := range begun {
		name := funcOf(serving.tests[test])
		if _, ok := size[name]; !ok {
			tests = append(tests, name)
		}
		size[name] += events[test]
		concurrent[name] = concurrent[name] || several[test]
	}
	for _, c := range t.Cuts {
		if name := funcOf(c.Test); size[name] > 0 {
			size[name] += againEvents
		}
	}
	return slices.DeleteFunc(tests, func(test string) bool { return !concurrent[test] }), size
}

// Nestings tell of goroutines, by their numbers, whether they act beside others: those of subtests that
// their parents wait for do not.
type nestings []nesting

// A nesting is what that takes to know of a goroutine, which may be of no subtest.
type nesting struct {
	parent, child   trace.GID // the child is that which began a subtest last; none is the goroutine's own number
	acted           bool      // it has events
	runs, ran, with bool      // its subtest runs, or did; with what its parent did meanwhile
}

func newNestings(t *trace.Trace) nestings {
	all := make(nestings, len(t.Goroutines))
	for i := range all {
		all[i].parent, all[i].child = t.Goroutines[i].Parent, trace.GID(i)
	}
	return all
}

// event takes the next event.
func (all nestings) event(e *trace.Event) {
	g := &all[e.G]
	g.acted = true
	if g.child != e.G && all[g.child].runs {
		all[g.child].with = true
	}
	switch {
	case e.Kind == trace.TestBegin && !g.ran:
		g.runs, all[g.parent].child = true, e.G
	case e.Kind == trace.TestEnd && g.runs:
		g.runs, g.ran = false, true
	}
}

// beside reports whether the goroutine does anything beside others, if it is not the first one of its
// test.
func (n *nesting) beside(first bool) bool { return n.acted && !first && (!n.ran || n.with) }

// orders returns in how many other orders a package is recorded.
func (x *setting) orders(run recorder.Run, events int) int {
	if x.opts.Runs > 0 {
		return x.opts.Runs - 1
	}
	cost := long(run).Seconds() + float64(events)/eventsASecond
	for _, f := range furtherRuns {
		if cost <= f.cost {
			return f.n
		}
	}
	return 0
}

// affordable returns those of the tests of run that are recorded once more, and takes what that costs
// from the allowance: those with the fewest events, of which size has the numbers, up to half of what
// is left. All have waited so long in the first recording. If it was asked for how many runs there are, these are all.
func (x *setting) affordable(run recorder.Run, waited map[string]time.Duration, tests []string, size map[string]int, further *allowance) []string {
	if x.opts.Runs > 0 || x.opts.Explore.explores() {
		return tests
	}
	tests, events := fewest(tests, size, further.events(further.left/2))
	all := time.Duration(0)
	for _, d := range waited {
		all += d
	}
	if len(tests) == 0 || !further.take(further.cost(events/knownShare)+min(long(run), all)) {
		return nil
	}
	return tests
}

// inOrders records the tests of a package in other orders.
func inOrders(ctx context.Context, e *explored) error {
	for k := 0; k < e.orders && e.left() > 0; k++ {
		tests := e.affordable(e.run, e.inPackage.waited, e.tests, e.size, e.further)
		if len(tests) == 0 {
			break
		}
		slowly, err := e.inOrder(ctx, e.otherOrder(k), tests)
		if err != nil || slowly {
			return err
		}
	}
	return nil
}

// inOrder records tests in an order, those apart that the end of such a run has kept from running, and
// reports whether one took too long for others to follow.
func (e *explored) inOrder(ctx context.Context, o recorder.Order, tests []string) (slowly bool, err error) {
	for ends := 0; len(tests) > 0 && ends <= maxEnds && !slowly; ends++ {
		c, err := e.recordOnce(ctx, e.run, o, argsAgain(e.run, tests), e.tally)
		if c == nil || err != nil {
			return false, err
		}
		tests, slowly = unbegun(c.trace, tests), c.slowly
		if !e.tally.news(c.trace) {
			continue
		}
		findings, err := c.predictFurther(ctx)
		if err != nil {
			return false, err
		}
		e.recordings = append(e.recordings, recording{c, findings})
		if err := e.besidePassing(ctx, c); err != nil {
			return false, err
		}
		if err := c.stuck(ctx); err != nil {
			return false, err
		}
		if err := c.confirm(ctx, findings); err != nil {
			return false, err
		}
	}
	return slowly, nil
}

// A recording is one of a package's, with what was predicted from it.
type recording struct {
	*confirmation
	findings []finding
}

// passingOrders is in how many other orders tests that fail are recorded at least, even if
// that costs much: there is nothing else to know of them.
const passingOrders = 2

// passing records those tests again that have failed while the run of c was recorded, in
// n other orders at most, until they pass. It returns these recordings, the one to judge
// by first: beside a run that has failed itself, a bug that makes the tests fail would
// have no effect. Passed are the tests that have passed in one of them, and tried says in how
// many orders others were recorded.
func (c *confirmation) passing(ctx context.Context, n int) (all []recording, passed []string, tried map[string]int, err error) {
	several, size := c.sized()
	several, _ = fewest(several, size, againEvents)
	tests := slices.DeleteFunc(slices.Clone(c.failed), func(test string) bool { return !slices.Contains(several, test) })
	tried = make(map[string]int)
	if c.opts.Runs == 0 {
		n = max(n, passingOrders)
	}
	for k := 0; k < n && len(passed) < len(tests); k++ {
		again, findings, err := c.recordAgain(ctx, c.run, c.otherOrder(k), tests, c.tally)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, test := range tests {
			tried[test]++
		}
		if again == nil {
			continue
		}
		all = slices.Insert(all, 0, recording{again, findings})
		for _, test := range tests {
			if !slices.Contains(passed, test) && again.passed(test) {
				passed = append(passed, test)
			}
		}
	}
	return all, passed, tried, nil
}

// besidePassing has what c confirms judged beside a run in which the tests pass that have
// failed in that of c, if there is one, and they still do: to fail is an effect then.
func (e *explored) besidePassing(ctx context.Context, c *confirmation) error {
	var passed []string
	for _, test := range c.failed {
		passes := e.passing(test)
		if passes == nil {
			continue
		}
		if err := c.inTime(ctx, func(limit context.Context) error {
			again, err := passes(limit)
			switch {
			case limit.Err() != nil:
				return ctx.Err()
			case err == nil && again:
				passed = append(passed, test)
			}
			return err
		}); err != nil {
			return err
		}
	}
	if len(passed) > 0 {
		c.recorded = c.recorded.Without(passed)
	}
	return nil
}

// failing returns the tests of t that have failed, or not ended. Where recording has stopped
// before the run did, those that had not ended by then are taken to have passed.
func failing(t *trace.Trace) []string {
	passed := make(map[string]bool) // by test that has ended
	for _, e := range t.Events {
		if test := t.Goroutines[e.G].Test; e.Kind == trace.TestEnd && t.Names[e.Obj] == test {
			passed[test] = e.Val == 0
		}
	}
	if at, crashed := crash(t); crashed {
		passed[t.Goroutines[t.Events[at].G].Test] = false
	}
	var tests []string
	for _, g := range t.Goroutines {
		well, ended := passed[g.Test]
		if !ended {
			well = t.Meta.Limit > 0
		}
		if name := funcOf(g.Test); name != "" && !well && !slices.Contains(tests, name) {
			tests = append(tests, name)
		}
	}
	return tests
}

// began reports whether t has something of a test.
func began(t *trace.Trace, test string) bool {
	return slices.ContainsFunc(t.Goroutines, func(g trace.Goroutine) bool { return g.Test == test })
}

// recordAgain records some tests of a package again and predicts from that.
func (x *inPackage) recordAgain(ctx context.Context, run recorder.Run, o recorder.Order, tests []string, y *tally) (*confirmation, []finding, error) {
	return x.record(ctx, run, o, argsAgain(run, tests), y)
}

// argsAgain are the arguments of the test binary of run that record some of its tests again.
func argsAgain(run recorder.Run, tests []string) []string {
	return replayer.ArgsOf(run.Args, tests, replayer.SubtestFilter(run.Args), recordTime(run.Seconds))
}

// record records a package once more, with arguments of the test binary, and predicts from
// that. There is no confirmation if the tests ran as before, or nothing came of them: that
// they cannot run now was not asked for and is not told.
func (x *inPackage) record(ctx context.Context, run recorder.Run, o recorder.Order, args []string, y *tally) (*confirmation, []finding, error) {
	c, err := x.recordOnce(ctx, run, o, args, y)
	if c == nil || !y.news(c.trace) {
		return nil, nil, err
	}
	findings, err := c.predictFurther(ctx)
	return c, findings, err
}

// predictFurther predicts from the trace of c, which is of a further recording.
func (c *confirmation) predictFurther(ctx context.Context) ([]finding, error) {
	c.status.Set("predicting", fmt.Sprintf("%s, %d events", c.run.Package.Path, len(c.trace.Events)))
	return c.predictMore(ctx, c.opts.Analysis.Kinds)
}

// recordOnce records a package once more, with arguments of the test binary; nothing may
// come of it.
func (x *inPackage) recordOnce(ctx context.Context, run recorder.Run, o recorder.Order, args []string, y *tally) (*confirmation, error) {
	n := y.recordings.Add(1)
	bound, end := x.inBound(ctx)
	defer end()
	x.status.Set("recording", fmt.Sprintf("%s, time %d", run.Package.Path, n+1))
	limit := recordTime(run.Seconds)
	x.runs.Add(1)
	var again recorder.Run
	var err error
	if made := x.early.take(o, args); made != nil {
		again, err = made.run, made.err
	} else {
		again, err = x.again(bound, run, o, args, fmt.Sprintf("%s-%d", run.Trace, n))
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || bound.Err() != nil || again.Trace == "" {
		return nil, nil
	}
	var told notes
	t, _ := x.read(again, &told)
	x.note(notes{incomplete: told.incomplete})
	if t == nil {
		return nil, nil
	}
	slowly := again.Seconds >= limit.Seconds()
	// The tests that are recorded again are some of the package's: replays of what they
	// show have the arguments and the time that those of the first recording have.
	again.Args, again.Seconds, again.Processor = run.Args, run.Seconds, run.Processor
	c := x.confirmation(again, t, y)
	c.slowly = slowly
	return c, nil
}

// again records run once more in an order, with arguments of the test binary, into a file, once there is room
// beside the replays of other packages.
func (x *setting) again(ctx context.Context, run recorder.Run, o recorder.Order, args []string, file string) (again recorder.Run, err error) {
	if noRoom := x.slots.Run(ctx, run.Package.Path, func() (processor, elapsed time.Duration) {
		again, err = run.Again(ctx, o, args, file, recordTime(run.Seconds)+time.Second)
		return took(again.Processor), took(again.Seconds)
	}); noRoom != nil {
		return again, noRoom
	}
	return again, err
}

// known is what is known of a candidate in the trace of c, a further one. Patterns of accesses that only
// such traces have are findings only if there is a schedule: to rule them out takes more than to
// find one, and they do the least harm.
func (c *confirmation) known(name string) analysis.Known {
	k := c.tally.of(name)
	if kind, _, _ := strings.Cut(name, "\x00"); k == analysis.Unknown && isPattern(bug.Kind(kind)) && !c.opts.Explore.explores() {
		return analysis.Tried
	}
	return k
}

// predictMore predicts from the trace of c, a further one, what is not settled, of the kinds; none
// are all. Of a long one these are no patterns.
func (c *confirmation) predictMore(ctx context.Context, kinds []bug.Kind) ([]finding, error) {
	if len(c.trace.Events) > furtherPatterns && !c.opts.Explore.explores() {
		if kinds = withoutPatterns(kinds); len(kinds) == 0 {
			return nil, nil
		}
	}
	opts := c.analysis(c.run)
	opts.Known, opts.Kinds = c.known, kinds
	opts.Solving.Budget.Steps = furtherSolving
	_, findings, err := c.predicted(ctx, opts)
	return findings, err
}

// predicted predicts from the trace of c, which is not the first one of its package. There is no
// result if that cannot be analyzed.
func (c *confirmation) predicted(ctx context.Context, opts analysis.Options) (*analysis.Result, []finding, error) {
	bound, end := c.inBound(ctx)
	defer end()
	result, err := Predict(bound, c.trace, opts)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil { // nobody has asked for this trace
		return nil, nil, nil
	}
	c.tally.take(result)
	findings, impossible, err := c.findings(result)
	if err == nil {
		c.ruleOut(impossible)
	}
	return result, findings, err
}

// brief is how long the tests of a package may take without that making a difference to what
// is done with them: a machine that is busy makes of tenths of a second a whole one, and finds
// the same.
const brief = time.Second

// long is the time that the tests of run took; 0 if that is brief.
func long(run recorder.Run) time.Duration {
	if d := took(run.Seconds); d > brief {
		return d
	}
	return 0
}

// waited is how long each test of t took, by the clock of the recorded program, which moves
// while that waits and little while it computes: what a busy machine does not make more. What package
// testing tells of a test is without its parallel subtests, which may have taken as long as all of them.
func waited(t *trace.Trace) map[string]time.Duration {
	all, subtests := make(map[string]time.Duration), make(map[string]time.Duration)
	for _, its := range t.Tested {
		test, _, _ := strings.Cut(its.Test, "/")
		all[test] += 0
		all[its.Test] += its.Elapsed
	}
	// A subtest comes before the one that it is of.
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		took := max(all[name], subtests[name])
		of, sub := name, strings.Contains(name, "/")
		for known := false; sub && !known; { // its own name may have slashes
			of = of[:strings.LastIndexByte(of, '/')]
			_, known = all[of]
		}
		if all[name] = took; sub {
			subtests[of] += took
			delete(all, name)
		}
	}
	return all
}

// waits is how long tests waited when they were recorded.
func (c *confirmation) waits(tests []string) (all time.Duration) {
	for _, test := range tests {
		all += c.waited[funcOf(test)]
	}
	return min(all, took(c.run.Seconds)) // parallel subtests have waited at once
}

// recordTime is the time that a further recording may take, of a run that took so many
// seconds.
func recordTime(seconds float64) time.Duration {
	return 10*time.Second + 2*took(seconds)
}
