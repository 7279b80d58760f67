package minimize

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// WithoutUnread leaves out steps whose order does not matter to the violation: accesses to memory
// that is only written, or only counted up (trace.Site.IsUpdate) by atomic operations or under a
// lock, and then critical sections without other steps. Memory of the violation stays, and so do
// locks that are held there. A violation of one event may depend on all values, or on who holds
// a lock: then everything stays.
func WithoutUnread(s Schedule) []int {
	if len(s.Performed)+len(s.Pending) < 2 {
		return s.Steps
	}
	u := unread{Schedule: s, dropped: make([]bool, len(s.Steps))}
	u.dropAccesses()
	for u.dropSections() {
	}
	return without(s.Steps, u.dropped)
}

// An unread collects the steps to leave out.
type unread struct {
	Schedule
	dropped []bool // by step
}

// A pieceUse says how the steps access a piece of memory.
type pieceUse struct {
	read    bool     // some step depends on what is there, or the violation is about it
	counted bool     // a plain read of x++ is there
	locks   []uint64 // held at each plain access; nil: there was none
}

func (u *unread) dropAccesses() {
	mem := memoryOf(u.Trace, slices.Concat(u.Steps, u.Performed, u.Pending))
	uses := make([]pieceUse, len(mem.starts))
	read := func(k int) { mem.pieces(k, func(n int) { uses[n].read = true }) }
	for k := range len(u.Performed) + len(u.Pending) {
		read(len(u.Steps) + k)
	}
	held := make([]lockSet, len(u.Trace.Goroutines))
	for k, i := range u.Steps {
		e := &u.Trace.Events[i]
		held[e.G].execute(e)
		switch {
		case !e.Kind.IsAccess():
		case e.Kind == trace.AtomicLoad || !u.Trace.Sites[e.Site].IsUpdate && e.Kind != trace.Write && e.Kind != trace.AtomicStore:
			read(k)
		case e.Kind.IsPlain():
			mem.pieces(k, func(n int) {
				uses[n].locks = intersection(uses[n].locks, held[e.G])
				uses[n].counted = uses[n].counted || e.Kind == trace.Read
			})
		}
	}
	for k, i := range u.Steps {
		needed := !u.Trace.Events[i].Kind.IsAccess()
		mem.pieces(k, func(n int) {
			needed = needed || uses[n].read || uses[n].counted && len(uses[n].locks) == 0
		})
		u.dropped[k] = !needed
	}
}

// intersection returns the intersection of a and b. A nil a is the set of all locks.
func intersection(a []uint64, b lockSet) []uint64 {
	if a == nil {
		return append([]uint64{}, b...)
	}
	return slices.DeleteFunc(a, func(lock uint64) bool { return !slices.Contains(b, lock) })
}

// A lockSet has the locks that a goroutine holds, a lock that it has acquired for reading twice
// twice.
type lockSet []uint64

// execute updates the set by an event of its goroutine. It reports whether that was a release of a
// lock that is not in the set: another goroutine has acquired it, or it was acquired before the
// steps.
func (l *lockSet) execute(e *trace.Event) (foreign bool) {
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		*l = append(*l, e.Obj)
	case trace.Release, trace.RRelease:
		k := slices.Index(*l, e.Obj)
		if k < 0 {
			return true
		}
		*l = slices.Delete(*l, k, k+1)
	}
	return false
}

// dropSections drops the critical sections of each lock whose sections have all ended and have no
// steps left. It reports whether there were any.
func (u *unread) dropSections() bool {
	needed := make(map[uint64]bool) // locks
	ends := make(map[uint64][]int)  // by lock: the steps that acquire and release it
	held := make([]lockSet, len(u.Trace.Goroutines))
	need := func(g trace.GID, except uint64) {
		for _, lock := range held[g] {
			if lock != except {
				needed[lock] = true
			}
		}
	}
	for k, i := range u.Steps {
		e := &u.Trace.Events[i]
		if u.dropped[k] || !CanStep(e.Kind) {
			continue
		}
		own := uint64(0)
		if e.Kind.Class() == trace.ClassLock {
			own = e.Obj
			ends[own] = append(ends[own], k)
			if held[e.G].execute(e) {
				needed[own] = true
			}
		}
		need(e.G, own)
	}
	for g := range held {
		need(trace.GID(g), 0)
	}
	for _, i := range slices.Concat(u.Performed, u.Pending) {
		needed[u.Trace.Events[i].Obj] = true
	}
	found := false
	for lock, steps := range ends {
		if needed[lock] {
			continue
		}
		found = true
		for _, k := range steps {
			u.dropped[k] = true
		}
	}
	return found
}
