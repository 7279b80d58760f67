// Package waits finds goroutines that may wait for each other in a circle: the
// candidates for deadlocks in another order of the recorded events.
//
// It takes a trace and its [order.Order]. What a goroutine wants while it holds locks
// is a dependency: the lock that it is about to acquire, and those that it holds. All
// acquires with the same dependency are looked at as one, whichever goroutine's they
// are: the abstract lock dependencies of SPDOffline (Tunç, Mathur, Pavlogiannis and
// Viswanathan, Sound Dynamic Deadlock Prediction in Linear Time, PLDI 2023, §4). The
// circles of dependencies are few; each gets some sets of acquires that nothing keeps
// apart.
//
// A dependency waits for another one that holds the lock that it wants. A reader
// waits besides for a writer that wants the same lock: sync.RWMutex shuts out new
// readers as soon as a writer waits for those that are in.
//
// No circle has two dependencies with a lock in common that one of them holds for
// writing (a gate lock), two acquires of one goroutine, or an acquire that must come
// before the goroutine of another one gets to its own.
package waits

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A Circle is operations of which each may wait for the goroutine of the next, and the
// last for that of the first; or one, of a goroutine that waits for a condition and may have
// missed the signal.
type Circle struct {
	// Sets are such operations, positions in the trace: of each set one of each
	// goroutine. At most MaxSets.
	Sets [][]int
	// Exhaustive is set if Sets has all that there are for these dependencies.
	Exhaustive bool
}

// MaxSets is the number of sets that a circle keeps: more than one is needed, as the
// first may be infeasible where another is not.
const MaxSets = 16

// Found is what the search has found.
type Found struct {
	Circles []Circle // short ones first
	Locked  int      // pairs of dependencies that a gate lock keeps from being a circle
	Ordered int      // circles of which the must-order excludes all sets
	Cut     bool     // the search was given up before its end
	Spent   int      // dependencies, sets of acquires and operations looked at
}

// Find returns the circles of t, whose order is o. The time is linear in the number of
// events, with a bound for what comes of its dependencies, of which not more than most are
// looked at.
func Find(t *trace.Trace, o *order.Order, most int) Found {
	f := &finder{
		most: most,
		t:    t, o: o, ids: make(map[key]int32), holders: make(map[uint64][]int32), writers: make(map[uint64][]int32),
		ofOp: make(map[int32]int32), talkers: make(map[uint64][]int32), alike: make(map[alike]int), left: make(map[trace.SiteID]bool), seen: make(map[string]bool), circles: make(map[string]int), nexts: make(map[int32]nexts),
	}
	f.dependencies()
	f.connect()
	f.search()
	f.messages()
	f.mixed()
	return f.found
}

// A finder is the state of a search.
type finder struct {
	t       *trace.Trace
	o       *order.Order
	deps    []dependency
	ids     map[key]int32
	holders map[uint64][]int32 // by lock: dependencies that hold it
	writers map[uint64][]int32 // by lock: dependencies that want it for writing, where others read
	found   Found
	effort  int // what is left of it
	given   int // what it was
	most    int // what there is for all searches

	msgs    []message
	ofOp    map[int32]int32    // by operation: its message
	talkers map[uint64][]int32 // by lock: messages that hold it
	alike   map[alike]int
	// left are the sites of operations of which not all are looked at, or not all that they wait for.
	left    map[trace.SiteID]bool
	numbers numbering.Numbers[numbering.Word] // of channels
	chans   []channel
	seen    map[string]bool
	circles map[string]int // those with messages, by their places
	nexts   map[int32]nexts
	kept    int // operations in nexts
}

// A dependency is what goroutines want and what they hold then.
type dependency struct {
	want  order.Lock
	held  []order.Lock // without those that are handed over, sorted
	acqs  []int32      // where it is so: acquires, ascending; nil once they are in owns
	owns  []own        // likewise, by goroutine
	next  []int32      // the dependencies that it may wait for
	back  []int32      // those that may wait for it
	group int32        // dependencies that can reach each other have the same
}

// key tells dependencies apart.
type key struct {
	want  order.Lock
	set   order.LockSet // with want
	again bool          // want is in the set without this acquire too
}

// dependencies finds the dependencies of the trace: those that hold something, and
// writers that may shut out readers.
func (f *finder) dependencies() {
	handed := f.o.HandedOver()
	read := make(map[uint64]bool) // locks that have readers
	for _, s := range f.o.Sections() {
		if s.Shared {
			read[s.Obj] = true
		}
	}
	for _, s := range f.o.Sections() {
		held := f.o.Held(s.Acq)
		if len(held) < 2 && (s.Shared || !read[s.Obj]) || handed[s.Obj] || f.tries(s.Acq) {
			continue
		}
		k := key{want: s.Lock, set: f.o.LockSet(s.Acq), again: f.again(held, s.Obj)}
		id, ok := f.ids[k]
		if !ok {
			id = int32(len(f.deps))
			f.ids[k] = id
			f.deps = append(f.deps, dependency{want: s.Lock, held: f.without(held, s.Acq)})
		}
		d := &f.deps[id]
		d.acqs = append(d.acqs, int32(s.Acq))
	}
}

// tries reports whether the acquire at position i would give up rather than wait.
func (f *finder) tries(i int) bool { return f.t.Events[i].Flags&trace.FlagTry != 0 }

// again reports whether more than one of the acquires is of the lock.
func (f *finder) again(acqs []int32, lock uint64) bool {
	n := 0
	for _, a := range acqs {
		if f.t.Events[a].Obj == lock {
			n++
		}
	}
	return n > 1
}

// without returns the locks of acquires, but for that at position i.
func (f *finder) without(acqs []int32, i int) []order.Lock {
	var locks []order.Lock
	for _, a := range acqs {
		e := &f.t.Events[a]
		if int(a) != i && !f.o.HandedOver()[e.Obj] {
			locks = append(locks, order.Lock{Obj: e.Obj, Shared: e.Kind == trace.RAcquire})
		}
	}
	order.SortLocks(locks)
	return slices.Compact(locks)
}

// connect finds who may wait for whom.
func (f *finder) connect() {
	for n := range f.deps {
		d := &f.deps[n]
		for k, l := range d.held {
			if k == 0 || d.held[k-1].Obj != l.Obj {
				f.holders[l.Obj] = append(f.holders[l.Obj], int32(n))
			}
		}
		if !d.want.Shared {
			f.writers[d.want.Obj] = append(f.writers[d.want.Obj], int32(n))
		}
	}
	gated := make(map[[2]int32]bool)
	for n := range f.deps {
		d := &f.deps[n]
		for _, m := range f.holders[d.want.Obj] {
			if int(m) != n && f.waits(d, &f.deps[m]) {
				d.next = append(d.next, m)
			}
		}
		if d.want.Shared {
			d.next = append(d.next, f.writers[d.want.Obj]...)
		}
		for _, m := range d.next {
			if e := &f.deps[m]; m < int32(n) && order.Exclude(d.held, e.held) && slices.Contains(e.next, int32(n)) {
				gated[[2]int32{m, int32(n)}] = true
			}
		}
	}
	for n := range f.deps {
		for _, m := range f.deps[n].next {
			f.deps[m].back = append(f.deps[m].back, int32(n))
		}
	}
	f.found.Locked = len(gated)
}

// waits reports whether d, which wants a lock that e holds, has to wait for it.
func (f *finder) waits(d, e *dependency) bool {
	return slices.ContainsFunc(e.held, func(l order.Lock) bool {
		return l.Obj == d.want.Obj && !(l.Shared && d.want.Shared)
	})
}
