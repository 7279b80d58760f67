package symbolic

import (
	"maps"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Cone is the events that may have a part in coming to some targets: of each
// goroutine those from base on and below upto. Whatever run comes to a target
// does so without the events outside, if these are left out of it: none of the
// others needs them.
type Cone struct {
	// Base is the number of events that come first, in recorded order.
	Base    int
	targets []Target
	limit   limits  // what happens in no run to any of them
	sure    []int32 // by goroutine: all below happen in each run to each target
	upto    []int32
	// Those that sure has, and those that have any events, ascending: of a million goroutines there may be few.
	surely, goroutines []trace.GID
	events             int
	steps              int64 // that it took to find it, of a budget
}

// Events is the number of events in the cone.
func (c *Cone) Events() int { return c.events }

const never = math.MaxInt32

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

func (m *Model) closure(base int32, limit limits, free func(int32) bool, may bool) *closure {
	return &closure{
		m: m, base: base, limit: limit, end: never, free: free, may: may,
		upto: m.zeros(), done: m.zeros(),
		locks: make(map[*lock]*lockUse), await: make(map[any]bool), most: math.MaxInt,
		readers: make(map[int32]trace.GID), followers: make(map[int32]trace.GID), finders: make(map[finder]bool),
	}
}

// Limits are the first event of each goroutine that happens in no run.
type limits struct {
	first []int32     // by goroutine, one more than its position; 0: there is none
	of    []trace.GID // those that may have one: of a million there may be few
}

func (m *Model) noLimits() limits { return limits{first: m.zeros()} }

// zeros returns a number for each goroutine, of what was spared if there is some: of a million goroutines
// most cones have few.
func (m *Model) zeros() []int32 {
	if n := len(m.spared); n > 0 {
		its := m.spared[n-1]
		m.spared = m.spared[:n-1]
		return its
	}
	return make([]int32, len(m.t.Goroutines))
}

// spare hands back what zeros has returned, of which the numbers of gs may be set.
func (m *Model) spare(its []int32, gs []trace.GID) {
	for _, g := range gs {
		its[g] = 0
	}
	if its != nil { // without targets there are no limits
		m.spared = append(m.spared, its)
	}
}

// allow reports whether event i of goroutine g may happen.
func (l *limits) allow(g trace.GID, i int32) bool { return l.first[g] == 0 || i < l.first[g]-1 }

// at returns where that of goroutine g is, or never.
func (l *limits) at(g trace.GID) int32 {
	if l.first[g] == 0 {
		return never
	}
	return l.first[g] - 1
}

// set sets that of goroutine g to event i.
func (l *limits) set(g trace.GID, i int32) {
	if l.first[g] == 0 {
		l.of = append(l.of, g)
	}
	l.first[g] = i + 1
}

// and leaves what happens neither by l nor by o.
func (l *limits) and(o limits) {
	for _, g := range l.of {
		if l.first[g] = max(l.first[g], o.first[g]); o.first[g] == 0 {
			l.first[g] = 0
		}
	}
	l.of = slices.DeleteFunc(l.of, func(g trace.GID) bool { return l.first[g] == 0 })
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

// from1 returns the first event of goroutine g at or after position i, or none.
func (m *Model) from1(g trace.GID, i int32) int32 {
	return int32(m.events(g).From(int(i)))
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

// first adds key to a set and reports whether it was not there.
func first[K comparable](set map[K]bool, key K) bool {
	n := len(set)
	set[key] = true
	return len(set) > n
}

// follow adds what event i may need beyond what must come before it.
func (c *closure) follow(i int32) {
	m, e := c.m, c.m.event(i)
	switch k := e.Kind; {
	case reads(k):
		c.read(i)
	case k == trace.Acquire || k == trace.RAcquire:
		c.acquire(i, m.locks.byObj[e.Obj])
	case k == trace.Release || k == trace.RRelease:
		if l := m.locks.byObj[e.Obj]; l.loose {
			c.loose(l)
		}
	case k == trace.CondWake:
		if cond := m.conds[e.Obj]; cond != nil && c.once(cond) {
			c.all(cond.signals, cond.broadcasts)
		}
	case k == trace.WaitGroupWaited || k == trace.WaitGroupAdd && int64(e.Val) < 0:
		if w := m.groups[e.Obj]; w != nil && c.once(w) {
			c.all(w.adds)
		}
	case k.Class() == trace.ClassChannel, k == trace.Panic:
		c.channel(i)
	}
}

// channel adds what decides what becomes of an operation that the close of its
// channel concerns.
func (c *closure) channel(i int32) {
	cs := c.m.chans
	k, ok := cs.operation(i)
	if !ok {
		return
	}
	op := &cs.ops[k]
	if op.rank == 0 && c.once(op.ch) {
		c.all(op.ch.closes, op.ch.recvs, op.ch.sends)
	}
}

// loose adds all operations of a lock of which anybody may release.
func (c *closure) loose(l *lock) {
	if c.once(l) {
		for s := range l.all() {
			c.add(s.acq)
		}
		c.all(l.releases)
	}
}

// acquire adds the ends of critical sections that another one follows.
func (c *closure) acquire(i int32, l *lock) {
	if !l.many {
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
			if s, ok := l.section(acq); ok {
				c.add(s.rel)
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

// between returns those of the events, which are ascending, that are at positions from from up to to.
func between(events []int32, from, to int32) []int32 {
	lo, _ := slices.BinarySearch(events, from)
	hi, _ := slices.BinarySearch(events[lo:], to)
	return events[lo:][:hi]
}

// limits returns what happens below end in no run to t.
func (m *Model) limits(t Target, end int32) limits {
	stops := make([]int32, len(t.Stands))
	for k, i := range t.Stands {
		stops[k] = int32(i)
	}
	last := make(map[trace.GID]int32) // where t may depart: what must come after the last place in a goroutine comes after all there
	for _, i := range t.Departs {
		last[m.gid(int32(i))] = int32(i)
	}
	far := func(i int32) bool { return end-i > maxBehind }
	if len(last) == 0 || len(last) > maxDeparting || slices.ContainsFunc(slices.Collect(maps.Values(last)), far) {
		return m.limited(t, end, stops)
	}
	var all limits
	for _, i := range last {
		after := stops
		if next := m.next(i); next != none { // the place itself is in the formula
			after = append(slices.Clone(stops), next)
		}
		if l := m.limited(t, end, after); all.first == nil {
			all = l
		} else {
			all.and(l)
			m.spare(l.first, l.of)
		}
	}
	return all
}

// maxDeparting bounds the goroutines of which it is looked at what must come after they depart, and
// maxBehind how many events are behind that: each of them is looked at, for each target.
const maxDeparting, maxBehind = 8, 1 << 16

// limited returns what must come after one of stops, or happens in no run at all, below end.
func (m *Model) limited(t Target, end int32, stops []int32) limits {
	limit := m.noLimits()
	type stretch struct{ from, to int32 }
	var work []stretch
	cut := func(i int32) {
		if i >= end { // what comes after it is behind end, too
			return
		}
		if g := m.gid(i); limit.allow(g, i) {
			work = append(work, stretch{i, min(limit.at(g), end)})
			limit.set(g, i)
		}
	}
	for _, i := range stops {
		cut(i)
	}
	for i := range m.impossible {
		cut(i)
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		for e := range m.edgesFrom(m.gid(s.from), s.from, s.to).all {
			if !e.read || !m.frees(&t, e.to) {
				cut(e.to)
			}
		}
	}
	return limit
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

// reached returns the event after which its goroutine can stand at event i: the
// one before, or the fork of the goroutine, or none.
func (m *Model) reached(i int32) int32 {
	if m.prev(i) != none {
		return m.prev(i)
	}
	for e := range m.edgesInto(m.gid(i), i, i+1).all {
		if k := m.event(e.from).Kind; k == trace.Fork {
			return e.from
		}
	}
	return none
}

// Cone returns the cone of targets, of which all before base comes first. ok is
// false if no run comes to one of them.
func (m *Model) Cone(base int, targets ...Target) (cone *Cone, ok bool) {
	return m.cone(base, len(m.t.Events), math.MaxInt, targets)
}

// cone returns the part of the cone below end, if that has at most so many events: else
// a part with more.
func (m *Model) cone(base, end, most int, targets []Target) (cone *Cone, ok bool) {
	cone = &Cone{Base: base}
	for k, t := range targets {
		its, ok := m.certain(base, end, t)
		switch {
		case !ok:
			m.let(cone)
			return nil, false
		case k == 0:
			cone = its
		default:
			cone.join(its)
			m.let(its)
		}
	}
	m.fill(cone, end, most)
	return cone, true
}

// certain returns the cone of a target with what is certain of the runs to it, below end, but without its events. ok is
// false if there are none.
func (m *Model) certain(base, end int, t Target) (cone *Cone, ok bool) {
	cone = &Cone{Base: base, targets: []Target{t}, limit: m.limits(t, int32(end))}
	sure := m.closure(int32(base), cone.limit, func(i int32) bool { return m.frees(&t, i) }, false)
	sure.needs(t)
	sure.close()
	m.spare(sure.done, sure.met)
	cone.sure, cone.surely, cone.steps = sure.upto, sure.met, sure.steps/perStep
	if !sure.holds(t) {
		m.let(cone)
		return nil, false
	}
	return cone, true
}

// join makes c, which has no events yet, the cone of its targets and those of o.
func (c *Cone) join(o *Cone) {
	c.targets = append(c.targets, o.targets...)
	c.limit.and(o.limit)
	for _, g := range c.surely {
		c.sure[g] = min(c.sure[g], o.sure[g])
	}
	c.steps += o.steps
}

// both returns the cone of the targets of two cones of events below end.
func (m *Model) both(a, b *Cone, end, most int) *Cone {
	c := &Cone{Base: a.Base, targets: slices.Clip(a.targets), surely: a.surely, sure: m.zeros(), limit: limits{m.zeros(), slices.Clone(a.limit.of)}}
	for _, g := range a.surely {
		c.sure[g] = a.sure[g]
	}
	for _, g := range a.limit.of {
		c.limit.first[g] = a.limit.first[g]
	}
	c.join(b)
	m.fill(c, end, most)
	return c
}

// fill adds the events to a cone, below end, and not many more than most.
func (m *Model) fill(cone *Cone, end, most int) {
	may := m.closure(int32(cone.Base), cone.limit, func(int32) bool { return false }, true)
	may.most, may.end = most, int32(end)
	for _, t := range cone.targets {
		may.needs(t)
		for _, i := range t.Stands {
			may.stand(int32(i), t.Fails)
			if t.Blocks {
				may.waits(int32(i))
			}
		}
		for _, i := range t.Departs {
			may.add(int32(i))
		}
	}
	may.close()
	m.spare(may.done, may.met)
	cone.upto, cone.goroutines = may.upto, may.met
	slices.Sort(cone.goroutines)
	cone.steps += may.steps/perStep + int64(may.followed)
	cone.count(m)
}

// let hands back what a cone has taken that nobody asks any more.
func (m *Model) let(c *Cone) {
	m.spare(c.upto, c.goroutines)
	m.spare(c.sure, c.surely)
	m.spare(c.limit.first, c.limit.of)
	c.upto, c.sure, c.limit = nil, nil, limits{}
}

// perStep is how many edges and writes are looked at in one step of a budget.
const perStep = 8

// Whole returns the cone of all events.
func (m *Model) Whole(targets ...Target) (cone *Cone, ok bool) {
	cone, ok = m.Cone(0, targets...)
	if !ok {
		return nil, false
	}
	cone.goroutines = nil
	for g := range cone.upto {
		cone.upto[g] = min(cone.limit.at(trace.GID(g)), int32(len(m.t.Events)))
		cone.goroutines = append(cone.goroutines, trace.GID(g))
	}
	cone.count(m)
	return cone, true
}

func (c *Cone) count(m *Model) {
	c.events = 0
	for _, g := range c.goroutines {
		es := m.events(g)
		c.events += max(0, es.Before(int(c.upto[g]))-es.Before(c.Base))
	}
}

// stand adds what may be needed for event i to be a violation: the counter of a
// WaitGroup at zero, others who wait for a condition, a lock that is free, a channel that is closed.
func (c *closure) stand(i int32, fails bool) {
	switch e := c.m.event(i); e.Kind {
	case trace.WaitGroupAdd, trace.WaitGroupWait:
		if c.m.groups[e.Obj] != nil && c.once(c.m.groups[e.Obj]) {
			c.all(c.m.groups[e.Obj].adds)
		}
	case trace.CondWake:
		if cond := c.m.conds[e.Obj]; cond != nil && c.once(cond) {
			c.all(cond.waits, cond.signals, cond.broadcasts)
		}
	case trace.Release, trace.RRelease:
		if l := c.m.locks.byObj[e.Obj]; l.loose {
			c.loose(l)
		}
	case trace.Close, trace.Send, trace.SelectSend:
		if ch := c.m.chans.byObj[e.Obj]; ch != nil && fails {
			c.all(ch.closes)
		}
	}
	c.close()
}

// waits adds what decides whether the operation that event i begins on a channel has to wait.
func (c *closure) waits(i int32) {
	for _, s := range c.m.sides(i) {
		if c.once(s) {
			c.all(s.ch.sends, s.ch.recvs, s.ch.closes)
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
