package order

import (
	"iter"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A LockSet numbers a set of locks, each held for writing or for reading. Equal sets have
// equal numbers. 0 is the empty set.
type LockSet int32

// A Lock is a held lock.
type Lock struct {
	Obj    uint64
	Shared bool // the reader side of an RWMutex
}

// Acquired is the lock of an acquire.
func Acquired(e *trace.Event) Lock { return Lock{e.Obj, e.Kind.IsShared()} }

// Excludes reports whether sections of l and o cannot overlap.
func (l Lock) Excludes(o Lock) bool { return l.Obj == o.Obj && !(l.Shared && o.Shared) }

// A Section is one critical section: the positions of its acquire and of the release that
// ended it, which may be another goroutine's. Rel is -1 where the trace has none.
type Section struct {
	Lock
	Acq, Rel int
}

// Section returns the critical section that the acquire at position acq opens.
func (o *Order) Section(acq int) (Section, bool) {
	n := o.facts.SectionOf(acq)
	if n == facts.None || int(o.facts.Sections()[n].Acquire) != acq {
		return Section{}, false
	}
	return o.section(n), true
}

// Sections yields all critical sections and their numbers, by the positions of their acquires.
func (o *Order) Sections() iter.Seq2[int, Section] {
	return func(yield func(int, Section) bool) {
		for n := range o.facts.Sections() {
			if !yield(n, o.section(int32(n))) {
				return
			}
		}
	}
}

// section returns critical section number n.
func (o *Order) section(n int32) Section {
	s := &o.facts.Sections()[n]
	return Section{Acquired(&o.t.Events[s.Acquire]), int(s.Acquire), int(s.Release)}
}

// HandedOver returns the locks that a goroutine released which another one had acquired.
// Then holding such a lock does not mean that it is taken. The caller must not change the
// result.
func (o *Order) HandedOver() map[uint64]bool { return o.handedOver }

// handedOver lists the locks that are handed over.
func handedOver(f *facts.Facts) map[uint64]bool {
	all := make(map[uint64]bool)
	locks := f.Objects(trace.ClassLock)
	for n := range int32(locks.Len()) {
		if f.HandedOver(n) {
			all[locks.Object(n)] = true
		}
	}
	return all
}

// LockSet returns the locks that protect event i: those that its goroutine holds, from the
// acquire to the release, both included. Where another goroutine releases the lock, the
// section has the events, of all goroutines, that must come after its acquire and before
// its release.
func (o *Order) LockSet(i int) LockSet { return o.held.intervals[o.held.intervalAt(i)].set }

// Locks lists a lock set, sorted by lock. The caller must not change it.
func (o *Order) Locks(s LockSet) []Lock { return o.held.sets[s] }

// Exclude reports whether events under lock sets a and b cannot be adjacent: the sets have
// a lock in common, and not for reading in both.
func (o *Order) Exclude(a, b LockSet) bool { return Exclude(o.Locks(a), o.Locks(b)) }

// Held returns the positions of the acquires, by the goroutine of event i, of locks that
// nobody has released by then, the oldest first. The caller must not change them.
func (o *Order) Held(i int) []int32 { return o.held.acquiresIn(o.held.intervalAt(i)) }

// AppendHeldThroughout appends to locks those that a goroutine holds from its event i to its event j,
// each in one critical section.
func (o *Order) AppendHeldThroughout(locks []Lock, i, j int32) []Lock {
	// Acquires are compared, not locks: a lock that was released in between was free to others.
	after := o.Held(int(j))
	for _, acquire := range o.Held(int(i)) {
		if slices.Contains(after, acquire) {
			locks = append(locks, Acquired(&o.t.Events[acquire]))
		}
	}
	return locks
}

// Outermost returns the acquire of the outermost lock that protects event i (PECAN §6.1),
// or -1. Where locks are not nested, it is the acquire after which the goroutine has not
// been without a lock.
func (o *Order) Outermost(i int) int { return int(o.held.intervals[o.held.intervalAt(i)].outermost) }

// SortLocks sorts locks as those of a lock set are.
func SortLocks(locks []Lock) { slices.SortFunc(locks, compareLocks) }

func compareLocks(a, b Lock) int {
	switch {
	case a.Obj < b.Obj:
		return -1
	case a.Obj > b.Obj:
		return 1
	}
	return int(b2u(a.Shared)) - int(b2u(b.Shared))
}

func b2u(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Exclude reports whether two sets of locks, each sorted by lock, have one in common that
// one of them holds for writing.
func Exclude(x, y []Lock) bool {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].Obj < y[j].Obj:
			i++
		case x[i].Obj > y[j].Obj:
			j++
		case !x[i].Shared || !y[j].Shared:
			return true
		default:
			i, j = i+1, j+1
		}
	}
	return false
}
