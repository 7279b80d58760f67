package symbolic

import (
	"math"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A closure grows backwards from events to what they need.
type closure struct {
	m     *Model
	base  int32
	limit limits
	end   int32       // no event from there on is looked at
	upto  []int32     // by goroutine; 0: it has none
	done  []int32     // by goroutine: events below have been followed
	met   []trace.GID // of which there are any
	work  []trace.GID
	may   bool             // also what events may need
	free  func(int32) bool // what it reads does not matter to the target
	locks map[*lock]*lockUse
	await map[any]bool // objects of which all enabling operations are in
	// By cell who may find there anything, and what follows from other reads: what they
	// need is looked at once. It is everybody if several do.
	readers, followers map[int32]trace.GID
	finders            map[finder]bool
	followed           int   // events
	most               int   // of these; with more, it is not whole
	steps              int64 // that it took: edges and writes looked at
}

// lockUse is the acquires of a lock in a cone.
type lockUse struct {
	acqs  []int32
	ended int // of how many of them the ends are in
	many  bool
}

func (f *coneFinder) closure(base int32, limit limits, free func(int32) bool, may bool) *closure {
	return &closure{
		m: f.m, base: base, limit: limit, end: never, free: free, may: may,
		upto: f.zeros(), done: f.zeros(),
		locks: make(map[*lock]*lockUse), await: make(map[any]bool), most: math.MaxInt,
		readers: make(map[int32]trace.GID), followers: make(map[int32]trace.GID), finders: make(map[finder]bool),
	}
}

// add adds event i and what its goroutine did before.
func (c *closure) add(i int32) {
	if i == none || i < c.base {
		return
	}
	g := c.m.gid(i)
	if i < c.end && c.upto[g] <= i && c.limit.allow(g, i) {
		if c.upto[g] == 0 {
			c.met = append(c.met, g)
		}
		c.upto[g] = i + 1
		c.work = append(c.work, g)
	}
}

// close adds what the events need.
func (c *closure) close() {
	for len(c.work) > 0 && c.followed <= c.most {
		g := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		from := max(c.done[g], c.base)
		c.done[g] = c.upto[g]
		into := c.m.edgesInto(g, from, c.upto[g])
		c.steps += int64(len(into.keys)) + 1
		for e := range into.all {
			if !e.read || !c.free(e.to) {
				c.add(e.from)
			}
		}
		if !c.may {
			continue
		}
		end := c.done[g]
		for i := c.m.from1(g, from); i != none && i < end && c.followed <= c.most; i = c.m.next(i) {
			c.followed++
			c.follow(i)
		}
	}
}

// all adds the events, of an object.
func (c *closure) all(lists ...[]int32) {
	for _, l := range lists {
		for _, i := range l {
			c.add(i)
		}
	}
}

// once reports whether it is called for key for the first time.
func (c *closure) once(key any) bool { return first(c.await, key) }

// follow adds what event i may need beyond what must come before it.
func (c *closure) follow(i int32) {
	m, e := c.m, c.m.event(i)
	switch k := e.Kind; {
	case reads(k):
		c.read(i)
	case k == trace.Acquire || k == trace.RAcquire:
		c.acquire(i, m.lock(i))
	case k == trace.Release || k == trace.RRelease:
		if l := m.lock(i); l.loose {
			c.loose(l)
		}
	case k == trace.CondWake:
		if cond := m.conds[e.Obj]; cond != nil && c.once(cond) {
			c.all(cond.signals, cond.broadcasts)
		}
	case m.needsCounter(i):
		c.group(m.group(i))
	case k.Class() == trace.ClassChannel, k == trace.Panic:
		c.channel(i)
	}
}

// channel adds what decides what becomes of an operation that the close of its
// channel concerns.
func (c *closure) channel(i int32) {
	if op, ch := c.m.operation(i); op != nil && op.Rank() == 0 && c.once(ch) {
		c.all(ch.closes, ch.receives, ch.sends)
	}
}

// group adds what the counter of a WaitGroup follows from.
func (c *closure) group(w *waitGroup) {
	if c.once(w) {
		c.all(w.adds)
	}
}

// loose adds all operations of a lock of which anybody may release.
func (c *closure) loose(l *lock) {
	if c.once(l) {
		for s := range c.m.sections(l) {
			c.add(s.Acquire)
		}
		c.all(l.releases)
	}
}

// acquire adds the ends of critical sections that another one follows.
func (c *closure) acquire(i int32, l *lock) {
	if !l.shared {
		return
	}
	if l.loose {
		c.loose(l)
		return
	}
	u := c.locks[l]
	if u == nil {
		u = new(lockUse)
		c.locks[l] = u
	}
	u.acqs = append(u.acqs, i)
	u.many = u.many || c.m.gid(u.acqs[0]) != c.m.gid(i)
	if u.many {
		for _, acq := range u.acqs[u.ended:] {
			if s := c.m.section(acq); s != nil {
				c.add(s.Release)
			}
		}
		u.acqs, u.ended = u.acqs[:1], 1
	}
}

// A finder is a goroutine that finds a value in a cell.
type finder struct {
	cell  int32
	g     trace.GID
	value uint64
}

// read adds the writes that the read at position i may read from.
func (c *closure) read(i int32) {
	m := c.m
	_, half := m.mem.stores[i]
	for k := range m.mem.of(i) {
		cl := &m.mem.cells[k]
		if !cl.shared || half && !cl.looked {
			continue
		}
		g := m.gid(i)
		if m.tracked(i) || m.held {
			c.find(c.readers, k, g, m.mem.writers(k))
			continue
		}
		c.find(c.followers, k, g, m.mem.follow[k])
		v, known := m.mem.found(i, k)
		if known && !first(c.finders, finder{k, g, v}) {
			c.others(g, []int32{m.mem.source(i, k)})
			continue
		}
		ws, _ := m.mem.same(i, k)
		c.others(g, ws)
	}
}

// everybody stands for several goroutines.
const everybody trace.GID = math.MaxUint32

// find adds those of the writes to cell k that goroutine g does not do, where by says who
// has found these before.
func (c *closure) find(by map[int32]trace.GID, k int32, g trace.GID, ws []int32) {
	switch before, ok := by[k]; {
	case !ok:
		by[k] = g
	case before == g || before == everybody:
		return
	default:
		by[k] = everybody
	}
	c.others(g, ws)
}

// others adds those of the writes, which are in recorded order, that goroutine g does not do.
func (c *closure) others(g trace.GID, ws []int32) {
	ws = between(ws, c.base, c.end)
	c.steps += int64(len(ws))
	for _, w := range ws {
		if w != none && c.m.gid(w) != g {
			c.add(w)
		}
	}
}

// needs adds what t says must happen, but for what stands.
func (c *closure) needs(t Target) {
	for _, i := range t.Stands {
		c.add(c.m.reached(int32(i)))
	}
	for _, i := range t.Over {
		c.add(int32(i))
	}
	for _, p := range t.Order {
		for _, i := range p {
			if !t.stands(i) {
				c.add(int32(i))
			}
		}
	}
}

// stand adds what may be needed for event i to be a violation: the counter of a
// WaitGroup at zero, others who wait for a condition, a lock that is free, a channel that is closed.
func (c *closure) stand(i int32, fails bool) {
	switch e := c.m.event(i); e.Kind {
	case trace.CondWake:
		if cond := c.m.conds[e.Obj]; cond != nil && c.once(cond) {
			c.all(cond.waits, cond.signals, cond.broadcasts)
		}
	case trace.Release, trace.RRelease:
		if l := c.m.lock(i); l.loose {
			c.loose(l)
		}
	case trace.Close, trace.Send, trace.SelectSend:
		if ch := c.m.channel(e.Obj); ch != nil && fails {
			c.all(ch.closes)
		}
	}
	if w := c.m.group(i); w != nil && (c.m.groupWait(i) == nil || c.m.groupWait(i).Begin == i) {
		c.group(w)
	}
	c.close()
}

// waits adds what decides whether the operation that event i begins on a channel has to wait.
func (c *closure) waits(i int32) {
	for _, s := range c.m.waitingSides(i) {
		if c.once(s) {
			c.all(s.sends, s.channel.receives, s.closes)
		}
	}
	c.close()
}

// holds reports whether all that t needs is in.
func (c *closure) holds(t Target) bool {
	in := func(i int32) bool { return i == none || i < c.upto[c.m.gid(i)] || i < c.base }
	for _, i := range t.Stands {
		if int32(i) < c.base || int32(i) < c.upto[c.m.gid(int32(i))] || !in(c.m.reached(int32(i))) {
			return false
		}
	}
	for _, i := range t.Over {
		if !in(int32(i)) {
			return false
		}
	}
	for _, p := range t.Order {
		for k, i := range p {
			if !t.stands(i) && !in(int32(i)) || k == 0 && t.stands(i) {
				return false
			}
		}
	}
	// What they need in turn may be what cannot happen.
	for _, g := range c.met {
		for e := range c.m.edgesInto(g, c.base, c.upto[g]).all {
			if !in(e.from) && !(e.read && c.free(e.to)) {
				return false
			}
		}
	}
	return true
}
