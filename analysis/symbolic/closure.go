package symbolic

import (
	"math"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A closure grows backwards from events to the events that they depend on. It is closed in two ways:
// with an event it has all earlier ones of the goroutine, as runs are prefixes of goroutines; and with
// an event it has those that must, or may, enable it. So removing all other events from a run leaves a
// run, which is why the cone suffices.
//
// An example: the target is a read of x in g2, under a lock that g1 uses as well. The closure has
// what g2 does before. Where it is potential, it also has the writes of x in g1 with all that g1
// does before them, and the end of each of g1's critical sections that may have to end first.
//
// Since goroutines enter as prefixes, one end for each describes the whole set. Ends only grow, so
// adding comes to an end.
type closure struct {
	m             *Model
	base          int32
	limit         limits
	end           int32       // events from here on are not added
	ends          []int32     // by goroutine: its events below are in; 0: it has none
	followedTo    []int32     // by goroutine: the dependencies of its events below are in
	goroutines    []trace.GID // those that have events
	pending       []trace.GID
	potential     bool             // also what events depend on in some runs only
	readsAnything func(int32) bool // the target does not depend on what this read finds
	locks         map[*lock]*lockUse
	visited       map[any]bool // objects whose enabling operations are in, and reads whose writers are
	followed      int          // how many events were followed
	maxFollowed   int          // of these; with more the closure is not whole
	steps         int64        // edges and writes that were looked at
}

// A lockUse is the acquires of a lock in a closure.
type lockUse struct {
	acquires    []int32
	withRelease int // how many of them have their releases in
	shared      bool
}

func (f *coneFinder) closure(base int32, limit limits, free func(int32) bool, may bool) *closure {
	return &closure{
		m: f.m, base: base, limit: limit, end: never, readsAnything: free, potential: may,
		ends: make([]int32, len(f.m.t.Goroutines)), followedTo: make([]int32, len(f.m.t.Goroutines)),
		locks: make(map[*lock]*lockUse), visited: make(map[any]bool), maxFollowed: math.MaxInt,
	}
}

// add adds event i and the events before it in its goroutine.
func (c *closure) add(i int32) {
	if i == none || i < c.base {
		return
	}
	g := c.m.gid(i)
	if i < c.end && c.ends[g] <= i && c.limit.allows(g, i) {
		if c.ends[g] == 0 {
			c.goroutines = append(c.goroutines, g)
		}
		c.ends[g] = i + 1
		c.pending = append(c.pending, g)
	}
}

// addDependencies adds what the events depend on, until there is nothing to add.
func (c *closure) addDependencies() {
	for len(c.pending) > 0 && c.followed <= c.maxFollowed {
		g := c.pending[len(c.pending)-1]
		c.pending = c.pending[:len(c.pending)-1]
		from := max(c.followedTo[g], c.base)
		c.followedTo[g] = c.ends[g]
		into := c.m.edgesInto(g, from, c.ends[g])
		c.steps += int64(len(into.keys)) + 1
		for e := range into.all {
			if !e.read || !c.readsAnything(e.to) {
				c.add(e.from)
			}
		}
		if !c.potential {
			continue
		}
		end := c.followedTo[g]
		for i := c.m.firstFrom(g, from); i != none && i < end && c.followed <= c.maxFollowed; i = c.m.next(i) {
			c.followed++
			c.follow(i)
		}
	}
}

// addAll adds all of the events.
func (c *closure) addAll(lists ...[]int32) {
	for _, l := range lists {
		for _, i := range l {
			c.add(i)
		}
	}
}

// firstVisit reports whether this is the first call for key.
func (c *closure) firstVisit(key any) bool {
	visited := c.visited[key]
	c.visited[key] = true
	return !visited
}

// follow adds what event i may depend on, besides what must precede it.
func (c *closure) follow(i int32) {
	m, e := c.m, c.m.event(i)
	switch k := e.Kind; {
	case k.IsRead():
		c.addRead(i)
	case k == trace.Acquire || k == trace.RAcquire:
		c.addAcquire(i, m.lock(i))
	case k == trace.Release || k == trace.RRelease:
		if l := m.lock(i); l.releasedByOthers {
			c.addReleasedByOthers(l)
		}
	case k == trace.CondWake:
		if cond := m.conds[e.Obj]; cond != nil && c.firstVisit(cond) {
			c.addAll(cond.signals, cond.broadcasts)
		}
	case m.needsCounter(i):
		c.addGroup(m.group(i))
	case k.Class() == trace.ClassChannel, k == trace.Panic:
		c.addChannel(i)
	}
}

// addChannel adds what decides how an operation ends that the close of its channel concerns.
//
// An operation with a rank needs the other side alone, and that is an edge. A run may leave the
// close out, so the operation does not need it.
func (c *closure) addChannel(i int32) {
	if op, ch := c.m.operation(i); op != nil && op.Rank() == 0 && c.firstVisit(ch) {
		c.addAll(ch.closes, ch.receives, ch.sends)
	}
}

// addGroup adds what the counter of a WaitGroup depends on.
func (c *closure) addGroup(w *waitGroup) {
	if c.firstVisit(w) {
		c.addAll(w.adds)
	}
}

// addReleasedByOthers adds all operations of a lock that any goroutine may release.
func (c *closure) addReleasedByOthers(l *lock) {
	if c.firstVisit(l) {
		for s := range c.m.sections(l) {
			c.add(s.Acquire)
		}
		c.addAll(l.releases)
	}
}

// addAcquire adds the ends of critical sections after which another one may begin.
func (c *closure) addAcquire(i int32, l *lock) {
	if !l.shared {
		return
	}
	if l.releasedByOthers {
		c.addReleasedByOthers(l)
		return
	}
	u := c.locks[l]
	if u == nil {
		u = new(lockUse)
		c.locks[l] = u
	}
	u.acquires = append(u.acquires, i)
	// Releases are needed only when two goroutines of the closure compete for the lock. Until then
	// acquires are kept for later.
	u.shared = u.shared || c.m.gid(u.acquires[0]) != c.m.gid(i)
	if u.shared {
		for _, acq := range u.acquires[u.withRelease:] {
			if s := c.m.section(acq); s != nil {
				c.add(s.Release)
			}
		}
		// The first acquire stays: it says which goroutine the next ones are compared with.
		u.acquires, u.withRelease = u.acquires[:1], 1
	}
}

// A cellReader is a goroutine that reads a cell, and which writers of that its reads need. What reads
// of one goroutine need is added once.
type cellReader struct {
	g       trace.GID
	cell    int32
	writers writerSet
	value   uint64 // of sameValue
}

// A writerSet is which writers of a cell a read needs.
type writerSet uint8

const (
	allWriters writerSet = iota
	computedWriters
	sameValueWriters
)

// addRead adds the writes that the read at position i may find.
func (c *closure) addRead(i int32) {
	m := c.m
	_, half := m.memory.updateStore[i]
	for k := range m.memory.cellsOf(i) {
		cl := &m.memory.cells[k]
		if !cl.shared || half && !cl.hasOtherReads {
			continue
		}
		reader := cellReader{g: m.gid(i), cell: k}
		if m.tracked(i) || m.strict {
			if c.firstVisit(reader) {
				c.addOthers(reader.g, m.memory.writers(k))
			}
			continue
		}
		if reader.writers = computedWriters; c.firstVisit(reader) {
			c.addOthers(reader.g, m.memory.computedWriters[k])
		}
		v, known := m.memory.valueFound(i, k)
		reader.writers, reader.value = sameValueWriters, v
		// Reads of one value share their writers, except that the source is among them in any case.
		if known && !c.firstVisit(reader) {
			c.addOthers(reader.g, []int32{m.memory.source(i, k)})
			continue
		}
		ws, _ := m.memory.sameValueWriters(i, k)
		c.addOthers(reader.g, ws)
	}
}

// addOthers adds those of the writes, in recorded order, that goroutine g does not do itself.
func (c *closure) addOthers(g trace.GID, ws []int32) {
	ws = between(ws, c.base, c.end)
	c.steps += int64(len(ws))
	for _, w := range ws {
		if w != none && c.m.gid(w) != g {
			c.add(w)
		}
	}
}

// addRequired adds the events that happen in each run to t.
//
// Pending events do not happen, so the closure gets what precedes them and not the events.
func (c *closure) addRequired(t Target) {
	for _, i := range t.Pending {
		c.add(c.m.predecessor(int32(i)))
	}
	for _, i := range t.Executed {
		c.add(int32(i))
	}
	for _, p := range t.Order {
		for _, i := range p {
			if !t.standsAt(i) {
				c.add(int32(i))
			}
		}
	}
}

// addForTarget adds what decides whether event i is a violation: the Adds of a WaitGroup, the other
// waiters of a condition, the operations of a lock that may be free, the closes of a channel.
func (c *closure) addForTarget(i int32, fails bool) {
	switch e := c.m.event(i); e.Kind {
	case trace.CondWake:
		if cond := c.m.conds[e.Obj]; cond != nil && c.firstVisit(cond) {
			c.addAll(cond.waits, cond.signals, cond.broadcasts)
		}
	case trace.Release, trace.RRelease:
		if l := c.m.lock(i); l.releasedByOthers {
			c.addReleasedByOthers(l)
		}
	case trace.Close, trace.Send, trace.SelectSend:
		if ch := c.m.channel(e.Obj); ch != nil && fails {
			c.addAll(ch.closes)
		}
	}
	if w := c.m.group(i); w != nil && (c.m.groupWait(i) == nil || c.m.groupWait(i).Begin == i) {
		c.addGroup(w)
	}
	c.addDependencies()
}

// addForBlocked adds what decides whether the operation that event i begins on a channel has to
// wait.
func (c *closure) addForBlocked(i int32) {
	for _, s := range c.m.waitingSides(i) {
		if c.firstVisit(s) {
			c.addAll(s.sends, s.channel.receives, s.closes)
		}
	}
	c.addDependencies()
}

// hasRequired reports whether all events that t requires are in.
func (c *closure) hasRequired(t Target) bool {
	in := func(i int32) bool { return i == none || i < c.ends[c.m.gid(i)] || i < c.base }
	for _, i := range t.Pending {
		// An event that must happen for another required one cannot be next at the violation. And
		// what precedes it has to be in.
		if int32(i) < c.base || int32(i) < c.ends[c.m.gid(int32(i))] || !in(c.m.predecessor(int32(i))) {
			return false
		}
	}
	for _, i := range t.Executed {
		if !in(int32(i)) {
			return false
		}
	}
	for _, p := range t.Order {
		for k, i := range p {
			if !t.standsAt(i) && !in(int32(i)) || k == 0 && t.standsAt(i) {
				return false
			}
		}
	}
	// What these depend on may be impossible.
	for _, g := range c.goroutines {
		for e := range c.m.edgesInto(g, c.base, c.ends[g]).all {
			if !in(e.from) && !(e.read && c.readsAnything(e.to)) {
				return false
			}
		}
	}
	return true
}
