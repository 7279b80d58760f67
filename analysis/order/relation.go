package order

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A relation is a happens-before relation in the compact form of PECAN §5.1:
// only events that communicate change a clock, and the events between two of
// them form a segment that shares one.
type relation struct {
	clocks
	entries
	t    *trace.Trace
	seg  *trace.RunLength // by event: its segment
	segs []segment        // each belongs to one goroutine
}

type segment struct {
	clock clock // or [started]
	start int32 // its first event, or -1 where that has no clock of its own
	prev  int32 // the goroutine's segment before, or -1
}

// started stands for the clock of a goroutine that knows of nothing but the go statement at position i and
// what is before that: of long traces many goroutines learn no more, and need no nodes of their own.
func started(i int) clock { return ^clock(i) }

// starter returns the position of the go statement of a clock that [started] stands for, whose goroutine,
// and the clock there.
func (r *relation) starter(c clock) (i int32, g uint32, at clock) {
	i = int32(^c)
	return i, uint32(r.t.Events[i].G), r.segs[r.seg.At(int(i))].clock
}

// get returns the entry of goroutine g in c.
func (r *relation) get(c clock, g uint32) int32 {
	if c < 0 {
		i, its, at := r.starter(c)
		if g == its {
			return i + 1
		}
		c = at
	}
	return r.clocks.get(c, r.of[g])
}

// set returns c with the entry of goroutine g raised to at least v.
func (r *relation) set(c clock, g uint32, v int32) clock { return r.clocks.set(c, r.of[g], v) }

// above calls yield for each goroutine whose entry is higher in c than in d, until it returns false.
func (r *relation) above(c, d clock, yield func(g uint32, v int32) bool) {
	if c == d {
		return
	}
	if d < 0 {
		above := yield
		var i int32
		var its uint32
		i, its, d = r.starter(d)
		yield = func(g uint32, v int32) bool { return g == its && v <= i+1 || above(g, v) }
	}
	if c >= 0 {
		r.beyond(c, d, func(at uint32, v int32) bool { return yield(r.goroutines[at], v) })
		return
	}
	i, its, at := r.starter(c)
	if r.get(d, its) <= i && !yield(its, i+1) {
		return
	}
	r.beyond(at, d, func(at uint32, v int32) bool { return r.goroutines[at] == its || yield(r.goroutines[at], v) })
}

// before reports whether event i of goroutine gi is before event j of another.
func (r *relation) before(i int, gi trace.GID, j int) bool {
	return r.get(r.segs[r.seg.At(j)].clock, uint32(gi)) > int32(i)
}

// reached is the clock of what is before its goroutine can reach event j.
func (r *relation) reached(j int) clock {
	s := &r.segs[r.seg.At(j)]
	switch {
	case int(s.start) != j:
		return s.clock
	case s.prev < 0:
		return 0
	}
	return r.segs[s.prev].clock
}

// at returns the clock of what is before the successors of event i.
func (r *relation) at(i int) clock { return r.after(0, i) }

// after returns c with what is before the successors of event i.
func (r *relation) after(c clock, i int) clock {
	g := uint32(r.t.Events[i].G)
	if r.get(c, g) > int32(i) {
		return c // and with all that is before it
	}
	if its := r.segs[r.seg.At(i)].clock; its < 0 {
		c = r.after(c, int(^its))
	} else {
		c = r.join(c, its)
	}
	return r.set(c, g, int32(i)+1)
}

// A waitGroup is what is known of a WaitGroup so far.
type waitGroup struct {
	dones clock // what is before the successors of the Dones of the round that last ended
	ended map[trace.GID]rounds
}

// rounds of a WaitGroup are those that one goroutine began alone and that have ended: the
// last of their Adds, and what is before the successors of all their Dones.
type rounds struct {
	added int32
	dones clock
}

// A store is the last atomic store to an address, with the read-modify-writes
// since then whose results nobody uses. These come after the store in any
// order, and before what sees their effect.
type store struct {
	pos   int      // of the store, or -1
	since gathered // the others
	g     trace.GID
	mixed bool // others than g take part
}

// A gathered is what is before the successors of several events. Those of a counter are many, and what is left
// of them in a clock takes memory: they are joined when somebody asks, or there are most.
type gathered struct {
	clock  clock
	events []int32 // not joined yet
}

const mostGathered = 1 << 6

// gather adds event i.
func (b *relater) gather(c *gathered, i int) {
	if c.events = append(c.events, int32(i)); len(c.events) == mostGathered {
		b.all(c)
	}
}

// all returns the clock.
func (b *relater) all(c *gathered) clock {
	if len(c.events) > 0 {
		b.rel.grow()
		for _, i := range c.events {
			c.clock = b.rel.after(c.clock, int(i))
		}
		b.rel.grow()
		c.events = c.events[:0]
	}
	return c.clock
}

// A relater builds a relation in one pass over the trace. The table of facts says which
// single event another one synchronizes with. Where several are, their clocks are kept here.
type relater struct {
	t     *trace.Trace
	sites *trace.SiteIndex
	facts *facts.Facts
	rel   *relation

	now   []clock // by goroutine, or [started]
	cur   []int32 // by goroutine: its segment, -1 before the first event
	split []bool  // by goroutine: the next event starts a segment
	last  []int32 // by goroutine: its last event, -1 before the first

	groups []waitGroup // by number
	stored map[uint64]*store
	posted map[uint64]*gathered
}

// relate computes the must-order of the Go memory model.
func relate(t *trace.Trace, sites *trace.SiteIndex, f *facts.Facts) *relation {
	n := len(t.Goroutines)
	b := &relater{
		t: t, sites: sites, facts: f,
		rel:    &relation{clocks: newClocks(n), entries: newEntries(t), t: t, seg: trace.NewRunLength(len(t.Events)), segs: make([]segment, 0, n+communications(t))},
		now:    make([]clock, n),
		cur:    make([]int32, n),
		split:  make([]bool, n),
		last:   make([]int32, n),
		groups: make([]waitGroup, f.Objects(trace.ClassWaitGroup).Len()),
		stored: make(map[uint64]*store),
		posted: make(map[uint64]*gathered),
	}
	for g := range b.cur {
		b.cur[g], b.split[g], b.last[g] = -1, true, -1
	}
	walls := walls(t)
	for i := range t.Events {
		if walls != nil {
			for _, test := range walls[i] {
				b.wall(test)
			}
		}
		b.event(i, &t.Events[i])
	}
	return b.done()
}

// done returns the relation, without what was needed to make it and the room that was not.
func (b *relater) done() *relation {
	b.rel.joins = nil
	if its := b.rel.segs; cap(its) > len(its)+len(its)/8 {
		b.rel.segs = slices.Clone(its)
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
func (b *relater) event(i int, e *trace.Event) {
	if e.Kind != trace.End {
		b.settle(e.G)
	}
	old := b.now[e.G]
	b.rel.grow()
	b.acquire(i, e)
	if b.split[e.G] || b.now[e.G] != old {
		b.rel.segs = append(b.rel.segs, segment{b.now[e.G], int32(i), b.cur[e.G]})
		b.cur[e.G] = int32(len(b.rel.segs) - 1)
	}
	b.rel.seg.Add(b.cur[e.G])
	b.rel.grow()
	b.split[e.G], b.last[e.G] = b.release(i, e), int32(i)
}

// from makes the event i, if it is in the trace, a predecessor of what
// goroutine g does from now on.
func (b *relater) from(g trace.GID, i int, ok bool) {
	switch c := b.now[g]; {
	case !ok || i < 0 || b.t.Events[i].G == g:
	case c == 0 && b.cur[g] < 0 && b.t.Events[i].Kind == trace.Fork:
		b.now[g] = started(i)
	case c < 0:
		b.now[g] = b.rel.after(b.rel.at(int(^c)), i)
	default:
		b.now[g] = b.rel.after(c, i)
	}
}

// settle makes a clock of its own for goroutine g, which does more than to begin and to end.
func (b *relater) settle(g trace.GID) {
	if c := b.now[g]; c < 0 {
		b.rel.grow()
		b.now[g] = b.rel.at(int(^c))
		b.rel.segs[b.cur[g]].clock = b.now[g]
		b.rel.grow()
	}
}

// acquire lets event i learn from those that synchronize with it.
func (b *relater) acquire(i int, e *trace.Event) {
	if p := int(b.facts.Enabler(i)); p < i {
		b.from(e.G, p, p != facts.None)
	}
	switch e.Kind {
	case trace.WaitGroupWaited:
		w := &b.groups[b.facts.Objects(trace.ClassWaitGroup).Number(e.Obj)]
		b.now[e.G] = b.rel.join(b.now[e.G], w.dones)
		b.joinEnded(e.G, w)
	case trace.AtomicLoad, trace.AtomicRMW:
		s := b.stored[e.Obj]
		switch {
		case s == nil || s.g == e.G && !s.mixed: // what it stored itself says nothing new to it
		case b.blind(e):
			b.from(e.G, s.pos, true)
		default:
			since := b.all(&s.since)
			b.from(e.G, s.pos, true)
			b.now[e.G] = b.rel.join(b.now[e.G], since)
		}
	case trace.Await:
		if e.Obj == 0 {
			for g, i := range b.last {
				b.from(e.G, int(i), true)
				b.split[g] = true
			}
			return
		}
		if its := b.posted[e.Obj]; its != nil {
			all := b.all(its)
			b.now[e.G] = b.rel.join(b.now[e.G], all)
		}
	}
}

// release notes what event i synchronizes with later ones. It reports whether
// it may, so that the event is the last one of its segment.
func (b *relater) release(i int, e *trace.Event) bool {
	switch e.Kind {
	case trace.Fork, trace.Send, trace.Recv, trace.Select, trace.OnceEnd, trace.CondBroadcast:
	case trace.Close:
		n := b.facts.Objects(trace.ClassChannel).Number(e.Obj)
		return n != facts.None && b.facts.Channel(n).Closed == int32(i) // else it panics
	case trace.CondSignal:
		return e.Val != 0 // else nobody waited
	case trace.WaitGroupAdd:
		b.ended(i, e)
		return e.IsDone()
	case trace.AtomicStore, trace.AtomicRMW:
		if e.Flags&trace.FlagFailed != 0 {
			return false
		}
		b.store(i, e)
	case trace.Post:
		its := b.posted[e.Obj]
		if its == nil {
			its = new(gathered)
			b.posted[e.Obj] = its
		}
		b.gather(its, i)
	default:
		return false
	}
	return true
}

// blind reports whether e is a read-modify-write that does not let its
// goroutine know what it found. Two such may swap, although for the memory
// model, and so for -race, one of them happens before the other.
func (b *relater) blind(e *trace.Event) bool {
	return e.Kind == trace.AtomicRMW && e.Stores() && b.sites.Of(e.Site).Update
}

// store notes what later atomic operations on the address synchronize with.
func (b *relater) store(i int, e *trace.Event) {
	s := b.stored[e.Obj]
	if s == nil {
		s = &store{pos: -1, g: e.G}
		b.stored[e.Obj] = s
	}
	if !b.blind(e) {
		*s = store{pos: i, since: gathered{events: s.since.events[:0]}, g: e.G}
		return
	}
	b.gather(&s.since, i)
	s.mixed = s.mixed || s.g != e.G
}

// ended notes what a round of a WaitGroup orders, if event i ends it. Each Done of a round is
// before the Wait that returns after it; an Add is before nothing by itself.
func (b *relater) ended(i int, e *trace.Event) {
	n := b.facts.RoundOf(i)
	r := &b.facts.Rounds()[n]
	if r.Zero != int32(i) {
		return
	}
	w := &b.groups[r.Group]
	w.dones = 0
	for done := range b.facts.Dones(n) {
		w.dones = b.rel.after(w.dones, int(done))
	}
	if r.Adder == facts.None {
		return
	}
	if w.ended == nil {
		w.ended = make(map[trace.GID]rounds)
	}
	b.rel.grow()
	adder := trace.GID(r.Adder)
	w.ended[adder] = rounds{r.Added, b.rel.join(w.ended[adder].dones, w.dones)}
}

// joinEnded orders a Wait of goroutine g after rounds before the last one, of which all
// adds must come before it: none of their Dones can be missing then. Where each goroutine
// has ended before the next one was added, all rounds but the last are such.
func (b *relater) joinEnded(g trace.GID, w *waitGroup) {
	now := b.now[g]
	for adder, r := range w.ended {
		if adder == g || b.rel.get(now, uint32(adder)) > r.added {
			b.now[g] = b.rel.join(b.now[g], r.dones)
		}
	}
}
