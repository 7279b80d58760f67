package order

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// This file computes the must-order by vector clocks (Mattern, Virtual Time and Global States of
// Distributed Systems, 1989), in one pass over the events. An event that waits for others
// joins their clocks into that of its goroutine. Positions in the trace serve as times: the
// entry of a goroutine is one more than the position of its last event that comes before.
//
// Most events neither wait nor let others go on. They share the clock of their segment, so
// that memory grows with the communication and not with the accesses.

// A relation is a happens-before relation in the compact form of PECAN §5.1:
// only events that communicate change a clock, and the events between two of
// them form a segment that shares one.
type relation struct {
	clocks
	entries
	t         *trace.Trace
	segmentOf *trace.RunLength // by event: its segment
	segments  []segment        // each belongs to one goroutine
}

// A segment is events of a goroutine in a row; start is a position in the trace.
type segment struct {
	clock clock // or [startClock]
	start int32 // its first event, or -1 where that has no clock of its own
	prev  int32 // the goroutine's segment before, or -1
}

// startClock stands for the clock of a goroutine before which only the go statement at
// position i is, and what is before that. In long traces many goroutines never synchronize
// with others, and need no nodes of their own.
func startClock(i int) clock { return ^clock(i) }

// startOf returns the go statement that a [startClock] stands for, its goroutine, and the clock
// there.
func (r *relation) startOf(c clock) (i int32, g uint32, at clock) {
	i = int32(^c)
	return i, uint32(r.t.Events[i].G), r.segments[r.segmentOf.At(int(i))].clock
}

// get returns the entry of goroutine g in c.
func (r *relation) get(c clock, g uint32) int32 {
	if c < 0 {
		i, its, at := r.startOf(c)
		if g == its {
			return i + 1
		}
		c = at
	}
	return r.clocks.get(c, r.entryOf[g])
}

// set returns c with the entry of goroutine g raised to at least v.
func (r *relation) set(c clock, g uint32, v int32) clock { return r.clocks.set(c, r.entryOf[g], v) }

// higherEntries calls yield for each goroutine whose entry is higher in c than in d, until it
// returns false.
func (r *relation) higherEntries(c, d clock, yield func(g uint32, v int32) bool) {
	if c == d {
		return
	}
	if d < 0 {
		above := yield
		var i int32
		var its uint32
		i, its, d = r.startOf(d)
		yield = func(g uint32, v int32) bool { return g == its && v <= i+1 || above(g, v) }
	}
	if c >= 0 {
		r.higherIn(c, d, func(at uint32, v int32) bool { return yield(r.goroutineOf[at], v) })
		return
	}
	i, its, at := r.startOf(c)
	if r.get(d, its) <= i && !yield(its, i+1) {
		return
	}
	r.higherIn(at, d, func(at uint32, v int32) bool { return r.goroutineOf[at] == its || yield(r.goroutineOf[at], v) })
}

// before reports whether event i of goroutine gi is before event j of another.
func (r *relation) before(i int, gi trace.GID, j int) bool {
	return r.get(r.segments[r.segmentOf.At(j)].clock, uint32(gi)) > int32(i)
}

// clockReached is the clock of what is before its goroutine can reach event j. What event j itself
// waits for is in the clock of the segment that it starts. What its goroutine knew before that is in
// the clock of the previous segment.
func (r *relation) clockReached(j int) clock {
	s := &r.segments[r.segmentOf.At(j)]
	switch {
	case int(s.start) != j:
		return s.clock
	case s.prev < 0:
		return 0
	}
	return r.segments[s.prev].clock
}

// successorClock returns the clock of what is before the successors of event i.
func (r *relation) successorClock(i int) clock { return r.joinSuccessor(0, i) }

// joinSuccessor returns c with what is before the successors of event i. These are event i itself and
// all that must happen before it.
func (r *relation) joinSuccessor(c clock, i int) clock {
	g := uint32(r.t.Events[i].G)
	if r.get(c, g) > int32(i) {
		return c // and with all that is before it
	}
	if its := r.segments[r.segmentOf.At(i)].clock; its < 0 {
		c = r.joinSuccessor(c, int(^its))
	} else {
		c = r.join(c, its)
	}
	return r.set(c, g, int32(i)+1)
}

// A waitGroup is what is known of a WaitGroup so far.
type waitGroup struct {
	dones clock // what is before the successors of the Dones of the round that last ended
	ended map[trace.GID]endedRounds
}

// endedRounds of a WaitGroup are those that one goroutine began alone and that have ended: the
// last of their Adds, and what is before the successors of all their Dones.
type endedRounds struct {
	added int32
	dones clock
}

// An atomicStore is the last atomic store to an address, with the read-modify-writes
// since then whose results nobody uses. These come after the store in any
// order, and before what sees their effect.
type atomicStore struct {
	pos   int           // of the store, or -1
	since gatheredClock // the others
	g     trace.GID
	mixed bool // others than g take part
}

// A gatheredClock is the clock of what is before the successors of several events. A counter may
// have very many, and intermediate clocks take memory. So they are joined when an event needs
// the clock, or when maxGathered have come together.
type gatheredClock struct {
	clock  clock
	events []int32 // not joined yet
}

// gather adds event i.
func (b *relationBuilder) gather(c *gatheredClock, i int) {
	if c.events = append(c.events, int32(i)); len(c.events) == maxGathered {
		b.joinGathered(c)
	}
}

// joinGathered joins the events that wait for it, and returns the clock.
func (b *relationBuilder) joinGathered(c *gatheredClock) clock {
	if len(c.events) > 0 {
		b.rel.startGrowing()
		for _, i := range c.events {
			c.clock = b.rel.joinSuccessor(c.clock, int(i))
		}
		b.rel.startGrowing()
		c.events = c.events[:0]
	}
	return c.clock
}

// A relationBuilder builds a relation in one pass over the trace. The table of facts says which
// single event another one synchronizes with. Where several are, their clocks are kept here.
type relationBuilder struct {
	t     *trace.Trace
	sites *trace.SiteIndex
	facts *facts.Facts
	rel   *relation

	clockNow   []clock // by goroutine, or [startClock]
	segmentNow []int32 // by goroutine: its segment, -1 before the first event
	splitNext  []bool  // by goroutine: the next event starts a segment
	lastEvent  []int32 // by goroutine: its last event, -1 before the first

	groups       []waitGroup // by number
	atomicStores map[uint64]*atomicStore
	posts        map[uint64]*gatheredClock
}

// relate computes the must-order of the Go memory model.
func relate(t *trace.Trace, sites *trace.SiteIndex, f *facts.Facts) *relation {
	n := len(t.Goroutines)
	b := &relationBuilder{
		t: t, sites: sites, facts: f,
		rel:          &relation{clocks: newClocks(n), entries: newEntries(t), t: t, segmentOf: trace.NewRunLength(len(t.Events)), segments: make([]segment, 0, n+communications(t))},
		clockNow:     make([]clock, n),
		segmentNow:   make([]int32, n),
		splitNext:    make([]bool, n),
		lastEvent:    make([]int32, n),
		groups:       make([]waitGroup, f.Objects(trace.ClassWaitGroup).Len()),
		atomicStores: make(map[uint64]*atomicStore),
		posts:        make(map[uint64]*gatheredClock),
	}
	for g := range b.segmentNow {
		b.segmentNow[g], b.splitNext[g], b.lastEvent[g] = -1, true, -1
	}
	walls := cutPositions(t)
	for i := range t.Events {
		if walls != nil {
			for _, test := range walls[i] {
				b.orderAtCut(test)
			}
		}
		b.event(i, &t.Events[i])
	}
	return b.done()
}

// done returns the relation, without what was only needed to make it.
func (b *relationBuilder) done() *relation {
	b.rel.joins = nil
	if its := b.rel.segments; cap(its) > len(its)+len(its)/8 {
		b.rel.segments = slices.Clone(its)
	}
	return b.rel
}

// communications is the number of events that can change a clock or end a
// segment, but for atomic loads, which seldom do.
func communications(t *trace.Trace) (n int) {
	for i := range t.Events {
		switch k := t.Events[i].Kind; k.Class() {
		case trace.ClassAccess:
			if k == trace.AtomicStore || k == trace.AtomicRMW {
				n++
			}
		case trace.ClassGoroutine, trace.ClassCond, trace.ClassChannel, trace.ClassWaitGroup, trace.ClassOnce, trace.ClassToken:
			n++
		}
	}
	return n
}

// event joins what synchronizes with event i, gives it a segment, and notes
// what it synchronizes with.
func (b *relationBuilder) event(i int, e *trace.Event) {
	if e.Kind != trace.End {
		b.makeOwnClock(e.G)
	}
	old := b.clockNow[e.G]
	b.rel.startGrowing()
	b.acquire(i, e)
	if b.splitNext[e.G] || b.clockNow[e.G] != old {
		b.rel.segments = append(b.rel.segments, segment{b.clockNow[e.G], int32(i), b.segmentNow[e.G]})
		b.segmentNow[e.G] = int32(len(b.rel.segments) - 1)
	}
	b.rel.segmentOf.Add(b.segmentNow[e.G])
	b.rel.startGrowing()
	b.splitNext[e.G], b.lastEvent[e.G] = b.release(i, e), int32(i)
}

// addPredecessor makes the event i, if it is in the trace, a predecessor of what
// goroutine g does from now on.
func (b *relationBuilder) addPredecessor(g trace.GID, i int, ok bool) {
	switch c := b.clockNow[g]; {
	case !ok || i < 0 || b.t.Events[i].G == g:
	case c == 0 && b.segmentNow[g] < 0 && b.t.Events[i].Kind == trace.Fork:
		b.clockNow[g] = startClock(i)
	case c < 0:
		b.clockNow[g] = b.rel.joinSuccessor(b.rel.successorClock(int(^c)), i)
	default:
		b.clockNow[g] = b.rel.joinSuccessor(c, i)
	}
}

// makeOwnClock makes a clock of its own for goroutine g, which does more than begin and end.
func (b *relationBuilder) makeOwnClock(g trace.GID) {
	if c := b.clockNow[g]; c < 0 {
		b.rel.startGrowing()
		b.clockNow[g] = b.rel.successorClock(int(^c))
		b.rel.segments[b.segmentNow[g]].clock = b.clockNow[g]
		b.rel.startGrowing()
	}
}

// acquire lets event i learn from those that synchronize with it.
func (b *relationBuilder) acquire(i int, e *trace.Event) {
	if p := int(b.facts.Enabler(i)); p < i {
		b.addPredecessor(e.G, p, p != facts.None)
	}
	switch e.Kind {
	case trace.WaitGroupWaited:
		w := &b.groups[b.facts.Objects(trace.ClassWaitGroup).Number(e.Obj)]
		b.clockNow[e.G] = b.rel.join(b.clockNow[e.G], w.dones)
		b.joinEnded(e.G, w)
	case trace.AtomicLoad, trace.AtomicRMW:
		s := b.atomicStores[e.Obj]
		switch {
		case s == nil || s.g == e.G && !s.mixed: // what it stored itself says nothing new to it
		case b.blind(e):
			b.addPredecessor(e.G, s.pos, true)
		default:
			since := b.joinGathered(&s.since)
			b.addPredecessor(e.G, s.pos, true)
			b.clockNow[e.G] = b.rel.join(b.clockNow[e.G], since)
		}
	case trace.Await:
		if e.Obj == 0 {
			for g, i := range b.lastEvent {
				b.addPredecessor(e.G, int(i), true)
				b.splitNext[g] = true
			}
			return
		}
		if its := b.posts[e.Obj]; its != nil {
			all := b.joinGathered(its)
			b.clockNow[e.G] = b.rel.join(b.clockNow[e.G], all)
		}
	}
}

// release notes what event i synchronizes with later ones. It reports whether
// it may, so that the event is the last one of its segment.
func (b *relationBuilder) release(i int, e *trace.Event) bool {
	switch e.Kind {
	case trace.Fork, trace.Send, trace.Recv, trace.Select, trace.OnceEnd, trace.CondBroadcast:
	case trace.Close:
		n := b.facts.Objects(trace.ClassChannel).Number(e.Obj)
		return n != facts.None && b.facts.Channel(n).Closed == int32(i) // else it panics
	case trace.CondSignal:
		return e.Val != 0 // else nobody waited
	case trace.AtomicStore, trace.AtomicRMW:
		if e.Flags&trace.FlagFailed != 0 {
			return false
		}
		b.store(i, e)
	case trace.Post:
		its := b.posts[e.Obj]
		if its == nil {
			its = new(gatheredClock)
			b.posts[e.Obj] = its
		}
		b.gather(its, i)
	default:
		if e.Kind.ChangesCounter() {
			b.endRound(i, e)
		}
		return e.IsDone()
	}
	return true
}

// blind reports whether e is a read-modify-write that does not let its
// goroutine know what it found. Two such may swap, although for the memory
// model, and so for -race, one of them happens before the other.
//
// Example: two goroutines call n.Add(1) and drop the result. Nothing tells them which was first.
func (b *relationBuilder) blind(e *trace.Event) bool {
	return e.Kind == trace.AtomicRMW && e.Stores() && b.sites.Of(e.Site).IsUpdate
}

// store notes what later atomic operations on the address synchronize with.
func (b *relationBuilder) store(i int, e *trace.Event) {
	s := b.atomicStores[e.Obj]
	if s == nil {
		s = &atomicStore{pos: -1, g: e.G}
		b.atomicStores[e.Obj] = s
	}
	if !b.blind(e) {
		*s = atomicStore{pos: i, since: gatheredClock{events: s.since.events[:0]}, g: e.G}
		return
	}
	b.gather(&s.since, i)
	s.mixed = s.mixed || s.g != e.G
}

// endRound notes what a round of a WaitGroup orders, if event i ends it. Each Done of a round is
// before the Wait that returns after it; an Add is before nothing by itself.
func (b *relationBuilder) endRound(i int, e *trace.Event) {
	n := b.facts.RoundOf(i)
	r := &b.facts.Rounds()[n]
	if r.Zero != int32(i) {
		return
	}
	w := &b.groups[r.Group]
	w.dones = 0
	for done := range b.facts.Dones(n) {
		w.dones = b.rel.joinSuccessor(w.dones, int(done))
	}
	if r.SoleAdder == facts.None {
		return
	}
	if w.ended == nil {
		w.ended = make(map[trace.GID]endedRounds)
	}
	b.rel.startGrowing()
	adder := trace.GID(r.SoleAdder)
	w.ended[adder] = endedRounds{r.Added, b.rel.join(w.ended[adder].dones, w.dones)}
}

// joinEnded orders a Wait of goroutine g after rounds before the last one if all of their Adds
// must come before it: then none of their Dones can be missing. A program that adds one
// goroutine after the other has ended has one round for each, and all of them count.
func (b *relationBuilder) joinEnded(g trace.GID, w *waitGroup) {
	now := b.clockNow[g]
	for adder, r := range w.ended {
		if adder == g || b.rel.get(now, uint32(adder)) > r.added {
			b.clockNow[g] = b.rel.join(b.clockNow[g], r.dones)
		}
	}
}
