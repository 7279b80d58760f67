package waits

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file finds the abstract lock dependencies of a trace (SPDOffline §4). The search visits
// these and not acquires: a loop that acquires the same two locks a million times has one
// dependency. Acquires are compared only for the few cycles that are found.

// A dependency is a lock that goroutines acquire, and the locks that they hold then.
type dependency struct {
	wanted order.Lock
	held   []order.Lock // without those that are handed over, sorted
	// acquires are the positions of the acquires, ascending; nil once they are in byGoroutine.
	acquires    []int32
	byGoroutine []goroutineAcquires
	waitsFor    []int32 // the dependencies that it may wait for
	waitedBy    []int32 // the dependencies that may wait for it
	component   int32   // number of its strongly connected component; -1 if it is on no cycle
}

// A dependencyKey identifies a dependency.
type dependencyKey struct {
	wanted    order.Lock
	set       order.LockSet // with want
	reentrant bool          // want is in the set without this acquire too
}

// A goroutineAcquires is acquires of one goroutine, ascending.
type goroutineAcquires struct {
	g        trace.GID
	acquires []int32
}

// findDependencies finds the dependencies that matter: those that hold a lock, and writers
// that may shut out readers.
func (f *finder) findDependencies() {
	read := make(map[uint64]bool) // locks that have readers
	for _, s := range f.order.Sections() {
		if s.Shared {
			read[s.Obj] = true
		}
	}
	for _, s := range f.order.Sections() {
		held := f.order.Held(s.Acq)
		// A goroutine that holds no other lock can only be part of a cycle if it shuts out
		// readers. A TryLock does not wait, and a lock that is handed over does not keep others
		// from it.
		if len(held) < 2 && (s.Shared || !read[s.Obj]) || f.handedOver(s.Obj) || f.isTry(s.Acq) {
			continue
		}
		k := dependencyKey{wanted: s.Lock, set: f.order.LockSet(s.Acq), reentrant: f.isReentrant(held, s.Obj)}
		n, known := f.numbers[k]
		if !known {
			n = int32(len(f.dependencies))
			f.numbers[k] = n
			f.dependencies = append(f.dependencies, dependency{wanted: s.Lock, held: f.locksOf(held, s.Acq)})
		}
		d := &f.dependencies[n]
		d.acquires = append(d.acquires, int32(s.Acq))
	}
}

// isReentrant reports whether more than one of the acquires is of the lock.
func (f *finder) isReentrant(acquires []int32, lock uint64) bool {
	n := 0
	for _, a := range acquires {
		if f.trace.Events[a].Obj == lock {
			n++
		}
	}
	return n > 1
}

// connect finds the edges of the graph: which dependency may wait for which.
func (f *finder) connect() {
	for n := range f.dependencies {
		d := &f.dependencies[n]
		for k, l := range d.held {
			if k == 0 || d.held[k-1].Obj != l.Obj {
				f.holders[l.Obj] = append(f.holders[l.Obj], int32(n))
			}
		}
		if !d.wanted.Shared {
			f.writers[d.wanted.Obj] = append(f.writers[d.wanted.Obj], int32(n))
		}
	}
	// A pair under a gate lock waits for each other, but never at the same time. Such pairs
	// are only counted.
	gated := make(map[[2]int32]bool)
	for n := range f.dependencies {
		d := &f.dependencies[n]
		for _, m := range f.holders[d.wanted.Obj] {
			if int(m) != n && d.wantsHeld(&f.dependencies[m]) {
				d.waitsFor = append(d.waitsFor, m)
			}
		}
		if d.wanted.Shared {
			d.waitsFor = append(d.waitsFor, f.writers[d.wanted.Obj]...)
		}
		for _, m := range d.waitsFor {
			if e := &f.dependencies[m]; m < int32(n) && order.Exclude(d.held, e.held) && slices.Contains(e.waitsFor, int32(n)) {
				gated[[2]int32{m, int32(n)}] = true
			}
		}
	}
	for n := range f.dependencies {
		for _, m := range f.dependencies[n].waitsFor {
			f.dependencies[m].waitedBy = append(f.dependencies[m].waitedBy, int32(n))
		}
	}
	f.found.GatedPairs = len(gated)
}

// wantsHeld reports whether d wants a lock that e holds, and has to wait for it.
func (d *dependency) wantsHeld(e *dependency) bool {
	return slices.ContainsFunc(e.held, d.wanted.Excludes)
}

// mustWait reports whether d has to wait for e: for a lock that e holds, or as a reader for
// a writer that wants the same lock.
func (d *dependency) mustWait(e *dependency) bool {
	return d.wantsHeld(e) || d.wanted.Shared && !e.wanted.Shared && d.wanted.Obj == e.wanted.Obj
}

// acquiresOf returns the acquires of d by goroutine, those that acquire first come first.
func (f *finder) acquiresOf(d *dependency) []goroutineAcquires {
	if d.byGoroutine != nil {
		return d.byGoroutine
	}
	index := make(map[trace.GID]int)
	for _, a := range d.acquires {
		g := f.trace.Events[a].G
		k, known := index[g]
		if !known {
			k = len(d.byGoroutine)
			index[g] = k
			d.byGoroutine = append(d.byGoroutine, goroutineAcquires{g: g})
		}
		d.byGoroutine[k].acquires = append(d.byGoroutine[k].acquires, a)
	}
	d.acquires = nil // byGoroutine has them: both would take twice the memory
	return d.byGoroutine
}
