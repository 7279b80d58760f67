package explore

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/flips"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A small package has what lets it be looked at thoroughly, a large one as much as its first
// recording has taken, and what a run does before its test is paid for as well.
func TestAllowance(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}, {Path: "0", Test: "TestX"}}}
	tr.Events = make([]trace.Event, setupEvents/10)
	tr.Events = append(tr.Events, trace.Event{G: 1})
	a := newAllowance(tr)
	assert.Equal(t, leastAllowance, a.left)
	assert.Equal(t, aRun+100*time.Millisecond, a.cost(0))
	assert.Equal(t, aRun+100*time.Millisecond+2*time.Second, a.cost(2*furtherEvents))

	tr.Events = append(tr.Events, make([]trace.Event, 20*firstEvents)...)
	assert.InDelta(t, 20, newAllowance(tr).left.Seconds(), 0.2)
}

// What a test does of which the trace has only a part is not known: it is not recorded again.
func TestSizeOfCut(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}, {Path: "0", Test: "TestLong"}, {Path: "0", Test: "TestShort"}, {Path: "0.1", Test: "TestLong", Parent: 1}, {Path: "0.1", Test: "TestShort", Parent: 2}}}
	for _, g := range []trace.GID{1, 3, 2, 4} {
		tr.Events = append(tr.Events, trace.Event{G: g})
	}
	several, size := sizes(tr)
	tests, events := fewest(several, size, againEvents)
	assert.Equal(t, []string{"TestLong", "TestShort"}, tests)
	assert.Equal(t, 4, events)
	tr.Cuts = []trace.Cut{{Test: "TestLong"}}
	several, size = sizes(tr)
	tests, events = fewest(several, size, againEvents)
	assert.Equal(t, []string{"TestShort"}, tests)
	assert.Equal(t, 2, events)
}

// A test whose subtests run one after the other, while it waits for them, is no more worth recording in
// other orders than one without subtests.
func TestSizesOfSubtests(t *testing.T) {
	const test, sub, inner = 1, 2, 3
	event := func(g trace.GID, k trace.Kind) trace.Event { return trace.Event{G: g, Kind: k} }
	for _, c := range []struct {
		name    string
		events  []trace.Event
		several bool
	}{
		{"one", []trace.Event{event(test, trace.Fork), event(sub, trace.TestBegin), event(sub, trace.Write), event(sub, trace.TestEnd), event(sub, trace.SendDone), event(test, trace.RecvDone)}, false},
		{"in each other", []trace.Event{event(test, trace.Fork), event(sub, trace.TestBegin), event(sub, trace.Fork), event(inner, trace.TestBegin), event(inner, trace.TestEnd), event(sub, trace.TestEnd), event(test, trace.RecvDone)}, false},
		{"parallel", []trace.Event{event(sub, trace.TestBegin), event(test, trace.RecvDone), event(sub, trace.TestEnd)}, true},
		{"parallel in each other", []trace.Event{event(sub, trace.TestBegin), event(inner, trace.TestBegin), event(sub, trace.RecvDone), event(sub, trace.TestEnd), event(inner, trace.TestEnd)}, true},
		{"with a goroutine", []trace.Event{event(sub, trace.TestBegin), event(inner, trace.Write), event(sub, trace.TestEnd)}, true},
		{"not ended", []trace.Event{event(sub, trace.TestBegin), event(sub, trace.Write)}, true},
		{"a goroutine alone", []trace.Event{event(sub, trace.Write)}, true},
	} {
		tr := &trace.Trace{Goroutines: []trace.Goroutine{
			{Path: "main"}, {Path: "0", Test: "Test"}, {Path: "0.1", Test: "Test", Parent: test}, {Path: "0.1.1", Test: "Test", Parent: sub},
		}}
		tr.Events = append([]trace.Event{event(test, trace.TestBegin)}, append(c.events, event(test, trace.TestEnd))...)
		tests, size := sizes(tr)
		assert.Equal(t, c.several, len(tests) == 1, c.name)
		assert.Equal(t, len(tr.Events), size["Test"], c.name)
	}
}

func TestTakeFromAllowance(t *testing.T) {
	a := &allowance{left: 3 * time.Second}
	assert.True(t, a.take(2*time.Second))
	assert.False(t, a.take(2*time.Second))
	assert.True(t, a.take(time.Second))
	assert.Zero(t, a.left)
}

// What is recorded once more costs at most half of what is left: the longest tests are left out.
func TestAffordable(t *testing.T) {
	size := map[string]int{"TestLong": 2 * furtherEvents, "TestA": furtherEvents / 2, "TestB": furtherEvents / 4}
	of := func(left time.Duration, opts Options) ([]string, time.Duration) {
		x, further := &setting{opts: opts}, &allowance{left: left}
		return x.affordable(recorder.Run{Seconds: 5 * time.Second.Seconds()}, nil, []string{"TestLong", "TestA", "TestB"}, size, further), further.left
	}
	tests, left := of(6*time.Second, Options{})
	assert.Equal(t, []string{"TestLong", "TestA", "TestB"}, tests)
	assert.Equal(t, 6*time.Second-aRun-2750*time.Millisecond/knownShare, left)
	tests, left = of(2*time.Second, Options{})
	assert.Equal(t, []string{"TestA", "TestB"}, tests)
	assert.Equal(t, 2*time.Second-aRun-750*time.Millisecond/knownShare, left)
	tests, left = of(aRun, Options{})
	assert.Empty(t, tests)
	assert.Equal(t, aRun, left)
	tests, _ = of(0, Options{Runs: 3})
	assert.Len(t, tests, 3)
}

// A replay is given what its tests have taken at most: what others have waited is not theirs.
func TestReplayTime(t *testing.T) {
	x := &inPackage{setting: new(setting), waited: map[string]time.Duration{"TestShort": 100 * time.Millisecond, "TestWaits": 7 * time.Second}}
	run := recorder.Run{Seconds: 8, Processor: 0.5}
	assert.Equal(t, 1000*time.Millisecond, x.took(run, []string{"TestShort"}).Round(time.Millisecond), "the rest of the run may be its own")
	assert.Equal(t, 7900*time.Millisecond, x.took(run, []string{"TestWaits"}).Round(time.Millisecond))
	assert.Equal(t, 8*time.Second, x.took(run, []string{"TestShort", "TestWaits"}))
	// Those that have waited at once have computed, too.
	x.waited["TestBeside"] = 7 * time.Second
	assert.Equal(t, 600*time.Millisecond, x.took(run, []string{"TestShort"}))
	assert.Equal(t, 8*time.Second, (&inPackage{setting: new(setting)}).took(run, []string{"TestShort"}), "no test is known")
	assert.Equal(t, 28*time.Second, replayTime(time.Second))
	assert.Equal(t, 54*time.Second, replayTime(8*time.Second))
}

// departing are findings of which each has so many departures of its own.
func departing(kind bug.Kind, tests []string, numbers ...int) (all []finding) {
	for k, n := range numbers {
		f := finding{Finding: analysis.Finding{Kind: kind, Name: string(kind) + tests[k], Tests: []string{tests[k]}}}
		for range n {
			f.Departures = append(f.Departures, new(analysis.Departure))
		}
		all = append(all, f)
	}
	return all
}

// Each test's findings have a departure in turn, no more than they have, and all together take no
// more than half of what is left.
func TestGrants(t *testing.T) {
	findings := departing(bug.Race, []string{"TestA", "TestB", "TestC"}, 6, 2, 6)
	groups := [][]int{{0}, {1}, {2}}
	its := new(trace.Trace)
	most := func(x *inPackage, size map[string]int) (all []int) {
		for _, g := range (&confirmation{inPackage: x, trace: its}).grants(findings, groups, size) {
			all = append(all, g.most)
		}
		return all
	}
	few := map[string]int{}
	assert.Equal(t, []int{6, 2, 6}, most(&inPackage{setting: new(setting)}, few), "nothing bounds what is looked for by itself")

	x := &inPackage{setting: new(setting), further: &allowance{left: time.Minute}}
	assert.Equal(t, []int{6, 2, 6}, most(x, few))
	assert.Equal(t, time.Minute-14*aRun, x.further.left)

	x = &inPackage{setting: new(setting), further: &allowance{left: 18 * aRun}}
	assert.Equal(t, []int{4, 2, 3}, most(x, few))
	assert.Equal(t, 9*aRun, x.further.left)

	x = &inPackage{setting: new(setting), further: &allowance{left: 17 * aRun}}
	flipped := (&confirmation{inPackage: x, trace: its, toward: new(witness.Witness)}).grants(findings, groups, few)
	assert.Equal(t, []int{1, 1, 0}, []int{flipped[0].most, flipped[1].most, flipped[2].most}, "those of flips leave most for these")

	x = &inPackage{setting: new(setting), further: &allowance{left: 5 * time.Second}}
	assert.Equal(t, []int{6, 1, 6}, most(x, map[string]int{"TestB": furtherEvents}), "a long test takes more")

	x = &inPackage{setting: new(setting), further: &allowance{left: 5 * time.Second}}
	its.Tested = []trace.TestEvent{{Action: "pass", Test: "TestC", Elapsed: time.Second}}
	assert.Equal(t, []int{6, 2, 2}, most(x, few), "so does one that waits")
}

// In a trace that departs only what is open is searched for, and what explains it.
func TestLookedForInDepartures(t *testing.T) {
	findings := departing(bug.Race, []string{"TestA", "TestB"}, 1, 1)
	findings[1].Schedules = make([]analysis.Recipe, 1)
	findings = append(findings, departing(bug.Atomicity, []string{"TestA"}, 1)...)
	findings = append(findings, departing(bug.Assertion, []string{"TestA"}, 1)...)
	c := &confirmation{inPackage: &inPackage{setting: new(setting)}, run: recorder.Run{}, tally: newTally()}
	c.tally.settled["other"] = true

	opts := c.lookedFor(findings, []int{0})
	assert.Equal(t, []bug.Kind{bug.Race}, opts.Kinds)
	assert.Equal(t, analysis.Unknown, opts.Known(findings[0].Name))
	assert.Equal(t, analysis.Settled, opts.Known(findings[1].Name), "it has schedules in the first trace")
	assert.Equal(t, analysis.Tried, opts.Known(findings[2].Name))
	assert.Equal(t, analysis.Tried, opts.Known("new"))
	assert.Equal(t, analysis.Settled, opts.Known("other"))

	assert.ElementsMatch(t, []bug.Kind{bug.Atomicity, bug.Race}, c.lookedFor(findings, []int{2}).Kinds, "a pattern may be no more than a race")
	assert.Empty(t, c.lookedFor(findings, []int{0, 3}).Kinds, "an assertion may fail because of any other bug")
}

// asksFor returns the keys of the flips that are asked for of a test, where so many runs are made beside
// each other and are looked at in their order, and come to the flips that are listed.
func asksFor(t *testing.T, atOnce int, share time.Duration, listed func(key int) []int) (keys []string) {
	e := &explored{inPackage: &inPackage{setting: new(setting), further: &allowance{left: time.Hour}}}
	x := &flipping{
		flipper: &flipper{explored: e, vain: maxFruitless, listed: make(map[*confirmation]map[string][]flip)}, share: share, own: maxFlipped, atMost: maxRuns,
		known: make(map[string]bool), been: make(map[way]bool),
	}
	x.ran = make(map[string]bool)
	var runs []*confirmation
	look := func(its []int) {
		c := &confirmation{trace: &trace.Trace{Events: make([]trace.Event, 1), Sites: map[trace.SiteID]trace.Site{0: {}}, Goroutines: make([]trace.Goroutine, 1)}}
		var all []flip
		for _, key := range its {
			all = append(all, flip{Flip: flips.Flip{Key: fmt.Sprint(key)}, of: c})
		}
		x.listed[c] = map[string][]flip{"": all}
		runs = append(runs, c)
	}
	look(listed(0))
	for begun := 0; ; begun-- {
		asked, err := x.next(t.Context(), runs, atOnce-begun)
		assert.NoError(t, err)
		begun += len(asked)
		for _, a := range x.asked[begun-len(asked):] {
			keys = append(keys, a.flip.Key)
		}
		if begun == 0 {
			return keys
		}
		x.asked[0].awaited = true
		key, err := strconv.Atoi(x.asked[0].flip.Key)
		assert.NoError(t, err)
		look(listed(key))
	}
}

// A test of which flips come to nothing new has a few of them, and as many after the last one that did, or
// has shown a bug; and no more than its share allows. How many runs are made beside each other changes nothing of that.
func TestFruitlessFlips(t *testing.T) {
	upTo := func(n int) (all []int) {
		for k := range n {
			all = append(all, k+1)
		}
		return all
	}
	others := func(key int) []int { return upTo(100) }
	last := func(key int) []int {
		if key == maxFruitless {
			return []int{1000}
		}
		return others(key)
	}
	for _, atOnce := range []int{1, 3, attemptsAtOnce} {
		assert.Len(t, asksFor(t, atOnce, time.Minute, others), maxFruitless)
		assert.Len(t, asksFor(t, atOnce, time.Minute, last), 2*maxFruitless+attemptsAtOnce-1)
		assert.Len(t, asksFor(t, atOnce, 7*aRun/2+1, others), 4, "more than the half of a run is as good as a whole one")
		tree := func(key int) []int { return []int{2*key + 1, 2*key + 2} }
		assert.Equal(t, asksFor(t, 1, time.Minute, tree), asksFor(t, atOnce, time.Minute, tree))
	}

	e := &explored{inPackage: &inPackage{setting: new(setting), done: map[string]bool{"a bug": true}}}
	x := &flipping{flipper: &flipper{explored: e}, made: 3, asked: make([]asked, 1)}
	x.asked[0].attempt = new(attempt)
	_, err := x.next(t.Context(), nil, 0)
	assert.NoError(t, err)
	assert.Equal(t, 2+attemptsAtOnce-1, x.fruitful, "the third has not ended")
}

// What a test costs by what it waits is the same for times that the machine may make of one.
func TestWaitsOfFlips(t *testing.T) {
	of := func(elapsed ...time.Duration) map[string]time.Duration {
		its := &trace.Trace{Tested: []trace.TestEvent{{Action: "output", Test: "TestA", Output: "a line"}, {Action: "pass", Test: "TestA/sub", Elapsed: time.Minute}}}
		for k, d := range elapsed {
			its.Tested = append(its.Tested, trace.TestEvent{Action: "pass", Test: fmt.Sprintf("Test%d", k), Elapsed: d})
		}
		all := waited(its)
		assert.NotContains(t, all, "TestA/sub")
		for test, d := range all {
			all[test] = coarse(d)
		}
		return all
	}
	first := of(longTest-1, longTest+1, 3*longTest, time.Hour)
	assert.Zero(t, first["Test0"])
	assert.Equal(t, longTest, first["Test1"])
	assert.Equal(t, 2*longTest, first["Test2"])
	assert.Equal(t, first, of(0, longTest*3/2, 7*longTest/2, time.Hour+time.Minute))
}

// Two tests of one name, one of them of the external tests, have the size of both.
func TestEventsOf(t *testing.T) {
	size := map[string]int{"TestA": 5, "TestB": 3}
	assert.Equal(t, 5, eventsOf([]string{"TestA#2"}, size))
	assert.Equal(t, 8, eventsOf([]string{"TestA", "TestB"}, size))
}

// What a test has waited has in it what its parallel subtests have, of which package testing tells by themselves.
func TestWaitsOfSubtests(t *testing.T) {
	event := func(test string, seconds time.Duration) trace.TestEvent {
		return trace.TestEvent{Action: "pass", Test: test, Elapsed: seconds * time.Second}
	}
	assert.Equal(t, map[string]time.Duration{"TestOneByOne": 5 * time.Second, "TestParallel": 9 * time.Second, "TestGone": 2 * time.Second}, waited(&trace.Trace{Tested: []trace.TestEvent{
		event("TestOneByOne/a", 2), event("TestOneByOne/b", 2), event("TestOneByOne", 5),
		event("TestParallel/of/a", 3), event("TestParallel/of/b/c", 2), event("TestParallel/of/b/d", 4), event("TestParallel/of/b", 0), event("TestParallel", 1),
		event("TestGone/a/b", 2),
	}}))
}

// Tests that have no flips, or are too long for any, take nothing from those that have some.
func TestSharesOfFlips(t *testing.T) {
	e := &explored{inPackage: &inPackage{setting: new(setting), further: &allowance{left: 6 * time.Second}, flips: time.Minute}}
	x := &flipper{explored: e, most: maxFlippedPackage, open: map[string]bool{"TestA": true, "TestB": true}}
	assert.Equal(t, 3*time.Second, x.of(&frontier{explored: e, test: "TestA"}).share)
	assert.Equal(t, 6*time.Second, x.of(&frontier{explored: e, test: "TestNone"}).share, "what is left is for TestB, which is the next one")
	assert.Equal(t, 6*time.Second, x.of(&frontier{explored: e, test: "TestB"}).share)
}

// What package testing chooses is flipped once in a package, and what the standard library does
// of two tests, but where all is asked for.
func TestForeignFlips(t *testing.T) {
	c := &confirmation{trace: &trace.Trace{
		Events: []trace.Event{{Site: 1}, {Site: 2}, {Site: 3}},
		Sites: map[trace.SiteID]trace.Site{
			1: {ID: 1, Func: "testing.(*T).Parallel", File: "/go/src/testing/testing.go"},
			2: {ID: 2, Func: "io.(*pipe).read", File: "/go/src/io/pipe.go"},
			3: {ID: 3, Func: "p.TestA", File: "/p/p_test.go"},
		},
	}}
	e := &explored{inPackage: &inPackage{setting: &setting{files: witness.Files{GOROOT: "/go", Root: "/p"}}, further: &allowance{left: time.Minute}, flips: time.Minute}}
	all := &flipper{explored: e, most: maxFlippedPackage, elsewhere: make(map[string]int), listed: map[*confirmation]map[string][]flip{c: {
		"TestA": {{Flip: flips.Flip{At: 0, Key: "parallel"}, of: c}, {Flip: flips.Flip{At: 1, Key: "read"}, of: c}, {Flip: flips.Flip{At: 2, Key: "own"}, of: c}},
	}}}
	for n, want := range [][]int{{0, 1, 2}, {1, 2}, {2}, {2}} {
		x := all.of(&frontier{explored: e, test: "TestA"})
		x.collect(c)
		var at []int
		for _, f := range x.queue {
			at = append(at, f.At)
			x.ran[f.Key] = true
		}
		assert.ElementsMatch(t, want, at, "of test %d", n)
	}
	e.opts.Explore.All = true
	x := all.of(&frontier{explored: e, test: "TestA"})
	x.collect(c)
	assert.Len(t, x.queue, 3)
}
