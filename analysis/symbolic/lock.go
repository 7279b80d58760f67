package symbolic

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// locks is the critical sections, by lock.
type locks struct {
	order *order.Order
	byObj map[uint64]*lock
	objs  []uint64 // in the order of their first events
}

// A lock is the operations of one mutex or RWMutex.
type lock struct {
	order   *order.Order
	numbers []int32 // of the sections of a mutex, by acquire
	// loose is set where some release does not end a section that its own
	// goroutine began: then who ends what is another question in each run.
	loose    bool
	releases []int32 // if it is loose
	many     bool    // several goroutines use it
}

// A section is a critical section.
type section struct {
	acq, rel int32 // rel is none if the trace does not have it
	shared   bool
}

// all yields the sections, by acquire.
func (l *lock) all() iter.Seq[section] {
	return func(yield func(section) bool) {
		for _, n := range l.numbers {
			if !yield(l.at(n)) {
				return
			}
		}
	}
}

// at returns the section of that number.
func (l *lock) at(n int32) section {
	acq, rel, shared := l.order.Bounds(n)
	return section{acq, rel, shared}
}

// section returns the one that the event at position acq begins.
func (l *lock) section(acq int32) (s section, ok bool) {
	k, ok := slices.BinarySearchFunc(l.numbers, acq, func(n, i int32) int { return cmp.Compare(l.at(n).acq, i) })
	if ok {
		s = l.at(l.numbers[k])
	}
	return s, ok
}

func newLocks(m *Control) *locks {
	ls := &locks{order: m.order, byObj: make(map[uint64]*lock)}
	ended := make([]bool, len(m.t.Events))
	for _, s := range m.order.Sections() {
		l := ls.get(s.Obj)
		l.many = l.many || m.gid(int32(s.Acq)) != m.gid(l.at(l.numbers[0]).acq)
		if s.Rel >= 0 {
			ended[s.Rel] = true
			l.loose = l.loose || m.gid(int32(s.Rel)) != m.gid(int32(s.Acq))
		}
	}
	releases := func(yield func(int32, *lock) bool) {
		for i := range m.t.Events {
			if e := &m.t.Events[i]; (e.Kind == trace.Release || e.Kind == trace.RRelease) && !yield(int32(i), ls.get(e.Obj)) {
				return
			}
		}
	}
	for i, l := range releases {
		l.loose = l.loose || !ended[i]
	}
	loose := false
	for _, l := range ls.byObj {
		l.many, loose = l.many || l.loose, loose || l.loose
	}
	if loose {
		for i, l := range releases {
			if l.loose {
				l.releases = append(l.releases, i)
			}
		}
	}
	slices.Sort(ls.objs)
	return ls
}

// outOf returns what must come before event j in each run in which event i of another goroutine does: the end of the
// outermost critical section of i that excludes one of j, or i itself.
func (m *Control) outOf(i, j int32) int32 {
	within := m.order.Held(int(j))
	if len(within) == 0 {
		return i
	}
	for _, acq := range m.order.Held(int(i)) {
		s, ok := m.order.Section(int(acq))
		if !ok || m.locks.byObj[s.Obj].loose || s.Rel < 0 || s.Rel > int(j) {
			continue
		}
		for _, other := range within {
			if o, ok := m.order.Section(int(other)); ok && s.Excludes(o.Lock) {
				return max(i, int32(s.Rel))
			}
		}
	}
	return i
}

func (ls *locks) get(obj uint64) *lock {
	l := ls.byObj[obj]
	if l == nil {
		l = &lock{order: ls.order, numbers: ls.order.SectionsOf(obj)}
		ls.byObj[obj] = l
		ls.objs = append(ls.objs, obj)
	}
	return l
}

// A lockEncoder encodes critical sections.
type lockEncoder struct {
	*timeline
	pairs map[[2]int32]bool       // sections that are kept apart
	ended map[int32][]solver.Bool // by acquire of a loose lock: what ends its section
}

// apart keeps two critical sections apart: the one that begins first ends
// before the other one begins, if that begins at all.
func (e *lockEncoder) apart(a, b section) {
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
func (e *lockEncoder) loose(l *lock) {
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
	if e.lockPairs += pairs; e.stops() {
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

// pairing returns for each of the releases of a loose lock which sections it may end, and
// for each section which others may be the last before it.
func (e *lockEncoder) pairing(sections []section, releases []int32) (ends, follows [][]int) {
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
func (e *lockEncoder) latest(sections []section, i int32) []int {
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

// open returns the sections of a loose lock that what is encoded may end, in the order
// of their acquires, and the releases that may end them.
func (e *lockEncoder) open(l *lock) (sections []section, releases []int32) {
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

// over reports whether a section has ended before all that is encoded.
func (e *lockEncoder) over(s section) bool { return s.rel != none && e.past(s.rel) }

// freeAtMoment says that all sections of the kind that the release at position rel
// ends, of those that have begun before the violation, have ended before it.
func (e *lockEncoder) freeAtMoment(rel int32) solver.Bool {
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

// locksOver returns the locks that are held exclusively from event i to event j of
// the same goroutine.
func (m *Model) locksOver(i, j int32) map[uint64]bool {
	objs := make(map[uint64]bool)
	at := m.order.Held(int(j))
	for _, acq := range m.order.Held(int(i)) {
		if e := m.event(acq); e.Kind == trace.Acquire && slices.Contains(at, acq) && !m.locks.byObj[e.Obj].loose {
			objs[e.Obj] = true
		}
	}
	return objs
}
