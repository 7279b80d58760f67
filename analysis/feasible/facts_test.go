package feasible_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

var factTraces = flag.Int("feasible.facts", 500, "how many random traces to compare package facts with the judge on")

// factShapes are the shapes of the random traces.
var factShapes = []func(seed uint64) *trace.Trace{
	randomOf(tracetest.Config{Goroutines: 3, Events: 12, Sync: tracetest.All, Locks: 2, Locations: 3}),
	randomOf(tracetest.Config{Goroutines: 4, Events: 30, Sync: tracetest.All, Locks: 3, Locations: 2, Unnested: true, HandOver: true, RepeatedReadLocks: true, Overlap: true, Counters: true}),
	randomOf(tracetest.Config{Goroutines: 40, Events: 6, Sync: tracetest.All, Locks: 2, Locations: 4}),
	randomOf(tracetest.Config{Goroutines: 3, Events: 40, Sync: tracetest.Channels, Locks: 1, Locations: 3}),
	randomOf(tracetest.Config{Goroutines: 3, Events: 40, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 3, Locations: 3, Unnested: true, HandOver: true, RepeatedReadLocks: true}),
	randomOf(tracetest.Config{Goroutines: 3, Events: 40, Sync: tracetest.Mutexes | tracetest.Conds, Locks: 2, Locations: 2}),
	randomOf(tracetest.Config{Goroutines: 5, Events: 60, Sync: tracetest.Channels | tracetest.WaitGroups | tracetest.Onces | tracetest.Posts | tracetest.LateForks, Locks: 1}),
	randomOf(tracetest.Config{Goroutines: 3, Events: 20, Sync: tracetest.Mutexes | tracetest.Atomics, Locks: 2, Locations: 2, Sections: true, DistinctValues: true}),
	tracetest.RandomMessages,
	func(seed uint64) *trace.Trace { return tracetest.RandomData(seed, 3, 40) },
	func(seed uint64) *trace.Trace { return tracetest.NestedLocks(200, 3, seed%2 == 0) },
	func(seed uint64) *trace.Trace { return tracetest.ServerTraceOf(200, 4, 1+int(seed%8)) },
}

func randomOf(c tracetest.Config) func(seed uint64) *trace.Trace {
	return func(seed uint64) *trace.Trace { return tracetest.Random(seed, c) }
}

// The table of facts says of random traces what the judge derives on its own.
func TestFactsAgreeWithTheJudge(t *testing.T) {
	for n := range *factTraces {
		shape := n % len(factShapes)
		tr := factShapes[shape](uint64(n))
		if tr == nil { // of Talk, where all tries have blocked
			continue
		}
		if n%3 == 0 {
			shift(tr)
		}
		f := facts.New(tr)
		require.NoError(t, f.Check(), "shape %d, seed %d", shape, n)
		c := comparison{t, tr, f, feasible.Derive(tr), make(map[trace.GID][]int32)}
		c.channels()
		for i := range tr.Events {
			c.event(i, &tr.Events[i])
			if t.Failed() {
				t.Fatalf("shape %d, seed %d, event %d: %v", shape, n, i, tr.Events[i].Kind)
			}
		}
	}
}

// shift makes of a trace a window before which elements have passed through its channels.
func shift(tr *trace.Trace) {
	tr.EarlierElements = make(map[uint64]uint64)
	for i := range tr.Events {
		if e := &tr.Events[i]; (e.Kind == trace.SendDone || e.Kind == trace.RecvDone) && e.Val > 0 {
			tr.EarlierElements[e.Obj] = e.Obj + 3
			e.Val += e.Obj + 3
		}
	}
}

// A comparison compares the two along one trace.
type comparison struct {
	*testing.T
	tr    *trace.Trace
	facts *facts.Facts
	judge *feasible.Derivation
	held  map[trace.GID][]int32 // by goroutine: its open sections, by facts
}

func (c *comparison) equal(want, got any, what string) {
	if want != got {
		c.Errorf("%s: the judge has %v, facts have %v", what, want, got)
	}
}

func (c *comparison) channels() {
	c.equal(c.judge.Channels(), c.facts.Objects(trace.ClassChannel).Len(), "channels")
	for n := range c.judge.Channels() {
		capacity, sends, receives, external, closed, made := c.judge.Channel(n)
		ch := c.facts.Channel(int32(n))
		c.equal(capacity, uint64(ch.Capacity), "capacity")
		c.equal(sends, uint64(len(c.facts.Line(int32(n), false))), "sends")
		c.equal(receives, uint64(len(c.facts.Line(int32(n), true))), "receives")
		c.equal(external, ch.External, "external")
		c.equal(closed, ch.ClosedBefore, "closed before")
		c.equal(made, ch.Made != facts.None, "made")
	}
	ends := c.judge.OnceEnds()
	c.equal(len(ends), len(c.facts.Onces()), "runs of Onces")
	for n, o := range c.facts.Onces() {
		c.equal(ends[n], o.End != facts.None, "end of a Once")
	}
}

// event compares what both say of event i, and then what they hold to be so after it.
func (c *comparison) event(i int, e *trace.Event) {
	c.equal(feasible.Writes(e), e.Stores(), "writes")
	c.equal(feasible.Reads(e.Kind), e.Kind.IsRead(), "reads")
	var waiting []trace.GID // those that a signal or broadcast wakes
	for _, k := range c.facts.Woken(i) {
		g := c.tr.Events[c.facts.Tickets()[k].Wait].G
		c.equal(false, c.judge.Signalled(g), "signalled before")
		waiting = append(waiting, g)
	}
	switch class := e.Kind.Class(); class {
	case trace.ClassLock, trace.ClassCond, trace.ClassWaitGroup:
		c.equal(c.judge.Number(i), c.facts.Objects(class).Number(e.Obj), "number")
	case trace.ClassChannel:
		c.channel(i, e)
	case trace.ClassOnce:
		c.equal(c.judge.Number(i), c.facts.OnceOf(i), "run of a Once")
	case trace.ClassToken:
		if e.Kind == trace.Await && e.Obj != 0 {
			c.equal(c.judge.Posts(i), len(c.facts.Posts(i)), "posts")
		}
	}
	c.equal("", c.judge.Step(i), "step")
	for _, g := range waiting {
		c.equal(true, c.judge.Signalled(g), "signalled")
	}
	if e.Kind == trace.WaitGroupAdd {
		r := &c.facts.Rounds()[c.facts.RoundOf(i)]
		c.equal(e.IsDone() && c.judge.Count(r.Group) <= 0, r.Zero == int32(i), "counter zero")
	}
	if e.Kind == trace.CondWake {
		c.equal(true, c.facts.Enabler(i) != facts.None, "wake without a waker")
	}
	c.holds(i, e)
}

// channel compares the operation that event i begins, or completes.
func (c *comparison) channel(i int, e *trace.Event) {
	if !e.Kind.Begins() {
		if k := c.facts.OperationOf(i); k != facts.None && e.Kind != trace.SelectDone {
			o := &c.facts.Operations()[k]
			c.equal(c.tr.ElementNumber(e), uint64(o.Element), "element")
			_, _, rank, _ := c.judge.Operation(int(o.Begin))
			c.equal(rank, uint64(o.Element), "rank of the element")
		}
		return
	}
	o := &c.facts.Operations()[c.facts.OperationOf(i)]
	if channel, receive, rank, ok := c.judge.Operation(i); ok {
		c.equal(channel, o.Channel, "channel")
		c.equal(receive, o.Receive, "receive")
		c.equal(rank, uint64(o.Rank()), "rank")
	} else {
		c.equal(int32(facts.None), o.Channel, "no channel")
	}
	if e.Kind == trace.Select {
		first := int32(facts.None)
		for _, at := range c.facts.Cases(c.facts.SelectOf(c.facts.OperationOf(i))) {
			if first == facts.None && c.tr.Events[at].Kind == trace.SelectSend {
				first = at
			}
		}
		c.equal(c.judge.FirstCase(i), first, "first case")
	}
}

// holds compares what goroutines hold after event i.
func (c *comparison) holds(i int, e *trace.Event) {
	k := c.facts.SectionOf(i)
	if k == facts.None {
		return
	}
	s := &c.facts.Sections()[k]
	g := c.tr.Events[s.Acquire].G
	if e.Kind.Acquires() {
		c.held[g] = append(c.held[g], k)
	} else {
		c.held[g] = slices.DeleteFunc(c.held[g], func(other int32) bool { return other == k })
	}
	for g := range c.tr.Goroutines {
		var held []feasible.Hold
		for _, k := range slices.Backward(c.held[trace.GID(g)]) {
			s := &c.facts.Sections()[k]
			held = append(held, feasible.Hold{Lock: s.Lock(), Shared: s.Shared()})
		}
		if want := c.judge.Holds(trace.GID(g)); !slices.Equal(want, held) {
			c.Errorf("goroutine %d: the judge has it hold %v, facts %v", g, want, held)
		}
	}
}
