package symbolic

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// apart keeps two critical sections apart: the one that begins first ends
// before the other one begins, if that begins at all.
func (e *Encoding) apart(a, b section) {
	key := [2]int32{min(a.acq, b.acq), max(a.acq, b.acq)}
	if e.pairs[key] {
		return
	}
	e.pairs[key] = true
	for _, s := range [][2]section{{a, b}, {b, a}} {
		first, second := s[0], s[1]
		e.assert(e.f.Implies(
			e.f.And(e.before(first.acq, second.acq), e.done(second.acq)),
			e.before(first.rel, second.acq)))
	}
}

// loose encodes a lock that is also released by goroutines that do not hold it,
// or without having been acquired: each release that happens ends a section
// that began before and that no other release ends. A section that ends has an event
// of its own for that, behind the release: what begins after it is compared with that
// one, and not with each release.
func (e *Encoding) loose(l *lock) {
	f := e.f
	sections, releases := e.open(l)
	ends, follows := e.pairing(sections, releases)
	pairs := 0
	for _, ks := range slices.Concat(ends, follows) {
		pairs += len(ks)
	}
	if pairs > maxPairs {
		e.err = fmt.Errorf("symbolic: %d sections of a lock that one goroutine takes and another releases are too many to encode", len(sections))
		return
	}
	if e.paired += pairs; e.stops() {
		return
	}
	over := make([]solver.Event, len(sections))
	for k, s := range sections {
		over[k] = f.Event(fmt.Sprint("over ", s.acq))
	}
	ended := make([][]solver.Bool, len(sections))
	for n, rel := range releases {
		var some []solver.Bool
		for _, k := range ends[n] {
			acq := sections[k].acq
			b := f.Bool(fmt.Sprintf("ends %d %d", acq, rel))
			e.assert(f.Implies(b, f.And(e.before(acq, rel), e.done(rel), f.Before(e.event(e.node(rel)), over[k]))))
			some, ended[k] = append(some, b), append(ended[k], b)
		}
		e.need(rel, f.Or(some...))
		if e.m.event(rel).Kind == trace.RRelease { // of the others one is over before the next begins
			e.atMostOne(some)
		}
	}
	for k, s := range sections {
		e.assert(f.Implies(f.Before(over[k], e.moment), f.Or(ended[k]...)))
		e.atMostOne(ended[k])
		e.ended[s.acq] = ended[k]
	}
	for n, b := range sections {
		if !e.past(b.acq) {
			for _, rel := range releases {
				e.compares(rel, b.acq)
			}
		}
		for _, k := range follows[n] {
			e.need(b.acq, f.Or(e.before(b.acq, sections[k].acq), f.Before(over[k], e.event(e.node(b.acq)))))
		}
	}
}

// maxPairs is how many operations of a loose lock are compared at most.
const maxPairs = 1 << 15

// pairing returns for each of the releases of a loose lock which sections it may end, and
// for each section which others may be the last before it.
func (e *Encoding) pairing(sections []section, releases []int32) (ends, follows [][]int) {
	ends, follows = make([][]int, len(releases)), make([][]int, len(sections))
	for n, rel := range releases {
		ends[n] = slices.DeleteFunc(e.latest(sections, rel), func(k int) bool {
			return sections[k].shared != (e.m.event(rel).Kind == trace.RRelease)
		})
	}
	for n, s := range sections {
		if !e.past(s.acq) {
			follows[n] = slices.DeleteFunc(e.latest(sections, s.acq), func(k int) bool { return k == n || s.shared && sections[k].shared })
		}
	}
	return ends, follows
}

// latest returns which of the sections of a lock may be open when event i, a node,
// happens: not those that begin behind it, nor those after which another one, which
// excludes them, begins before it.
func (e *Encoding) latest(sections []section, i int32) []int {
	var before, other []int
	for k, s := range sections { // in recorded order, which follows what must be
		switch {
		case e.surely(i, s.acq):
		case e.surely(s.acq, i):
			before = slices.DeleteFunc(before, func(o int) bool {
				return !(s.shared && sections[o].shared) && e.surely(sections[o].acq, s.acq)
			})
			before = append(before, k)
		default:
			other = append(other, k)
		}
	}
	return append(before, other...)
}

// surely reports whether event i comes before j in each run that performs j. Of the
// past it tells nothing.
func (e *Encoding) surely(i, j int32) bool {
	return !e.past(j) && (e.past(i) || e.must(i, j))
}

// atMostOne asserts that of the bs not more than one holds.
func (e *Encoding) atMostOne(bs []solver.Bool) {
	f := e.f
	for k, any := 1, f.False(); k < len(bs); k++ {
		if last := bs[k-1]; k == 1 {
			any = last
		} else {
			more := f.Bool(fmt.Sprintf("one of %d up to %d", bs[0], last))
			e.assert(f.Implies(any, more))
			e.assert(f.Implies(last, more))
			any = more
		}
		e.assert(f.Not(f.And(any, bs[k])))
	}
}

// open returns the sections of a loose lock that what is encoded may end, in the order
// of their acquires, and the releases that may end them.
func (e *Encoding) open(l *lock) (sections []section, releases []int32) {
	for s := range l.all() {
		if !e.outside(s.acq) && !e.over(s) {
			sections = append(sections, s)
		}
	}
	for _, rel := range l.releases {
		if !e.outside(rel) && !e.past(rel) {
			releases = append(releases, rel)
		}
	}
	return sections, releases
}

// maxWays is how many ways there may be to wake one waiter of a condition before
// another.
const maxWays = 1 << 22

// failsAtMoment says that what happens at position i is a failure, if that is where the
// violation is.
func (e *Encoding) failsAtMoment(i int32) solver.Bool {
	switch ev := e.m.event(i); ev.Kind {
	case trace.Release, trace.RRelease:
		return e.freeAtMoment(i)
	case trace.Close, trace.Send, trace.SelectSend:
		return e.closedAtMoment(ev.Obj)
	case trace.WaitGroupAdd:
		delta := int64(ev.Val)
		return e.f.Not(e.count(ev.Obj, e.done, func(n int64) bool { return n+delta >= 0 }, false))
	}
	return e.outcome(i, false)
}

// closedAtMoment says that a channel is closed when the violation happens.
func (e *Encoding) closedAtMoment(ch uint64) solver.Bool {
	var some []solver.Bool
	if c := e.m.chans.byObj[ch]; c != nil {
		for _, cl := range c.closes {
			if !e.outside(cl) {
				some = append(some, e.done(cl))
			}
		}
	}
	return e.f.Or(some...)
}

// freeAtMoment says that all sections of the kind that the release at position rel
// ends, of those that have begun before the violation, have ended before it.
func (e *Encoding) freeAtMoment(rel int32) solver.Bool {
	ev := e.m.event(rel)
	l := e.m.locks.byObj[ev.Obj]
	if !l.loose {
		return e.f.False() // its own section ends there, and nowhere else
	}
	free := e.f.True()
	sections, _ := e.open(l)
	for _, s := range sections {
		if s.shared == (ev.Kind == trace.RRelease) {
			free = e.f.And(free, e.f.Or(append(slices.Clone(e.ended[s.acq]), e.f.Not(e.done(s.acq)))...))
		}
	}
	return free
}

// over reports whether a section has ended before all that is encoded.
func (e *Encoding) over(s section) bool { return s.rel != none && e.past(s.rel) }

// condition encodes a condition: a queue, first come first served. A waiter
// that wakes was taken from it by a broadcast, or by a signal when all those
// before it had been taken.
func (e *Encoding) condition(obj uint64) {
	f, c := e.f, e.m.cond(obj)
	takes := e.takes // by signal and wait
	var all [][2]int32
	var signals []int32
	for _, signal := range c.signals {
		if !e.outside(signal) && !e.past(signal) { // for the others see wake
			signals = append(signals, signal)
		}
	}
	var waits []int32 // that are not known to be over
	woken := e.wokenInPast(c)
	for _, wait := range c.waits {
		if !e.outside(wait) && !(e.past(wait) && woken(wait)) {
			waits = append(waits, wait)
		}
	}
	for _, wait := range waits {
		for _, signal := range signals {
			if e.before(wait, signal) == f.False() {
				continue
			}
			pair := [2]int32{signal, wait}
			takes[pair] = f.Bool(fmt.Sprintf("takes %d %d", signal, wait))
			if all = append(all, pair); len(all)*len(all) > maxWays {
				e.err = fmt.Errorf("symbolic: more than %d pairs of a condition's waiters and signals are too many to encode", len(all)-1)
				return
			}
		}
	}
	// taken says that wait is taken from the queue before event i.
	known := make(map[[2]int32]solver.Bool)
	taken := func(wait, i int32) solver.Bool {
		if e.past(i) {
			return f.True()
		}
		if is, ok := known[[2]int32{wait, i}]; ok {
			return is
		}
		var ways []solver.Bool
		for _, b := range c.broadcasts {
			ways = append(ways, f.And(e.before(wait, b), e.before(b, i)))
		}
		for _, s := range signals {
			if b, ok := takes[[2]int32{s, wait}]; ok {
				ways = append(ways, f.And(b, e.before(s, i)))
			}
		}
		is := f.Or(ways...)
		known[[2]int32{wait, i}] = is
		return is
	}
	if e.ways += len(all) * len(all); e.stops() {
		return
	}
	for _, pair := range all {
		signal, wait := pair[0], pair[1]
		needs := []solver.Bool{e.before(wait, signal)}
		for _, other := range waits {
			if earlier := e.before(wait, other); other != wait && earlier != f.True() {
				needs = append(needs, f.Or(earlier, taken(other, signal)))
			}
		}
		e.assert(f.Implies(takes[pair], f.And(needs...)))
	}
	if slices.ContainsFunc(e.cone.targets, func(t Target) bool { return len(t.Over) > 0 }) {
		e.onlyFirst(c, all, signals, taken)
	}
	for _, wait := range waits {
		wake := e.wake(wait)
		if !e.outside(wake) && !e.past(wake) {
			e.need(wake, taken(wait, wake))
		}
	}
}

// onlyFirst says of pairs of signals and waiters of a condition, of which a signal need take
// nobody as long as only those matter who wake, that a signal takes one where there are any,
// and nobody is taken twice.
func (e *Encoding) onlyFirst(c *condition, pairs [][2]int32, signals []int32, taken func(wait, i int32) solver.Bool) {
	f := e.f
	bySignal, byWait := make(map[int32][]solver.Bool), make(map[int32][]solver.Bool)
	for _, pair := range pairs {
		bySignal[pair[0]] = append(bySignal[pair[0]], e.takes[pair])
		byWait[pair[1]] = append(byWait[pair[1]], e.takes[pair])
	}
	for _, signal := range signals {
		e.atMostOne(bySignal[signal])
	}
	for _, wait := range c.waits {
		e.atMostOne(byWait[wait])
	}
	for _, pair := range pairs {
		signal, wait := pair[0], pair[1]
		for _, b := range c.broadcasts {
			e.assert(f.Not(f.And(e.takes[pair], e.before(wait, b), e.before(b, signal))))
		}
		waits := f.And(e.before(wait, signal), e.done(signal))
		e.assert(f.Implies(waits, f.Or(append(bySignal[signal], taken(wait, signal))...)))
	}
}

// A side is that of a channel on which a goroutine waits.
type side struct {
	ch   *channel
	recv bool
}

// sides returns the sides of channels on which a goroutine waits in the operation that event i
// begins: those of the cases of a select that would send, and of the one that was chosen.
func (m *Model) sides(i int32) (all []side) {
	if op, ok := m.chans.begun(i); ok {
		all = append(all, side{m.chans.ops[op].ch, m.chans.ops[op].recv})
	}
	if m.event(i).Kind == trace.Select {
		for i = m.prev(i); i != none && m.event(i).Kind == trace.SelectSend; i = m.prev(i) {
			s := side{m.chans.byObj[m.event(i).Obj], false}
			if s.ch != nil && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// waitsIn says that an operation on a side of a channel has to wait when the violation
// happens: the channel is open, and there are no fewer receives than sends, or no fewer sends
// than receives and room. Which place in line the operation gets does not matter.
func (e *Encoding) waitsIn(s side) (all []solver.Bool) {
	f, c := e.f, s.ch
	for _, cl := range c.closes {
		all = append(all, f.Not(e.done(cl)))
	}
	own, others, room := c.sends, c.recvs, c.cap
	if s.recv {
		own, others, room = c.recvs, c.sends, 0
	}
	for n := 1; n-room <= len(others); n++ {
		other := f.True()
		if n > room {
			other = e.done(line(others, n-room))
		}
		all = append(all, f.Or(f.Not(other), e.done(line(own, n))))
	}
	return all
}

// misses says that a signal or broadcast, which happens, does not wake the goroutine that
// stands before the wake at position wake.
func (e *Encoding) misses(signal, wake int32) solver.Bool {
	f, wait := e.f, wake
	for wait != none && e.m.event(wait).Kind != trace.CondWait {
		wait = e.m.prev(wait)
	}
	s := e.m.event(signal)
	if wait == none || s.Kind.Class() != trace.ClassCond || s.Obj != e.m.event(wake).Obj {
		return f.True()
	}
	ways := []solver.Bool{e.before(signal, wait)}
	for _, other := range e.m.cond(s.Obj).waits {
		if b, ok := e.takes[[2]int32{signal, other}]; ok && other != wait {
			ways = append(ways, b)
		}
	}
	return f.Or(ways...)
}

// wokenInPast returns which waits of c were taken from its queue in the past.
func (e *Encoding) wokenInPast(c *condition) func(wait int32) bool {
	by := make(map[uint64]bool) // tickets, by signals of the past
	for _, s := range c.signals {
		if e.past(s) {
			by[e.m.event(s).Val-1] = true
		}
	}
	return func(wait int32) bool {
		ticket := e.m.event(wait).Val
		return by[ticket] || slices.ContainsFunc(c.broadcasts, func(b int32) bool {
			ev := e.m.event(b)
			return e.past(b) && ticket-ev.Val < uint64(ev.Size)
		})
	}
}

// wake returns the event at which the wait at position i wakes, or none.
func (e *Encoding) wake(i int32) int32 {
	for next := e.m.next(i); next != none; next = e.m.next(next) {
		if k := e.m.event(next).Kind; k == trace.CondWake {
			return next
		} else if k == trace.CondWait {
			return none
		}
	}
	return none
}

// waitGroup encodes the event at position i of a WaitGroup: Wait returns if the
// counter is zero, or was when it began; the counter is never below zero.
func (e *Encoding) waitGroup(i int32) {
	ev := e.m.event(i)
	if ev.Kind == trace.WaitGroupWaited {
		zero := e.zeroAt(ev.Obj, i)
		if wait := e.m.waits[i]; wait != none && zero != e.f.True() {
			zero = e.f.Or(zero, e.zeroAt(e.m.event(wait).Obj, wait))
		}
		e.need(i, zero)
		return
	}
	delta := int64(ev.Val)
	next := e.m.next(i)
	if panics := next == none || e.m.event(next).Kind == trace.Panic; delta < 0 && !panics && !e.m.groups[ev.Obj].covered {
		e.need(i, e.counter(ev.Obj, i, func(n int64) bool { return n+delta >= 0 }, false))
	}
}

// zeroAt says that the counter of a WaitGroup is zero when event i happens.
func (e *Encoding) zeroAt(obj uint64, i int32) solver.Bool {
	return e.counter(obj, i, func(n int64) bool { return n == 0 }, true)
}

func (w *waitGroup) listed() []int32 {
	if w == nil {
		return nil
	}
	return w.adds
}

// zeroAtMoment says that the counter is zero when the violation happens.
func (e *Encoding) zeroAtMoment(obj uint64) solver.Bool {
	return e.count(obj, e.done, func(n int64) bool { return n == 0 }, true)
}

// counter says that the counter of a WaitGroup when event i happens is as
// wanted: a number exactly, or else at least one.
func (e *Encoding) counter(obj uint64, i int32, want func(int64) bool, exactly bool) solver.Bool {
	return e.count(obj, func(add int32) solver.Bool { return e.before(add, i) }, want, exactly)
}

// maxCounts bounds the decision diagram of one counter.
const maxCounts = 1 << 14

// count is a decision diagram over which Adds have happened: after each, what
// the counter is.
func (e *Encoding) count(obj uint64, happened func(int32) solver.Bool, want func(int64) bool, exactly bool) solver.Bool {
	f := e.f
	var adds []solver.Bool
	var deltas []int64
	start := int64(0)
	for _, add := range e.m.groups[obj].listed() {
		switch b := happened(add); b {
		case f.True():
			start += int64(e.m.event(add).Val)
		case f.False():
		default:
			adds, deltas = append(adds, b), append(deltas, int64(e.m.event(add).Val))
		}
	}
	// What the rest can add at least and at most.
	least, most := make([]int64, len(adds)+1), make([]int64, len(adds)+1)
	for k := len(adds) - 1; k >= 0; k-- {
		least[k], most[k] = least[k+1]+min(0, deltas[k]), most[k+1]+max(0, deltas[k])
	}
	type state struct {
		k int
		n int64
	}
	known := make(map[state]solver.Bool)
	var from func(s state) solver.Bool
	from = func(s state) solver.Bool {
		switch {
		case s.k == len(adds):
			return e.truth(want(s.n))
		case exactly && (s.n+least[s.k] > 0 || s.n+most[s.k] < 0):
			return f.False()
		case !exactly && want(s.n+least[s.k]):
			return f.True()
		case !exactly && !want(s.n+most[s.k]):
			return f.False()
		}
		b, ok := known[s]
		if !ok {
			if len(known) > maxCounts {
				e.err = fmt.Errorf("symbolic: a WaitGroup has too many Adds at once to encode")
				return f.False()
			}
			x := adds[s.k]
			b = f.Or(f.And(x, from(state{s.k + 1, s.n + deltas[s.k]})), f.And(f.Not(x), from(state{s.k + 1, s.n})))
			known[s] = b
		}
		return b
	}
	return from(state{0, start})
}

// channel encodes what becomes of operations where the channel is closed.
// What else lets them complete are edges.
func (e *Encoding) channel(c *channel) {
	f := e.f
	closes := make([]int32, 0, len(c.closes))
	for _, cl := range c.closes {
		if !e.outside(cl) {
			closes = append(closes, cl)
		}
	}
	// closed says that the channel is closed before event i.
	closed := func(i int32) solver.Bool {
		var some []solver.Bool
		for _, cl := range closes {
			some = append(some, e.before(cl, i))
		}
		return f.Or(some...)
	}
	e.closes(closes)
	for _, done := range c.dones {
		if e.outside(done) || e.past(done) || c.outside {
			continue
		}
		ev := e.m.event(done)
		if n := int(min(e.m.t.Element(ev), 1<<31)); n > 0 {
			e.passes(c, done, n, closes, closed)
		} else if ev.Kind == trace.RecvDone {
			e.finds(c, done, closes, closed)
		}
	}
	for _, s := range c.strays[0] {
		for _, r := range c.strays[1] {
			if e.outside(s) || e.outside(r) || e.past(s) && e.past(r) {
				continue
			}
			// They would meet.
			e.assert(f.Or(f.Not(e.done(s)), f.Not(e.done(r)), closed(s), closed(r)))
		}
	}
	for _, p := range c.panics {
		if !e.outside(p) && !e.past(p) {
			e.panics(c, p, closes, closed)
		}
	}
}

// closes lets only the first close of a channel succeed.
func (e *Encoding) closes(closes []int32) {
	for _, cl := range closes {
		next := e.m.next(cl)
		if e.past(cl) || next == none || e.m.event(next).Kind == trace.Panic {
			continue // it may be one that panics
		}
		for _, other := range closes {
			if other != cl {
				e.need(cl, e.before(cl, other))
			}
		}
	}
}

// passes encodes the completion of what moves element n. Where the channel is
// closed before, the element was in or through by then; and no operation that
// found the channel closed may have stood in line before it.
func (e *Encoding) passes(c *channel, done int32, n int, closes []int32, closed func(int32) solver.Bool) {
	f := e.f
	for _, cl := range closes {
		e.need(done, f.Or(e.before(done, cl), f.And(e.before(line(c.sends, n), cl), e.room(c, n, cl))))
	}
	for recv, strays := range c.strays {
		for _, s := range strays {
			if e.outside(s) {
				continue
			}
			ways := []solver.Bool{e.before(done, s), e.before(line(c.side(recv == 1), n), s)}
			if recv == 0 {
				ways = append(ways, closed(s))
			}
			e.need(done, f.Or(ways...))
		}
	}
}

// room says that there is room for element n before event i: it is within the
// capacity, or a receive made room.
func (e *Encoding) room(c *channel, n int, i int32) solver.Bool {
	if n <= c.cap {
		return e.f.True()
	}
	return e.before(line(c.recvs, n-c.cap), i)
}

// finds encodes a receive that finds the channel closed: each element that got
// into the channel has a receive that began before this one.
func (e *Encoding) finds(c *channel, done int32, closes []int32, closed func(int32) solver.Bool) {
	f := e.f
	e.need(done, closed(done))
	begin := e.m.chans.completed(done).begin
	for _, cl := range closes {
		first := e.firstOf(cl, closes)
		for n := 1; n <= len(c.sends)+len(c.strays[0]) && n <= c.cap+len(c.recvs); n++ {
			in := e.got(c, n, cl)
			if in == f.False() {
				break
			}
			e.assert(f.Implies(f.And(e.done(done), first, in, e.room(c, n, cl)), e.before(line(c.recvs, n), begin)))
		}
	}
}

// firstOf says that a close is the first one, and so the one that counts.
func (e *Encoding) firstOf(cl int32, closes []int32) solver.Bool {
	b := e.done(cl)
	for _, other := range closes {
		if other != cl {
			b = e.f.And(b, e.before(cl, other))
		}
	}
	return b
}

// got says that at least n sends began before the channel was closed by cl,
// those among them that panicked then.
func (e *Encoding) got(c *channel, n int, cl int32) solver.Bool {
	var strays []int32
	for _, s := range c.strays[0] {
		if !e.outside(s) {
			strays = append(strays, s)
		}
	}
	if len(strays) > 8 {
		e.err = fmt.Errorf("symbolic: %d sends on one channel panicked: too many to encode", len(strays))
		return e.f.True()
	}
	ways := []solver.Bool{}
	for set := range 1 << len(strays) {
		all := []solver.Bool{}
		for k, s := range strays {
			if set>>k&1 != 0 {
				all = append(all, e.before(s, cl))
			}
		}
		if ranked := n - len(all); ranked > 0 {
			all = append(all, e.before(line(c.sends, ranked), cl))
		}
		ways = append(ways, e.f.And(all...))
	}
	return e.f.Or(ways...)
}

// panics encodes the panic of a send: the channel is closed, and was when the
// send began, or there was no room for its element before.
func (e *Encoding) panics(c *channel, p int32, closes []int32, closed func(int32) solver.Bool) {
	f := e.f
	op := e.m.chans.completed(p)
	e.need(p, closed(p))
	for _, cl := range closes {
		first := e.firstOf(cl, closes)
		open := e.before(op.begin, cl)
		for n := max(1, c.cap); n <= c.cap+len(c.recvs); n++ {
			e.assert(f.Implies(f.And(e.done(p), first, open, e.room(c, n, cl)), e.before(line(c.sends, n), op.begin)))
		}
	}
}
