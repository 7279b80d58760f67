package symbolic

import (
	"cmp"
	"iter"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// locks is the critical sections, by lock.
type locks struct {
	order *order.Order
	byObj map[uint64]*lock
	objs  []uint64 // in the order of their first events
}

// A lock is the operations of one mutex or RWMutex, or of a gate.
type lock struct {
	order    *order.Order
	numbers  []int32   // of the sections of a mutex, by acquire
	sections []section // of a gate, likewise
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
		for _, s := range l.sections {
			if !yield(s) {
				return
			}
		}
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
	if l.order == nil {
		k, ok := slices.BinarySearchFunc(l.sections, acq, func(s section, i int32) int { return cmp.Compare(s.acq, i) })
		if ok {
			s = l.sections[k]
		}
		return s, ok
	}
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
