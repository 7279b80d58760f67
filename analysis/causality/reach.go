package causality

import (
	"slices"
	"sync"

	"github.com/gopredict/gopredict/recorder/trace"
)

// An eventSet is a set of events, closed under program order: for each goroutine
// how far it goes, and for which properties.
type eventSet struct {
	index      []int32     // by goroutine: one more than its index in prefixes, or 0 where it has none
	goroutines []trace.GID // those that have some
	prefixes   [][]prefix  // by index in gids
	work       []visit
}

// of returns the prefixes of goroutine g.
func (r *eventSet) of(g trace.GID) []prefix {
	if k := r.index[g]; k > 0 {
		return r.prefixes[k-1]
	}
	return nil
}

// A prefix is the events of a goroutine up to a position.
type prefix struct {
	last   int32
	labels Labels
}

type visit struct {
	g trace.GID
	prefix
}

// newSet returns an empty set, if possible one that a graph has handed back. To allocate one
// takes longer than most graphs where there are many goroutines.
func (m *Model) newSet() *eventSet {
	f := &m.freeSets
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.free); n > 0 {
		r := f.free[n-1]
		f.free = f.free[:n-1]
		return r
	}
	return &eventSet{index: make([]int32, len(m.t.Goroutines))}
}

// A freeList is the sets that graphs have handed back. They are few, as few graphs are built at the
// same time.
type freeList struct {
	mu   sync.Mutex
	free []*eventSet
}

// put hands r back.
func (f *freeList) put(r *eventSet) {
	r.clear()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free = append(f.free, r)
}

func (r *eventSet) clear() {
	for _, g := range r.goroutines {
		r.index[g] = 0
	}
	r.goroutines, r.prefixes = r.goroutines[:0], r.prefixes[:0]
}

// push adds the events of goroutine g up to position at.
func (r *eventSet) push(g trace.GID, at int32, in Labels) {
	ps := r.of(g)
	for _, p := range ps {
		if p.last >= at {
			in &^= p.labels
		}
	}
	if in == 0 {
		return
	}
	if len(ps) == 0 {
		r.addGoroutine(g)
		ps = r.of(g)
	}
	ps = slices.DeleteFunc(ps, func(p prefix) bool { return p.last <= at && p.labels&^in == 0 })
	r.prefixes[r.index[g]-1] = append(ps, prefix{at, in})
	r.work = append(r.work, visit{g, prefix{at, in}})
}

// addGoroutine makes room for the prefixes of goroutine g, which has none. It takes the room
// that another goroutine had before r was cleared, if there is some.
func (r *eventSet) addGoroutine(g trace.GID) {
	r.goroutines = append(r.goroutines, g)
	n := len(r.goroutines)
	r.index[g] = int32(n)
	if n <= cap(r.prefixes) {
		r.prefixes = r.prefixes[:n]
		r.prefixes[n-1] = r.prefixes[n-1][:0]
	} else {
		r.prefixes = append(r.prefixes, nil)
	}
}

// labelsOf returns the properties for which the set has event i of goroutine g.
func (r *eventSet) labelsOf(g trace.GID, i int32) (in Labels) {
	for _, p := range r.of(g) {
		if p.last >= i {
			in |= p.labels
		}
	}
	return in
}

// closeOver adds to r event i and all events that a causality chain leads from to it, for each
// property that has the chain (§3.4). Events before the barrier are left out: no chain that
// matters goes through them.
func (g *Graph) closeOver(r *eventSet, i int32, in Labels) {
	g.pushAfterBarrier(r, g.m.t.Events[i].G, i, in)
	for len(r.work) > 0 && g.effort >= 0 {
		v := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		for h, last := range g.m.o.Ancestors(int(v.last)) {
			g.pushAfterBarrier(r, h, int32(last), v.labels)
			g.effort--
		}
		for _, e := range g.edgesInto[v.g] {
			if e.to > v.last {
				break
			}
			if both := e.labels & v.labels; both != 0 {
				g.pushAfterBarrier(r, g.m.t.Events[e.from].G, e.from, both)
			}
			g.effort--
		}
	}
	r.work = r.work[:0]
}

func (g *Graph) pushAfterBarrier(r *eventSet, gid trace.GID, at int32, in Labels) {
	if at >= g.barrier[gid] && in != 0 {
		r.push(gid, at, in)
	}
}
