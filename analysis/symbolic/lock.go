package symbolic

import (
	"fmt"
	"iter"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A lock is one mutex or RWMutex. Critical sections are those of the table of facts. They are fixed as
// long as each goroutine releases what it has acquired. Go's mutexes have no owner, so one goroutine
// may unlock what another one has locked: such a lock is encoded with its releases apart from its
// acquires, as a semaphore.
//
// An example of a lock that is releasedByOthers:
//
//	g1: Lock, go g2, Lock
//	g2: Unlock
//
// The Unlock of g2 ends the first section of g1, without which the second cannot begin. In another
// run it may end the section of a third goroutine.
type lock struct {
	sections []int32 // rows in the table of facts, by acquire
	shared   bool    // several goroutines use it
	// releasedByOthers is set if some release does not end a section that its own goroutine began. Then which
	// release ends which section differs from run to run.
	releasedByOthers bool
	releases         []int32 // of a lock that is releasedByOthers, ascending
}

func newLocks(m *Control) []lock {
	all := make([]lock, m.facts.Objects(trace.ClassLock).Len())
	for k := range all {
		l := &all[k]
		l.sections, l.releasedByOthers = m.facts.SectionsOf(int32(k)), m.facts.HandedOver(int32(k))
		for s := range m.sections(l) {
			l.shared = l.shared || m.gid(s.Acquire) != m.gid(m.facts.Sections()[l.sections[0]].Acquire)
		}
	}
	for i := range m.t.Events {
		if m.t.Events[i].Kind.Releases() && m.facts.SectionOf(i) == none {
			m.lockIn(all, int32(i)).releasedByOthers = true
		}
	}
	for i := range m.t.Events {
		if !m.t.Events[i].Kind.Releases() {
			continue
		}
		if l := m.lockIn(all, int32(i)); l.releasedByOthers {
			l.shared, l.releases = true, append(l.releases, int32(i))
		}
	}
	return all
}

// lockIn returns the lock of event i among locks.
func (m *Control) lockIn(locks []lock, i int32) *lock {
	return &locks[m.facts.Objects(trace.ClassLock).Number(m.event(i).Obj)]
}

// lock returns the lock of event i.
func (m *Control) lock(i int32) *lock { return m.lockIn(m.locks, i) }

// sections yields the critical sections of a lock, by acquire.
func (m *Control) sections(l *lock) iter.Seq[*facts.Section] {
	return func(yield func(*facts.Section) bool) {
		for _, row := range l.sections {
			if !yield(&m.facts.Sections()[row]) {
				return
			}
		}
	}
}

// section returns the critical section that event i begins, or nil.
func (m *Control) section(i int32) *facts.Section {
	row := m.facts.SectionOf(int(i))
	if row == none || m.facts.Sections()[row].Acquire != i {
		return nil
	}
	return &m.facts.Sections()[row]
}

// excludes reports whether two sections of one lock cannot overlap.
func excludes(a, b *facts.Section) bool { return !(a.Shared() && b.Shared()) }

// endExcluding returns what must precede event j in each run in which event i of another goroutine
// does: the end of the outermost critical section of i that excludes one of j, or i itself.
//
// An example: g1 writes x under a lock, and g2 reads x under the same lock. If the read must find
// that write, then g1 has also unlocked before the read. So the edge may begin at the Unlock, which
// orders more than one from the write.
func (m *Control) endExcluding(i, j int32) int32 {
	within := m.order.Held(int(j))
	if len(within) == 0 {
		return i
	}
	// Held has the oldest acquire first, so the first section that excludes one of j is the
	// outermost.
	for _, acq := range m.order.Held(int(i)) {
		s := m.section(acq)
		if s == nil || m.lock(acq).releasedByOthers || s.Release == none || s.Release > j {
			continue
		}
		for _, other := range within {
			if o := m.section(other); o != nil && s.Lock() == o.Lock() && excludes(s, o) {
				return max(i, s.Release)
			}
		}
	}
	return i
}

// A lockEncoder encodes critical sections: equation 4 of Said et al., NFM 2011, of pairs of sections
// instead of owners. A pair is one clause over the order of four events. An owner would be one more
// variable for each event of the lock.
type lockEncoder struct {
	*timeline
	excluded map[[2]int32]bool       // pairs of acquires whose sections exclude each other in the formula
	endedBy  map[int32][]solver.Bool // by acquire of a lock that others release: each release that may end its section
}

// exclude says that two critical sections do not overlap: the one that begins first ends before the
// other one begins, if that begins at all.
//
// A section that does not end in the trace has none as its release, and none precedes nothing. So
// the other section cannot begin after it.
func (e *lockEncoder) exclude(a, b *facts.Section) {
	key := [2]int32{min(a.Acquire, b.Acquire), max(a.Acquire, b.Acquire)}
	if e.excluded[key] {
		return
	}
	e.excluded[key] = true
	for _, s := range [][2]*facts.Section{{a, b}, {b, a}} {
		first, second := s[0], s[1]
		e.assert(e.f.Implies(
			e.f.And(e.precedes(first.Acquire, second.Acquire), e.happens(second.Acquire)),
			e.precedes(first.Release, second.Acquire)))
	}
}

// assertReleasedByOthers encodes a lock that is also released by goroutines that do not hold it, or without
// having been acquired. Each release that happens ends a section that began before and that no
// other release ends. The end of a section is a solver event of its own, after the release: what
// begins later is compared with that one, and not with each release.
func (e *lockEncoder) assertReleasedByOthers(l *lock) {
	f := e.f
	sections, releases := e.openSections(l)
	ends, follows := e.pairing(sections, releases)
	pairs := 0
	for _, ks := range slices.Concat(ends, follows) {
		pairs += len(ks)
	}
	if pairs > maxPairs {
		e.err = fmt.Errorf("symbolic: %d sections of a lock that one goroutine takes and another releases are too many to encode", len(sections))
		return
	}
	if e.addWork(perPair, pairs); e.overLimit() {
		return
	}
	over := make([]solver.Event, len(sections))
	for k, s := range sections {
		over[k] = f.Event(fmt.Sprint("over ", s.Acquire))
	}
	ended := make([][]solver.Bool, len(sections))
	for n, rel := range releases {
		var some []solver.Bool
		for _, k := range ends[n] {
			acq := sections[k].Acquire
			b := f.Bool(fmt.Sprintf("ends %d %d", acq, rel))
			e.assert(f.Implies(b, f.And(e.precedes(acq, rel), e.happens(rel), f.Before(e.solverEvent(e.nodeOf(rel)), over[k]))))
			some, ended[k] = append(some, b), append(ended[k], b)
		}
		// The program ends at an Unlock of a free lock. So a release that happens has a section to
		// end.
		e.assertIf(rel, f.Or(some...))
		if e.m.event(rel).Kind == trace.RRelease { // sections that exclude each other end before the next one begins anyway
			e.atMostOne(some)
		}
	}
	for k, s := range sections {
		e.assert(f.Implies(f.Before(over[k], e.violation), f.Or(ended[k]...)))
		e.atMostOne(ended[k])
		e.endedBy[s.Acquire] = ended[k]
	}
	for n, b := range sections {
		if !e.isPast(b.Acquire) {
			for _, rel := range releases {
				e.noteComparison(rel, b.Acquire)
			}
		}
		for _, k := range follows[n] {
			e.assertIf(b.Acquire, f.Or(e.precedes(b.Acquire, sections[k].Acquire), f.Before(over[k], e.solverEvent(e.nodeOf(b.Acquire)))))
		}
	}
}

// pairing returns for each release of a lock that others release, which sections it may end, and for each section
// which others may be the last before it.
func (e *lockEncoder) pairing(sections []*facts.Section, releases []int32) (ends, follows [][]int) {
	ends, follows = make([][]int, len(releases)), make([][]int, len(sections))
	for n, rel := range releases {
		ends[n] = slices.DeleteFunc(e.maybeOpen(sections, rel), func(k int) bool {
			return sections[k].Shared() != (e.m.event(rel).Kind == trace.RRelease)
		})
	}
	for n, s := range sections {
		if !e.isPast(s.Acquire) {
			follows[n] = slices.DeleteFunc(e.maybeOpen(sections, s.Acquire), func(k int) bool { return k == n || !excludes(s, sections[k]) })
		}
	}
	return ends, follows
}

// maybeOpen returns which of the sections of a lock may be open when event i, a node, happens. It
// leaves out those that begin later, and those after which another section that excludes them
// begins before i.
func (e *lockEncoder) maybeOpen(sections []*facts.Section, i int32) []int {
	var before, other []int
	for k, s := range sections { // in recorded order, which agrees with what must precede what
		switch {
		case e.alwaysPrecedes(i, s.Acquire):
		case e.alwaysPrecedes(s.Acquire, i):
			before = slices.DeleteFunc(before, func(o int) bool {
				return excludes(s, sections[o]) && e.alwaysPrecedes(sections[o].Acquire, s.Acquire)
			})
			before = append(before, k)
		default:
			other = append(other, k)
		}
	}
	return append(before, other...)
}

// openSections returns the sections of a lock that others release, as far as events of the cone may end, by acquire,
// and the releases that may end them.
func (e *lockEncoder) openSections(l *lock) (sections []*facts.Section, releases []int32) {
	for s := range e.m.sections(l) {
		if !e.neverHappens(s.Acquire) && !e.isOver(s) {
			sections = append(sections, s)
		}
	}
	for _, rel := range l.releases {
		if !e.neverHappens(rel) && !e.isPast(rel) {
			releases = append(releases, rel)
		}
	}
	return sections, releases
}

// isOver reports whether a section has ended before all events that are encoded.
func (e *lockEncoder) isOver(s *facts.Section) bool { return s.Release != none && e.isPast(s.Release) }

// freeAtViolation says that all sections of the kind that the release at position rel ends, which
// have begun before the violation, have ended before it.
func (e *lockEncoder) freeAtViolation(rel int32) solver.Bool {
	ev := e.m.event(rel)
	l := e.m.lock(rel)
	if !l.releasedByOthers {
		return e.f.False() // its own section ends there, and nowhere else
	}
	free := e.f.True()
	sections, _ := e.openSections(l)
	for _, s := range sections {
		if s.Shared() == (ev.Kind == trace.RRelease) {
			free = e.f.And(free, e.f.Or(append(slices.Clone(e.endedBy[s.Acquire]), e.f.Not(e.happens(s.Acquire)))...))
		}
	}
	return free
}

// locksOver returns the locks that one goroutine holds exclusively from event i to event j.
//
// Only acquires that are held at both ends count: a lock that was released in between and acquired
// anew has let others in. Read locks do not count, as two goroutines may hold one at once.
func (m *Model) locksOver(i, j int32) map[uint64]bool {
	objs := make(map[uint64]bool)
	at := m.order.Held(int(j))
	for _, acq := range m.order.Held(int(i)) {
		if e := m.event(acq); e.Kind == trace.Acquire && slices.Contains(at, acq) && !m.lock(acq).releasedByOthers {
			objs[e.Obj] = true
		}
	}
	return objs
}
