package reduce_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// twoTests reads a trace in which goroutine 0 runs the tests: that of goroutine 1, which starts 2,
// and that of goroutine 3, which may start 4.
func twoTests(t *testing.T, text string) *trace.Trace {
	tr := tracetest.Parse(t, text)
	for g, its := range [][2]string{{"", "main"}, {"TestA", "0"}, {"TestA", "0.1"}, {"TestB", "0"}, {"TestB", "0.1"}} {
		if g < len(tr.Goroutines) {
			tr.Goroutines[g].Test, tr.Goroutines[g].Path = its[0], its[1]
		}
	}
	return tr
}

// predict predicts from tr.
func predict(t testing.TB, tr *trace.Trace) *analysis.Result {
	t.Helper()
	r, err := analysis.Predict(context.Background(), tr, analysis.Options{})
	require.NoError(t, err)
	return r
}

// predictInWindows predicts from windows of t of at least so many events.
func predictInWindows(ctx context.Context, t *trace.Trace, least int, opts analysis.Options) (*analysis.Result, error) {
	return analysis.PredictWindows(ctx, reduce.DivideBy(t, least, opts.Properties), opts)
}

// predictReading is predictInWindows that reads each window again; ok is not set if there is one only.
func predictReading(ctx context.Context, t *trace.Trace, least int, opts analysis.Options) (r *analysis.Result, ok bool, err error) {
	d := reduce.DivideBy(t, least, opts.Properties)
	if ok = d.Drop(); ok {
		r, err = analysis.PredictWindows(ctx, d, opts)
	}
	return r, ok, err
}

func TestCuts(t *testing.T) {
	monitor, err := property.Compile(property.ERE, "use* close?", []string{"use", "close"})
	require.NoError(t, err)
	properties := []property.Property{{Calls: map[uint64]int{1: 0, 2: 1}, Monitor: monitor}}
	for _, test := range []struct {
		name, first, second string
		cut                 bool
	}{
		{"nothing in common", "2 w x", "4 w x", true},
		{"a goroutine that goes on", "2 w x", "2 w x", false},
		{"a lock", "2 acq l\n2 rel l", "4 acq l\n4 rel l", true},
		{"a lock that is held", "2 acq l", "4 acq l", false},
		{"a lock that is held, and not used", "2 acq l", "4 acq k", true},
		{"a reader's lock that is held", "1 racq l\n2 racq l\n2 rrel l", "4 racq l", false},
		{"a message", "2 send c/1\n2 sent c#1/1", "4 recv c/1\n4 recvd c#1/1", false},
		{"a message that was received", "2 send c/1\n2 sent c#1/1\n1 recv c/1\n1 recvd c#1/1", "4 send c/1\n4 sent c#2/1", true},
		{"a message of another channel", "2 send c/1\n2 sent c#1/1\n1 recv d/1", "4 recv c/1\n4 recvd c#1/1", false},
		{"a message that came from elsewhere", "1 recv c/1\n1 recvd c#1/1", "4 recv c/1\n4 recvd c#2/1", false},
		{"a receive that waits", "2 send c/1\n2 sent c#1/1\n1 recv c/1\n1 recvd c#1/1\n2 recv c/1", "4 send c/1\n4 sent c#2/1", false},
		{"a select that waits", "2 send c/1\n2 sent c#1/1\n1 recv c/1\n1 recvd c#1/1\n2 selrecv c/1\n2 select", "4 send c/1\n4 sent c#2/1", false},
		{"a channel that is closed", "2 close c\n1 recv c\n1 recvd c", "4 recv c\n4 recvd c\n3 selrecv c", true},
		{"a close", "2 recv c", "4 close c", false},
		{"a WaitGroup that waits", "1 add g#1", "4 add g#-1\n3 wgwait g\n3 wgwaited g", false},
		{"a WaitGroup that is done", "1 add g#1\n2 add g#-1\n1 wgwait g\n1 wgwaited g", "3 add g#1\n4 add g#-1", true},
		{"a condition", "2 signal c#0", "4 wait c#0", false},
		{"a Once", "2 oncebegin o\n2 onceend o\n2 oncedone o", "4 oncedone o", true},
		{"a token", "2 post p", "4 await p", true},
		{"a message that nobody takes", "2 send c/1\n2 sent c#1/1", "4 selsend c/1\n4 select\n4 selected", false},
		{"a message that a select takes which may wait", "2 send c/1\n2 sent c#1/1\n1 selrecv c/1\n1 select\n1 selected #1\n1 recvd c#1/1", "4 send c/1\n4 sent c#2/1", false},
		{"a message that a select takes later", "2 send c/1\n2 sent c#1/1", "4 selrecv c/1\n4 select\n4 selected #1\n4 recvd c#1/1", false},
		{"an object that is as it was at first", "2 call x#1", "4 call x#2", true},
		{"an object that is not", "2 call x#2", "4 call x#1", false},
		{"an object without a property", "2 call x#3", "4 call x#3", true},
		{"calls of two", "2 call x#2", "4 call y#1", true},
	} {
		tr := twoTests(t, "0 fork 1\n1 begin\n1 fork 2\n2 begin\n"+test.first+"\n0 fork 3\n3 begin\n3 fork 4\n4 begin\n"+test.second)
		var want []int
		for i, e := range tr.Events {
			if e.Kind == trace.Fork && e.Obj == 3 && test.cut {
				want = append(want, i)
			}
		}
		assert.Equal(t, want, reduce.Cuts(tr, 1, properties), test.name)
		switch test.name {
		case "a lock that is held", "a WaitGroup that waits":
			tr.Cuts = []trace.Cut{{Test: "TestA"}}
			assert.Empty(t, reduce.Cuts(tr, 1, properties), "%s, of a test without plain accesses", test.name)
			tr.Cuts[0].LacksSync = true
			assert.Len(t, reduce.Cuts(tr, 1, properties), 1, "%s, of a test that is cut off", test.name)
		case "an object that is not":
			tr.Freed = []trace.FreedObjects{{Position: 5, FirstAddr: tr.Events[4].Obj, Size: 8, Mask: 1}}
			assert.Equal(t, []int{5}, reduce.Cuts(tr, 1, properties), "an object that has the place of another one")
		case "a message that was received":
			tr.Blocked = []trace.BlockedGoroutine{{G: 2, Op: trace.Recv, Obj: tr.Events[4].Obj}}
			assert.Empty(t, reduce.Cuts(tr, 1, properties), "a channel that is waited for at the end")
		case "a message that nobody takes":
			tr.Events[len(tr.Events)-2].Flags |= trace.FlagDefault
			assert.Equal(t, []int{6}, reduce.Cuts(tr, 1, properties), "a message that nobody takes, by a default")
		case "a lock that is held, and not used":
			tr.Blocked = []trace.BlockedGoroutine{{G: 4, Op: trace.Acquire, Obj: tr.Events[4].Obj}}
			assert.Empty(t, reduce.Cuts(tr, 1, properties), "a lock that is waited for at the end")
		}
		assert.Empty(t, reduce.Cuts(tr, len(tr.Events)/2+1, properties), "%s: too short", test.name)
	}
}

// inTurn returns a trace in which a goroutine runs several tests one after the other. They have
// no sites in common, and no objects but memory, or channels in which none of them leaves anything, if
// these are shared.
func inTurn(tests []*trace.Trace, memory, channels bool) *trace.Trace {
	const apart = 1 << 20
	passed := make(map[uint64]uint64) // by channel
	bound := make(map[uint64]bool)
	for _, its := range tests {
		left(its, bound)
	}
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}}, Sites: make(map[trace.SiteID]trace.Site), Complete: true}
	for n, its := range tests {
		by, name := n*apart, string(rune('A'+n))
		for id, s := range its.Sites {
			s.ID, s.Key, s.Line = s.ID+trace.SiteID(by), s.Key+uint64(by), s.Line+by
			tr.Sites[id+trace.SiteID(by)] = s
		}
		first := trace.GID(len(tr.Goroutines))
		for _, g := range its.Goroutines {
			g.ID, g.Parent, g.Test = g.ID+first, g.Parent+first, "Test"+name
			tr.Goroutines = append(tr.Goroutines, g)
		}
		tr.Goroutines[first].Path = "0"
		tr.Events = append(tr.Events, trace.Event{Kind: trace.Fork, Obj: uint64(first)}, trace.Event{Kind: trace.TestBegin, G: first, Obj: uint64(n)})
		tr.TestNames = append(tr.TestNames, "Test"+name)
		for _, e := range its.Events {
			if e.Kind == trace.End && e.G == 0 {
				continue // only when the others have
			}
			e.G += first
			if e.Site != 0 {
				e.Site += trace.SiteID(by)
			}
			switch {
			case e.Kind == trace.Fork:
				e.Obj += uint64(first)
			case channels && e.Kind.Class() == trace.ClassChannel && !bound[e.Obj]:
				if e.Val > 0 {
					e.Val += passed[e.Obj]
				}
			case e.Obj != 0 && !(memory && e.Kind.IsAccess()):
				e.Obj += uint64(by)
			}
			tr.Events = append(tr.Events, e)
		}
		tr.Events = append(tr.Events, trace.Event{Kind: trace.End, G: first})
		for i := range its.Events {
			if e := &its.Events[i]; e.Kind == trace.SendDone {
				passed[e.Obj]++
			}
		}
	}
	return tr
}

// left notes the channels that are made or closed in tr, in which something is left, or which a select has chosen, or has that may wait.
func left(tr *trace.Trace, in map[uint64]bool) {
	underway, messages := make(map[uint64]int), make(map[uint64]int)
	chosen, cases := make(map[trace.GID]bool), make(map[trace.GID][]uint64)
	for _, e := range tr.Events {
		switch e.Kind {
		case trace.Send, trace.Recv:
			underway[e.Obj]++
		case trace.SelectSend, trace.SelectRecv:
			cases[e.G] = append(cases[e.G], e.Obj)
		case trace.Select:
			for _, c := range cases[e.G] {
				in[c] = in[c] || e.Flags&trace.FlagDefault == 0
			}
			cases[e.G] = nil
		case trace.SelectDone:
			chosen[e.G] = e.Val > 0
		case trace.SendDone, trace.RecvDone:
			in[e.Obj] = in[e.Obj] || chosen[e.G]
			underway[e.Obj]--
			chosen[e.G] = false
			if messages[e.Obj]++; e.Kind == trace.RecvDone {
				messages[e.Obj] -= 2
			}
		case trace.Close, trace.ChanMake:
			in[e.Obj] = true
		}
	}
	for c := range messages {
		in[c] = in[c] || messages[c] != 0
	}
	for c := range underway {
		in[c] = in[c] || underway[c] != 0
	}
}

// What is predicted in windows is what is predicted of the whole trace, but for what is of two
// tests; where tests share memory, nothing is ruled out that has a schedule.
func TestWindows(t *testing.T) {
	shape := tracetest.Config{Goroutines: 4, Events: 25, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true, HandOver: true, Counters: true}
	windows, predicted, through := 0, 0, 0
	for seed := range uint64(60) {
		shared, channels := seed < 36 && seed%2 == 0, seed >= 36
		var tests []*trace.Trace
		for k := range uint64(3) {
			tests = append(tests, tracetest.Random(3*seed+k, shape))
		}
		if channels { // one has messages in each of the tests, and nothing is left there
			shape.Sync, shape.Events = tracetest.Channels|tracetest.Mutexes, 12
			tests = nil
			for k := uint64(0); len(tests) < 3; k++ {
				bound, its := make(map[uint64]bool), tracetest.Random(seed<<20+k, shape)
				if left(its, bound); !bound[2] && slices.ContainsFunc(its.Events, func(e trace.Event) bool { return e.Kind == trace.RecvDone && e.Obj == 2 && e.Val > 0 }) {
					tests = append(tests, its)
				}
			}
		}
		tr := inTurn(tests, shared, channels)
		windows += len(reduce.Cuts(tr, 1, nil))
		for _, w := range reduce.InWindows(tr, 1) {
			through += len(w.EarlierElements)
		}
		whole := predict(t, tr)
		got, err := predictInWindows(context.Background(), tr, 1, analysis.Options{})
		require.NoError(t, err)
		of := make(map[string]analysis.Finding)
		var names, want []string
		for _, f := range got.Findings {
			of[f.Name] = f
			names = append(names, f.Name)
		}
		for _, f := range whole.Findings {
			if len(f.Tests) == 1 {
				want = append(want, f.Name)
			}
		}
		if !shared {
			assert.Equal(t, want, names, "seed %d", seed)
		} else {
			assert.Subset(t, names, want, "seed %d", seed)
		}
		for _, w := range whole.Findings {
			f, ok := of[w.Name]
			if !ok {
				continue
			}
			if !shared {
				assert.Equal(t, w.Status, f.Status, "seed %d: %s", seed, f.Name)
				assert.Equal(t, w.Accesses, f.Accesses, "seed %d: %s", seed, f.Name)
				assert.Equal(t, w.Tests, f.Tests, "seed %d: %s", seed, f.Name)
			}
			assert.False(t, f.Status == bug.Infeasible && w.Status == bug.Predicted, "seed %d: %s has a schedule", seed, f.Name)
			assert.Equal(t, f.Status == bug.Predicted, len(f.Schedules) > 0)
			for _, recipe := range f.Schedules {
				s := recipe.Schedule()
				all := make([]int, 0, s.From+len(s.Steps))
				for i := range s.From {
					all = append(all, i)
				}
				assert.NoError(t, feasible.Check(tr, append(all, s.Steps...), recipe.Accesses), "seed %d: %s", seed, f.Name)
				predicted++
			}
		}
	}
	assert.Greater(t, windows, 50, "few windows: nothing is tested")
	assert.Greater(t, through, 20, "few channels of several windows: nothing is tested")
	assert.Greater(t, predicted, 300, "few schedules: nothing is tested")
}

// leftBehind is the site of what leaveBehind adds.
const leftBehind trace.SiteID = 1 << 30

// leaveBehind adds to the first test of tr a goroutine that goes on over the others: it locks what nobody else does, and
// when they are over it stores to memory, of which some may be theirs.
func leaveBehind(tr *trace.Trace, r *rand.Rand) {
	g := trace.GID(len(tr.Goroutines))
	tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: g, Parent: 1, Test: tr.Goroutines[1].Test, Path: "0.99"})
	tr.Sites[leftBehind] = trace.Site{ID: leftBehind, Key: 1 << 40, Func: "example.com/p.f", File: "p.go", Line: 1 << 30, Op: "write", Expr: "x"}
	its := func(kind trace.Kind, obj uint64) trace.Event { return trace.Event{Kind: kind, G: g, Obj: obj} }
	var stores []trace.Event
	for range 2 {
		obj := uint64(1 << 50)
		if e := tr.Events[r.IntN(len(tr.Events))]; e.Kind.IsPlain() && r.IntN(2) == 0 {
			obj = e.Obj
		}
		stores = append(stores, trace.Event{Kind: trace.Write, G: g, Obj: obj, Size: 8, Val: 1, Flags: trace.FlagValue, Site: leftBehind})
	}
	const lock = 1 << 49
	for range 4 {
		at := 2 + r.IntN(len(tr.Events)-2)
		tr.Events = slices.Insert(tr.Events, at, its(trace.Acquire, lock), its(trace.Release, lock))
	}
	tr.Events = slices.Insert(tr.Events, 2, trace.Event{Kind: trace.Fork, G: 1, Obj: uint64(g)}, its(trace.Begin, 0))
	tr.Events = append(append(tr.Events, stores...), its(trace.End, 0))
}

// Without what tests did that ran alone the same is predicted of each other one; where tests
// share memory, nearly the same.
func TestPredictWithoutAlone(t *testing.T) {
	several := tracetest.Config{Goroutines: 3, Events: 25, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true, HandOver: true, Counters: true}
	one := tracetest.Config{Goroutines: 1, Events: 40, Sync: tracetest.Mutexes | tracetest.Atomics, Locks: 2, Locations: 3, Overlap: true, Counters: true}
	dropped, predicted, lost, met := 0, 0, 0, 0
	for seed := range uint64(80) {
		var tests []*trace.Trace
		for k := range uint64(4) {
			shape := several
			if (seed>>k)&1 == k&1 { // in all turns
				shape = one
			}
			tests = append(tests, tracetest.Random(4*seed+k, shape))
		}
		shared := seed%3 == 0
		tr := inTurn(tests, shared, false)
		for i := len(tr.Events) - 1; i >= 0; i-- {
			if g := tr.Goroutines[tr.Events[i].G]; tr.Events[i].Kind == trace.End && g.Path == "0" {
				n := uint64(slices.Index(tr.TestNames, g.Test))
				tr.Events = slices.Insert(tr.Events, i+1, trace.Event{Kind: trace.Await, Obj: n + 1}) // by who runs them
				tr.Events = slices.Insert(tr.Events, i, trace.Event{Kind: trace.TestEnd, G: g.ID, Obj: n}, trace.Event{Kind: trace.Post, G: g.ID, Obj: n + 1})
			}
		}
		if !shared && seed%2 == 1 {
			leaveBehind(tr, rand.New(rand.NewPCG(seed, 0)))
		}
		statuses := func() map[string]bug.Status {
			all := make(map[string]bug.Status)
			for _, f := range predict(t, tr).Findings {
				behind := slices.Contains(f.Sites, leftBehind)
				if len(f.Tests) == 1 || behind {
					all[f.Name] = f.Status
				}
				if behind {
					met++
				}
			}
			return all
		}
		want, events := statuses(), len(tr.Events)
		reduce.DropAlone(tr, 1, dataflow.MaxEvents)
		assert.Equal(t, events, len(tr.Events)+tr.OmittedEvents)
		dropped += tr.OmittedEvents
		got := statuses()
		if !shared {
			assert.Equal(t, want, got, "seed %d", seed)
		}
		for name, status := range want {
			assert.False(t, status == bug.Predicted && got[name] == bug.Infeasible, "seed %d: %s has a schedule", seed, name)
			assert.False(t, status == bug.Infeasible && got[name] == bug.Predicted, "seed %d: %s is proven to have none", seed, name)
			if status == bug.Predicted {
				predicted++
				if got[name] != bug.Predicted {
					lost++
				}
			}
		}
	}
	assert.Greater(t, dropped, 1000, "little is left out: nothing is tested")
	assert.Greater(t, predicted, 200, "few schedules: nothing is tested")
	assert.Greater(t, met, 20, "nothing that is left behind has to do with a later test: nothing is tested")
	assert.LessOrEqual(t, lost, predicted/100)
	t.Logf("%d of %d predictions lost", lost, predicted)
}

// addConflictFree adds to tr, of one test, what its goroutines do with memory that each has for itself, and that nobody
// writes: at sites of its own, and at some where it accesses what others do as well; and conditions and operands.
func addConflictFree(tr *trace.Trace, r *rand.Rand) {
	const first = trace.SiteID(1 << 18)
	for k := range trace.SiteID(11) {
		tr.Sites[first+k] = trace.Site{ID: first + k, Key: uint64(first + k), OnlyStored: k%2 == 0, Line: int(k) + 1}
	}
	held := make(map[uint64]uint64)
	open, events := make(map[trace.GID]bool), make([]trace.Event, 0, 4*len(tr.Events))
	for _, e := range tr.Events {
		if open[e.G] && e.Kind != trace.Begin && e.Kind != trace.SendDone && e.Kind != trace.RecvDone && e.Kind != trace.SelectDone {
			for range r.IntN(4) {
				site := first + trace.SiteID(r.IntN(6))
				obj := uint64(1)<<40 + uint64(e.G)<<16 + 8*uint64(site%3)
				if r.IntN(16) == 0 && e.Kind.IsPlain() {
					site = e.Site
				}
				switch its := (trace.Event{G: e.G, Site: site, Obj: obj, Size: 8, Val: held[obj], Flags: trace.FlagValue}); r.IntN(4) {
				case 0:
					its.Kind, its.Val = trace.Write, uint64(r.IntN(3))
					held[obj] = its.Val
					events = append(events, its)
				case 1:
					events = append(events, trace.Event{Kind: trace.Branch, G: e.G, Site: first + 7}, trace.Event{Kind: trace.Operand, G: e.G, Site: first + 8})
				case 2:
					its.Kind, its.Site, its.Obj, its.Val = trace.Read, first+9+trace.SiteID(r.IntN(2)), 1<<41, 7
					events = append(events, its)
				default:
					its.Kind = trace.Read
					events = append(events, its)
				}
			}
		}
		open[e.G] = e.Kind != trace.Read || !tr.Sites[e.Site].IsUpdate // of which the store is next
		events = append(events, e)
	}
	tr.Events = events
}

// Without accesses that conflict with none, and conditions, the same is predicted as with them.
func TestDropConflictFree(t *testing.T) {
	dropped, predicted, lost := 0, 0, 0
	for seed := range uint64(600) {
		tr := inTurn([]*trace.Trace{tracetest.Random(seed, tracetest.Config{
			Goroutines: 3, Events: 20, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: seed%2 == 0, Counters: seed%3 == 0,
		})}, false, false)
		addConflictFree(tr, rand.New(rand.NewPCG(seed, 0)))
		statuses := func() map[string]bug.Status {
			all := make(map[string]bug.Status)
			for _, f := range predict(t, tr).Findings {
				all[f.Name] = f.Status
			}
			return all
		}
		want, events := statuses(), len(tr.Events)
		reduce.DropAlone(tr, 1<<20, 1)
		assert.Equal(t, events, len(tr.Events)+tr.OmittedEvents)
		dropped += tr.OmittedEvents
		got := statuses()
		for name, status := range want {
			if status == bug.Predicted {
				predicted++
				assert.NotEqual(t, bug.Infeasible, got[name], "seed %d: %s has a schedule", seed, name)
				if got[name] != bug.Predicted {
					lost++
				}
			}
		}
		for name, status := range got {
			assert.True(t, status != bug.Predicted || want[name] == bug.Predicted, "seed %d: %s, which was %s, has a schedule", seed, name, want[name])
		}
	}
	assert.Greater(t, dropped, 10000, "little is left out: nothing is tested")
	assert.Greater(t, predicted, 500, "few schedules: nothing is tested")
	assert.LessOrEqual(t, lost, predicted/50) // who has read what it had not may not touch its own memory
	t.Logf("%d events left out; %d of %d predictions lost", dropped, lost, predicted)
}
