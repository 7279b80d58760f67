package strategy

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/flips"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// newLedger returns a ledger of tests with their numbers of events, of which each has so much left.
func newLedger(left budget.Work, events map[string]int) *ledger.Ledger {
	l := ledger.New(recorder.Run{}, ledger.Paths{}, nil)
	l.Allowance = budget.NewAllowance(new(trace.Trace), events, nil)
	for test := range events {
		l.Allowance.Take(test, l.Allowance.Left(test))
		l.Allowance.GiveBack(test, left)
	}
	l.TimeLeft = func() time.Duration { return time.Hour }
	l.EventsOfTest, l.WaitingTimes = events, make(map[string]time.Duration)
	return l
}

// plenty is more work than the tests here can do.
const plenty budget.Work = 1 << 40

// ran returns the recording of a run of tests of which the given ones passed. The last of
// the others has ended the run.
func ran(passed []string, crashed ...string) *recording.Recording {
	tr := &trace.Trace{Complete: len(crashed) == 0}
	add := func(test string, k trace.Kind) {
		tr.Events = append(tr.Events, trace.Event{G: trace.GID(len(tr.Goroutines) - 1), Kind: k, Obj: uint64(len(tr.TestNames) - 1)})
	}
	for _, test := range append(passed, crashed...) {
		tr.Goroutines, tr.TestNames = append(tr.Goroutines, trace.Goroutine{ID: trace.GID(len(tr.Goroutines)), Path: "0", Test: test}), append(tr.TestNames, test)
		add(test, trace.TestBegin)
		if len(tr.TestNames) > len(passed) {
			add(test, trace.Panic)
		} else {
			add(test, trace.TestEnd)
		}
	}
	return recording.New(recorder.Run{}, tr, recording.Sources{})
}

// record is a fake recorder: it asks a strategy for runs until it proposes none, gives each
// the recording that f returns, and returns the runs as text.
func record(s Strategy, l *ledger.Ledger, f func(r *Run) *recording.Recording) (runs []string) {
	for next := s.Next(l, 1); len(next) > 0; next = s.Next(l, 1) {
		r := next[0]
		runs = append(runs, fmt.Sprintf("%s%v%v", r.Order, r.Tests, r.ExcludedTests))
		r.Recording = f(r)
	}
	return runs
}

// How often tests are recorded again depends on their events, and on how long they wait.
func TestCountOrders(t *testing.T) {
	for _, c := range []struct {
		events int
		waits  time.Duration
		want   int
	}{
		{1000, 0, 6}, {1000, time.Second, 6}, {200_000, 0, 3}, {1000, 4 * time.Second, 3}, {2_000_000, 0, 1}, {1000, 8 * time.Second, 1}, {1000, time.Minute, 0},
	} {
		assert.Equal(t, c.want, Options{}.CountOrders(c.events, budget.WorkOfWait(c.waits)), "%v, %d events", c.waits, c.events)
	}
	assert.Equal(t, 4, Options{Recordings: 5}.CountOrders(1, budget.WorkOfWait(time.Hour)))
}

// A test is recorded once more if that costs at most half of what is left for it, whatever the
// others cost.
func TestAffordable(t *testing.T) {
	const left = 100_000
	events := map[string]int{"TestLong": left + 1, "TestA": left / 2, "TestSlow": 10}
	ledgerOf := func(left budget.Work) *ledger.Ledger {
		l := newLedger(left, events)
		l.TestsToRecord = []string{"TestLong", "TestA", "TestSlow"}
		l.WaitingTimes["TestSlow"] = 8 * time.Second
		return l
	}
	affordable := func(o Options, left budget.Work) []string {
		l := ledgerOf(left)
		return o.affordable(l, l.TestsToRecord)
	}
	l := ledgerOf(left)
	assert.Equal(t, []string{"TestA"}, Options{}.affordable(l, l.TestsToRecord))
	assert.Equal(t, left-budget.RunWork/3-left/2/knownOrderDiscount, l.Allowance.Left("TestA"))
	assert.Equal(t, budget.Work(left), l.Allowance.Left("TestLong"))
	assert.Equal(t, []string{"TestLong", "TestA"}, affordable(Options{}, 2*left))
	assert.Len(t, affordable(Options{}, plenty), 3)
	assert.Empty(t, affordable(Options{}, budget.RunWork/3))
	assert.Len(t, affordable(Options{Recordings: 3}, 0), 3)
}

// Tests that the early end of a run kept from running are recorded in the same order; after a
// run that took too long there is none.
func TestOrders(t *testing.T) {
	all := []string{"TestA", "TestB"}
	start := func(left budget.Work) (*OtherOrders, *ledger.Ledger) {
		l := newLedger(left, map[string]int{"TestA": 0, "TestB": 0})
		l.TestsToRecord = all
		return &OtherOrders{Options: Options{FirstSeed: 1}, MaxOrders: 3}, l
	}
	o, l := start(plenty)
	assert.Equal(t, []string{"oldest[TestA TestB][]", "child[TestA TestB][]", "seed1[TestA TestB][]"},
		record(o, l, func(r *Run) *recording.Recording { return ran(r.Tests) }))
	o, l = start(plenty)
	assert.Equal(t, []string{"oldest[TestA TestB][]", "oldest[TestB][]", "child[TestA TestB][]", "child[TestB][]", "seed1[TestA TestB][]", "seed1[TestB][]"},
		record(o, l, func(r *Run) *recording.Recording { return ran(nil, r.Tests[0]) }))
	o, l = start(plenty)
	assert.Len(t, record(o, l, func(r *Run) *recording.Recording {
		slow := *ran(r.Tests)
		slow.TimedOut = true
		return &slow
	}), 1)
	o, l = start(plenty)
	assert.Len(t, record(o, l, func(r *Run) *recording.Recording { return nil }), 3, "nothing came of the runs")
	o, l = start(0)
	assert.Empty(t, record(o, l, nil), "nothing is left of the allowance")
	o, l = start(plenty)
	l.TimeLeft = func() time.Duration { return 0 }
	assert.Empty(t, record(o, l, nil), "the time is over")
}

// Tests that failed are recorded until all have passed.
func TestPassing(t *testing.T) {
	p := &PassingOrders{FailedTests: []string{"TestA", "TestB"}, MaxOrders: 5}
	assert.Len(t, record(p, nil, func(r *Run) *recording.Recording {
		switch r.Order {
		case recorder.NonPreemptive:
			return ran([]string{"TestB"}, "TestA")
		case recorder.OldestFirst:
			return nil
		}
		return ran([]string{"TestA"}, "TestB")
	}), 3)
	assert.Equal(t, []string{"TestB", "TestA"}, p.PassedTests)
	assert.Equal(t, 3, p.NumAsked)

	first := ran(nil, "TestA")
	assert.Empty(t, NewPassingOrders(Options{}, first, 0).FailedTests, "it has one goroutine")
	assert.Equal(t, 1+passingOrders, NewPassingOrders(Options{}, first, 0).MaxOrders)
	assert.Equal(t, 1, NewPassingOrders(Options{Recordings: 2}, first, 1).MaxOrders)
}

// Tests that the end of a run kept from running are recorded without that one, until none has
// ended a run or nothing came of it.
func TestRemaining(t *testing.T) {
	l := newLedger(0, nil)
	l.FirstRecordings = []ledger.PredictedRecording{{Recording: ran([]string{"TestA"}, "TestB")}}
	r := new(RemainingTests)
	runs := record(r, l, func(run *Run) *recording.Recording {
		next := ran([]string{"TestC"})
		if len(run.ExcludedTests) == 2 {
			next = ran(nil, "TestD")
		}
		l.FirstRecordings = append(l.FirstRecordings, ledger.PredictedRecording{Recording: next})
		return next
	})
	assert.Equal(t, []string{"[][TestB TestA]", "[][TestB TestA TestD]"}, runs)
	assert.Equal(t, []string{"TestD"}, r.Culprits)

	l.FirstRecordings = l.FirstRecordings[:1]
	assert.Len(t, record(new(RemainingTests), l, func(*Run) *recording.Recording { return nil }), 1)
}

// A test is recorded alone in the order of its candidates, which are open meanwhile.
func TestAlone(t *testing.T) {
	l := newLedger(2*budget.RunWork, map[string]int{"TestA": 0, "TestLong": int(budget.RunWork) + 1})
	for _, name := range []string{"a", "b", "c", "d"} {
		l.Candidates.NotePredicted(&analysis.Result{Findings: []analysis.Finding{{Name: name}}})
		l.Candidates.MarkSettled(name)
	}
	l.Candidates.Diverged = []ledger.DivergedCandidate{
		{Test: "TestA", Candidate: "a", Order: recorder.OldestFirst}, {Test: "TestLong", Candidate: "d"}, {Test: "TestA", Candidate: "b", Order: recorder.ChildFirst}, {Test: "TestA", Candidate: "c", Order: recorder.OldestFirst},
	}
	known := func() (all []analysis.Knowledge) {
		for _, name := range []string{"a", "b", "c", "d"} {
			all = append(all, l.Candidates.KnowledgeOf(name))
		}
		return all
	}
	const open, settled = analysis.TriedBefore, analysis.Settled
	var during [][]analysis.Knowledge
	runs := record(new(SingleTests), l, func(r *Run) *recording.Recording {
		assert.True(t, r.SingleTest)
		during = append(during, known())
		return nil
	})
	assert.Equal(t, []string{"oldest[TestA][]", "child[TestA][]"}, runs, "the long test costs too much")
	assert.Equal(t, [][]analysis.Knowledge{{open, settled, open, settled}, {settled, open, settled, settled}}, during)
	assert.Equal(t, []analysis.Knowledge{settled, settled, settled, settled}, known())
	assert.Empty(t, l.Candidates.Diverged)
}

// Slow tests, and those that read what is outside of the program, come last.
func TestSlowLast(t *testing.T) {
	firsts := []ledger.PredictedRecording{{Recording: &recording.Recording{Trace: &trace.Trace{
		TestEvents:   []trace.TestEvent{{Action: "pass", Test: "TestA", Elapsed: time.Second}, {Action: "pass", Test: "TestB", Elapsed: time.Millisecond}},
		HiddenInputs: []trace.HiddenInput{{Test: "TestC", Source: "network"}, {Test: "TestD", Source: "length"}, {Test: "TestE#2", Source: "processes"}},
	}}}}
	tests := []string{"TestA", "TestB", "TestC", "TestD", "TestE"}
	assert.Equal(t, []string{"TestB", "TestD", "TestA", "TestC", "TestE"}, SlowTestsLast(firsts, tests))
	assert.Equal(t, []string{"TestA", "TestB", "TestC", "TestD"}, WithoutProcessTests(firsts, tests))
}

// departing returns findings with so many departures of their own.
func departing(kind bug.Kind, tests []string, numbers ...int) (all []finding.Finding) {
	for k, n := range numbers {
		f := finding.Finding{Finding: analysis.Finding{Kind: kind, Name: string(kind) + tests[k], Tests: []string{tests[k]}}}
		for range n {
			f.Departures = append(f.Departures, new(analysis.Departure))
		}
		all = append(all, f)
	}
	return all
}

// Each test's findings have as many departures as they have, unless these cost more than half of
// what is left for the test.
func TestGrantDepartures(t *testing.T) {
	findings := departing(bug.Race, []string{"TestA", "TestB", "TestC"}, 6, 2, 6)
	events := map[string]int{"TestA": 0, "TestB": 0, "TestC": 0}
	most := func(o Options, r *recording.Recording, l *ledger.Ledger) (all []int) {
		for _, d := range DeparturesOf(o, r, findings, l) {
			all = append(all, d.maxFollowed)
		}
		return all
	}
	r := ran(nil)
	unbounded := newLedger(0, nil)
	unbounded.Allowance = nil
	assert.Equal(t, []int{6, 2, 6}, most(Options{}, r, unbounded), "one bug alone is looked for")
	assert.Equal(t, []int{6, 2, 6}, most(Options{Exploring: true}, r, newLedger(0, events)))

	l := newLedger(plenty, events)
	assert.Equal(t, []int{6, 2, 6}, most(Options{}, r, l))
	assert.Equal(t, plenty-6*budget.RunWork, l.Allowance.Left("TestA"))
	l = newLedger(9*budget.RunWork, events)
	assert.Equal(t, []int{4, 2, 4}, most(Options{}, r, l))
	assert.Equal(t, 5*budget.RunWork, l.Allowance.Left("TestC"))
	flipped := *r
	flipped.BegunBy = new(witness.Witness)
	assert.Equal(t, []int{1, 1, 1}, most(Options{}, &flipped, newLedger(9*budget.RunWork, events)), "those of flips leave most for these")

	long := ran([]string{"TestB"})
	for range 2 * budget.RunWork {
		long.Trace.Events = append(long.Trace.Events, trace.Event{Kind: trace.Read})
	}
	assert.Equal(t, []int{4, 1, 4}, most(Options{}, long, newLedger(9*budget.RunWork, events)), "a long test takes more")
	waits := ran(nil)
	waits.Trace.TestEvents = []trace.TestEvent{{Action: "pass", Test: "TestC", Elapsed: 250 * time.Millisecond}}
	assert.Equal(t, []int{4, 2, 1}, most(Options{}, waits, newLedger(9*budget.RunWork, events)), "so does one that waits")
}

// The first departures of all open findings come before the second of any; what was confirmed
// has no more.
func TestDeparturesInTurn(t *testing.T) {
	findings := departing(bug.Race, []string{"TestA", "TestA"}, 3, 3)
	findings[1].Departures[0] = findings[0].Departures[0] // shared
	l := newLedger(plenty, map[string]int{"TestA": 0})
	d := DeparturesOf(Options{}, ran(nil), findings, l)[0]
	require.Len(t, d.Next(l, 1), 1)
	require.Len(t, d.Next(l, 1), 1)
	d.OpenFindings = []int{1}
	require.Len(t, d.Next(l, 1), 1)
	followed := 0
	for k := range 3 {
		if d.followed[findings[0].Departures[k]] {
			followed++
		}
	}
	assert.Equal(t, 2, followed, "the first finding is confirmed")
	d.GiveBack(l.Allowance)
	assert.Equal(t, plenty-3*d.costEach, l.Allowance.Left("TestA"))
	d.DidNotEnd = true
	assert.Empty(t, d.Next(l, 1))

	findings = departing(bug.Race, []string{"TestA", "TestA"}, 2, 2)
	d = DeparturesOf(Options{}, ran(nil), findings, l)[0]
	require.Len(t, d.Next(l, 1), 1)
	d.OpenFindings = []int{0} // it has confirmed the second finding
	for len(d.Next(l, 1)) > 0 {
	}
	assert.False(t, d.followed[findings[1].Departures[0]])
	assert.False(t, d.followed[findings[1].Departures[1]])

	l.EndlessDepartures[d.TestsKey] = true
	assert.Empty(t, DeparturesOf(Options{}, ran(nil), findings, l), "a departure of this test did not end")
}

// Patterns of large tests are not looked for in departures.
func TestDeparturesOfPatterns(t *testing.T) {
	findings := departing(bug.Atomicity, []string{"TestA"}, 1)
	large := ran([]string{"TestA"})
	large.Trace.Events = append(large.Trace.Events, make([]trace.Event, maxDeparturePatternEvents)...)
	assert.Empty(t, DeparturesOf(Options{}, large, findings, newLedger(plenty, map[string]int{"TestA": 0})))
	assert.Len(t, DeparturesOf(Options{}, ran([]string{"TestA"}), findings, newLedger(plenty, map[string]int{"TestA": 0})), 1)
}

// Random orders have the seeds that follow each other, every fourth by PCT.
func TestRandom(t *testing.T) {
	l := newLedger(0, nil)
	l.RunsOfTest = []*recording.Recording{ran([]string{"TestA"})}
	r := &RandomOrders{Options: Options{FirstSeed: 5}, Test: "TestA"}
	var orders []recorder.Order
	for _, run := range append(r.Next(l, 2), r.Next(l, 3)...) {
		orders = append(orders, run.Order)
		assert.Equal(t, []string{"TestA"}, run.Tests)
		assert.Equal(t, []int{}, run.ParentRuns, "no run leads there")
	}
	assert.Equal(t, []recorder.Order{recorder.POS(5), recorder.POS(6), recorder.POS(7), recorder.PCT(8, 3, r.maxSteps), recorder.POS(9)}, orders)
	assert.Equal(t, 5, r.NumMade)
}

// branching returns the recording of a test in which two goroutines read what both have written.
func branching() *recording.Recording {
	tr := &trace.Trace{TestNames: []string{"TestA"}, Sites: make(map[trace.SiteID]trace.Site), Complete: true}
	for g, path := range []string{"0", "0.1", "0.2"} {
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: trace.GID(g), Path: path, Test: "TestA"})
	}
	add := func(e trace.Event) {
		e.Site = trace.SiteRewritten | trace.SiteID(len(tr.Events)+1)
		tr.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site), Func: "x.f", File: "/x/x.go", Line: len(tr.Events) + 1}
		tr.Events = append(tr.Events, e)
	}
	add(trace.Event{Kind: trace.TestBegin})
	add(trace.Event{Kind: trace.Fork, Obj: 1})
	add(trace.Event{Kind: trace.Fork, Obj: 2})
	for g := trace.GID(1); g <= 2; g++ {
		add(trace.Event{Kind: trace.Begin, G: g})
		for _, at := range []uint64{0xc000010000, 0xc000010080} {
			add(trace.Event{Kind: trace.Write, G: g, Obj: at, Val: uint64(g), Size: 8, Flags: trace.FlagValue})
			add(trace.Event{Kind: trace.Read, G: g, Obj: at, Val: uint64(g), Size: 8, Flags: trace.FlagValue})
		}
		add(trace.Event{Kind: trace.End, G: g})
	}
	add(trace.Event{Kind: trace.TestEnd})
	return recording.New(recorder.Run{}, tr, recording.Sources{})
}

// A test with one recording among those of others is first recorded alone; then the search
// says what is left.
func TestUnreached(t *testing.T) {
	u := NewUnreachedStates(Options{}, "TestA")
	assert.Empty(t, u.Status())
	assert.False(t, u.IsComplete())
	l := newLedger(0, nil)
	first := ran([]string{"TestA"})
	l.RunsOfTest = []*recording.Recording{ran([]string{"TestA", "TestB"})}
	next := u.Next(l, 8)
	require.Len(t, next, 1)
	assert.Nil(t, next[0].MakeBeginning)
	assert.Equal(t, []string{"TestA"}, next[0].Tests)
	assert.False(t, u.IsComplete(), "the run has not ended")
	next[0].Recording = first
	assert.Empty(t, u.Next(l, 8))
	assert.True(t, u.IsComplete())
	assert.Regexp(t, `^behaviours: \d+, to try: 0$`, u.Status())

	// Where no run may be made any more there is an answer all the same.
	u = NewUnreachedStates(Options{}, "TestA")
	u.addRun(branching())
	assert.Empty(t, u.Next(l, 0))
	assert.False(t, u.IsComplete())
	assert.NotEmpty(t, u.Next(l, 1))
	assert.Empty(t, u.Next(l, 0), "one run was made, and others are left")

	large := ran([]string{"TestA"})
	large.Trace.Events = append(large.Trace.Events, make([]trace.Event, MaxExploredEvents)...)
	u = NewUnreachedStates(Options{}, "TestA")
	u.SearchRecording(large)
	assert.False(t, u.IsComplete())
	assert.Equal(t, []string{"a run has too many events"}, u.Result().Doubts)
	u = NewUnreachedStates(Options{}, "TestA")
	u.SearchRecording(first)
	assert.True(t, u.IsComplete())
}

// newFlips returns the flips of a test.
func newFlips() *Flips {
	return &Flips{
		PackageFlips: &PackageFlips{maxOfTest: maxFlips, maxFruitless: maxFruitless, flipsOfRecording: make(map[*recording.Recording]map[string][]flip), currentKeys: make(map[string]bool)},
		keys:         make(map[string]bool), destinations: make(map[destination]bool),
		limits: limits{maxRuns: maxRuns},
	}
}

// withFlips returns a recording with flips of these keys.
func withFlips(f *Flips, keys []int) *recording.Recording {
	r := &recording.Recording{Trace: &trace.Trace{Events: make([]trace.Event, 1), Sites: map[trace.SiteID]trace.Site{0: {}}, Goroutines: make([]trace.Goroutine, 1)}}
	var all []flip
	for _, key := range keys {
		all = append(all, flip{Flip: flips.Flip{Key: fmt.Sprint(key)}, recording: r})
	}
	f.flipsOfRecording[r] = map[string][]flip{"": all}
	return r
}

// asksFor returns the keys of the flips that are asked for of a test, where so many runs are
// made concurrently, dealt with in their order, and have the flips that are listed.
func asksFor(t *testing.T, atOnce int, left budget.Work, listed func(key int) []int) (keys []string) {
	f, l := newFlips(), newLedger(left, map[string]int{"": 0})
	l.RunsOfTest = append(l.RunsOfTest, withFlips(f, listed(0)))
	for begun := 0; ; begun-- {
		asked := f.Next(l, atOnce-begun)
		begun += len(asked)
		for _, a := range f.runningFlips[begun-len(asked):] {
			keys = append(keys, a.flip.Key)
		}
		if begun == 0 {
			return keys
		}
		f.runningFlips[0].IsDealtWith = true
		key, err := strconv.Atoi(f.runningFlips[0].flip.Key)
		assert.NoError(t, err)
		l.RunsOfTest = append(l.RunsOfTest, withFlips(f, listed(key)))
	}
}

// A test whose flips show nothing new has a few of them, and as many after the last one that
// did, or that showed a bug; and no more than its share allows. How many runs are made
// concurrently changes nothing.
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
	for _, atOnce := range []int{1, 3, budget.ConcurrentRuns} {
		assert.Len(t, asksFor(t, atOnce, plenty, others), maxFruitless)
		assert.Len(t, asksFor(t, atOnce, plenty, last), 2*maxFruitless+budget.ConcurrentRuns-1)
		assert.Len(t, asksFor(t, atOnce, 5*budget.RunWork-1, others), 4, "the work that is left is for no more")
		tree := func(key int) []int { return []int{2*key + 1, 2*key + 2} }
		assert.Equal(t, asksFor(t, 1, plenty, tree), asksFor(t, atOnce, plenty, tree))
	}
	l, f := newLedger(0, nil), newFlips()
	l.SuspectRuns = ledger.SuspectRuns{{Bug: "a bug"}}
	f.numMade, f.runningFlips = 3, []askedFlip{{Run: new(Run)}}
	f.Next(l, 0)
	assert.Equal(t, 2+budget.ConcurrentRuns-1, f.lastFruitful, "the third has not ended")
}

// A flip that a timer could have come before is made once more, until the timer fires.
func TestOverdueFlip(t *testing.T) {
	l, f := newLedger(plenty, map[string]int{"": 0}), newFlips()
	r := withFlips(f, []int{1})
	f.flipsOfRecording[r][""][0].delay = replayer.UntilOthersBlocked
	l.RunsOfTest = []*recording.Recording{r}
	next := f.Next(l, 2)
	require.Len(t, next, 1)
	assert.Equal(t, replayer.UntilOthersBlocked, next[0].Delay)
	next[0].IsDealtWith, next[0].Result.Verdicts = true, []replayer.Verdict{{TimerDue: true}}
	next = f.Next(l, 2)
	require.Len(t, next, 1)
	assert.Equal(t, replayer.UntilIdleForSecond, next[0].Delay)
	next[0].IsDealtWith, next[0].Result.Verdicts = true, []replayer.Verdict{{TimerDue: true}}
	assert.Empty(t, f.Next(l, 2))
}

// Flips that lead to the same run are made once.
func TestSameDestination(t *testing.T) {
	l, f := newLedger(plenty, map[string]int{"": 0}), newFlips()
	r := withFlips(f, []int{1, 2, 3})
	all := f.flipsOfRecording[r][""]
	all[0].prefixFingerprint, all[1].prefixFingerprint, all[2].prefixFingerprint = 7, 7, 7
	all[2].Case = 1
	l.RunsOfTest = []*recording.Recording{r}
	assert.Len(t, f.Next(l, 8), 2)
}

// Each test has some flips of its own, and a share of others: the fewer tests have flips, the more.
func TestSharesOfFlips(t *testing.T) {
	for n, want := range map[int]int{1: maxFlips, 16: testFlips + maxPackageFlips/16, 10 * maxPackageFlips: testFlips} {
		events, flipsOf := map[string]int{"TestLong": int(plenty)}, map[string][]flip{"TestLong": {{}}}
		tests := []string{"TestNone", "TestLong"}
		for k := range n {
			test := fmt.Sprint("Test", k)
			events[test], flipsOf[test], tests = 0, []flip{{}}, append(tests, test)
		}
		l, r := newLedger(budget.RunWork, events), ran(nil)
		l.Recordings = []ledger.PredictedRecording{{Recording: r}}
		p := newPackageFlips(Options{}, map[*recording.Recording]map[string][]flip{r: flipsOf}, l, tests)
		assert.Equal(t, want, p.maxOfTest, "%d tests", n)
		assert.Equal(t, n == 1, p.maxFruitless == maxFlips)
	}
}

// What package testing chooses is flipped once in a package, and what the standard library
// does in two tests, but everywhere if all is asked for.
func TestLibraryFlips(t *testing.T) {
	r := &recording.Recording{
		Sources: recording.Sources{Files: witness.Files{GOROOT: "/go", Root: "/p"}},
		Trace: &trace.Trace{
			Events: []trace.Event{{Site: 1}, {Site: 2}, {Site: 3}},
			Sites: map[trace.SiteID]trace.Site{
				1: {ID: 1, Func: "testing.(*T).Parallel", File: "/go/src/testing/testing.go"},
				2: {ID: 2, Func: "io.(*pipe).read", File: "/go/src/io/pipe.go"},
				3: {ID: 3, Func: "p.TestA", File: "/p/p_test.go"},
			},
		},
	}
	l := newLedger(plenty, map[string]int{"TestA": 0})
	p := &PackageFlips{testsWithKey: make(map[string]int), flipsOfRecording: map[*recording.Recording]map[string][]flip{r: {
		"TestA": {{Flip: flips.Flip{Position: 0, Key: "parallel"}, recording: r}, {Flip: flips.Flip{Position: 1, Key: "read"}, recording: r}, {Flip: flips.Flip{Position: 2, Key: "own"}, recording: r}},
	}}}
	for n, want := range [][]int{{0, 1, 2}, {1, 2}, {2}, {2}} {
		f := p.FlipsOf(l, "TestA", 0)
		f.collectFrom(r)
		var at []int
		for _, next := range f.queue {
			at = append(at, next.Position)
			f.currentKeys[next.Key] = true
		}
		assert.ElementsMatch(t, want, at, "of test %d", n)
	}
	p.Exploring = true
	f := p.FlipsOf(l, "TestA", 0)
	f.collectFrom(r)
	assert.Len(t, f.queue, 3)
}

// Only a few flips of atomic operations are made, after all others, unless all is asked for.
func TestAtomicFlips(t *testing.T) {
	var text strings.Builder
	text.WriteString("0 fork 1\n0 fork 2\n1 begin\n2 begin\n")
	const flags = maxAtomicFlips + 3
	for k := range flags {
		fmt.Fprintf(&text, "1 astore f%d=1\n2 aload f%[1]d=1\n", k)
	}
	r := recording.New(recorder.Run{}, tracetest.Parse(t, text.String()), recording.Sources{})
	for _, exploring := range []bool{false, true} {
		l, f := newLedger(plenty, map[string]int{"TestX": 0}), newFlips()
		f.Test, f.Exploring, f.maxFruitless = "TestX", exploring, maxFlips
		l.RunsOfTest = []*recording.Recording{r}
		made := 0
		for next := f.Next(l, 1); len(next) > 0; next = f.Next(l, 1) {
			if f.runningFlips[len(f.runningFlips)-1].flip.IsAtomic() {
				made++
			}
			next[0].IsDealtWith = true
		}
		if exploring {
			assert.GreaterOrEqual(t, made, flags)
		} else {
			assert.Equal(t, maxAtomicFlips, made)
		}
	}
}

// Tests that have looked at random numbers are recorded with others, while that is cheap.
func TestOtherChances(t *testing.T) {
	tr := &trace.Trace{HiddenInputs: []trace.HiddenInput{{Test: "TestA", Source: "random"}, {Test: "TestB", Source: "clock"}, {Test: "TestC", Source: "maps"}}}
	ledgerOf := func(orders int) *ledger.Ledger {
		l := newLedger(plenty, map[string]int{"TestA": 1, "TestB": 1, "TestC": 1})
		l.TestsToRecord, l.NumOrders = []string{"TestA", "TestB", "TestC"}, orders
		l.FirstRecordings = []ledger.PredictedRecording{{Recording: &recording.Recording{Trace: tr}}}
		return l
	}
	passes := func(*Run) *recording.Recording { return nil }
	assert.Equal(t, []string{"chance1[TestA TestC][]", "chance2[TestA TestC][]", "chance3[TestA TestC][]", "chance4[TestA TestC][]"}, record(new(OtherChances), ledgerOf(6), passes))
	assert.Equal(t, []string{"chance1[TestA TestC][]"}, record(new(OtherChances), ledgerOf(1), passes))
	assert.Empty(t, record(new(OtherChances), ledgerOf(0), passes))
	slow := func(*Run) *recording.Recording { return &recording.Recording{TimedOut: true} }
	assert.Len(t, record(new(OtherChances), ledgerOf(6), slow), 1)
}
