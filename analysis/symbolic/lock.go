package symbolic

import (
	"cmp"
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

// A lock is the operations of one mutex or RWMutex.
type lock struct {
	sections []section // by acquire
	// loose is set where some release does not end a section that its own
	// goroutine began: then who ends what is another question in each run.
	loose    bool
	releases []int32
	many     bool // several goroutines use it
}

// A section is a critical section.
type section struct {
	acq, rel int32 // rel is none if the trace does not have it
	shared   bool
}

// section returns the one that the event at position acq begins.
func (l *lock) section(acq int32) (s section, ok bool) {
	k, ok := slices.BinarySearchFunc(l.sections, acq, func(s section, i int32) int { return cmp.Compare(s.acq, i) })
	if ok {
		s = l.sections[k]
	}
	return s, ok
}

func newLocks(m *Control) *locks {
	ls := &locks{order: m.order, byObj: make(map[uint64]*lock)}
	ended := make([]bool, len(m.t.Events))
	for _, s := range m.order.Sections() {
		l := ls.get(s.Obj)
		l.sections = append(l.sections, section{int32(s.Acq), int32(s.Rel), s.Shared})
		l.many = l.many || m.gid(int32(s.Acq)) != m.gid(l.sections[0].acq)
		if s.Rel >= 0 {
			ended[s.Rel] = true
			l.loose = l.loose || m.gid(int32(s.Rel)) != m.gid(int32(s.Acq))
		}
	}
	for i := range m.t.Events {
		if e := &m.t.Events[i]; e.Kind == trace.Release || e.Kind == trace.RRelease {
			l := ls.get(e.Obj)
			l.releases = append(l.releases, int32(i))
			l.loose = l.loose || !ended[i]
		}
	}
	for _, l := range ls.byObj {
		l.many = l.many || l.loose
	}
	slices.Sort(ls.objs)
	return ls
}

func (ls *locks) get(obj uint64) *lock {
	l := ls.byObj[obj]
	if l == nil {
		n := ls.order.Uses(obj)
		l = &lock{sections: make([]section, 0, n), releases: make([]int32, 0, n)}
		ls.byObj[obj] = l
		ls.objs = append(ls.objs, obj)
	}
	return l
}
