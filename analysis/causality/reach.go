package causality

import (
	"slices"
	"sync"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A reach is a set of events, closed under program order: for each goroutine
// how far it goes, and for which properties.
type reach struct {
	index    []int32     // by goroutine: one more than where its prefixes are, or 0 where there are none
	gids     []trace.GID // those that have some
	prefixes [][]prefix  // by index in gids
	work     []visit
}

// of returns the prefixes of goroutine g.
func (r *reach) of(g trace.GID) []prefix {
	if k := r.index[g]; k > 0 {
		return r.prefixes[k-1]
	}
	return nil
}

// A prefix is the events of a goroutine up to a position.
type prefix struct {
	at int32
	in Labels
}

type visit struct {
	g trace.GID
	prefix
}

// newReach returns an empty one, of those that graphs have handed back if there is one: to make it takes
// longer than most graphs where goroutines are many.
func (m *Model) newReach() *reach {
	f := &m.reaches
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.free); n > 0 {
		r := f.free[n-1]
		f.free = f.free[:n-1]
		return r
	}
	return &reach{index: make([]int32, len(m.t.Goroutines))}
}

// reaches are what graphs have handed back: a few, as few graphs are built at the same time.
type reaches struct {
	mu   sync.Mutex
	free []*reach
}

// put hands r back.
func (f *reaches) put(r *reach) {
	r.clear()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free = append(f.free, r)
}

func (r *reach) clear() {
	for _, g := range r.gids {
		r.index[g] = 0
	}
	r.gids, r.prefixes = r.gids[:0], r.prefixes[:0]
}

// push adds the events of goroutine g up to position at.
func (r *reach) push(g trace.GID, at int32, in Labels) {
	ps := r.of(g)
	for _, p := range ps {
		if p.at >= at {
			in &^= p.in
		}
	}
	if in == 0 {
		return
	}
	if len(ps) == 0 {
		r.begin(g)
		ps = r.of(g)
	}
	ps = slices.DeleteFunc(ps, func(p prefix) bool { return p.at <= at && p.in&^in == 0 })
	r.prefixes[r.index[g]-1] = append(ps, prefix{at, in})
	r.work = append(r.work, visit{g, prefix{at, in}})
}

// begin makes room for the prefixes of goroutine g, which has none: that of another one before r was cleared,
// if there is some.
func (r *reach) begin(g trace.GID) {
	r.gids = append(r.gids, g)
	n := len(r.gids)
	r.index[g] = int32(n)
	if n <= cap(r.prefixes) {
		r.prefixes = r.prefixes[:n]
		r.prefixes[n-1] = r.prefixes[n-1][:0]
	} else {
		r.prefixes = append(r.prefixes, nil)
	}
}

// upto returns the properties for which the set has event i of goroutine g.
func (r *reach) upto(g trace.GID, i int32) (in Labels) {
	for _, p := range r.of(g) {
		if p.at >= i {
			in |= p.in
		}
	}
	return in
}

// close adds to r event i and all that is before it by a causality chain, for
// each property that has the chain. Nothing before the barrier is looked at.
func (g *Graph) close(r *reach, i int32, in Labels) {
	g.push(r, g.m.t.Events[i].G, i, in)
	for len(r.work) > 0 && g.effort >= 0 {
		v := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		for h, last := range g.m.o.Ancestors(int(v.at)) {
			g.push(r, h, int32(last), v.in)
			g.effort--
		}
		for _, e := range g.into[v.g] {
			if e.to > v.at {
				break
			}
			if both := e.in & v.in; both != 0 {
				g.push(r, g.m.t.Events[e.from].G, e.from, both)
			}
			g.effort--
		}
	}
	r.work = r.work[:0]
}

func (g *Graph) push(r *reach, gid trace.GID, at int32, in Labels) {
	if at >= g.floor[gid] && in != 0 {
		r.push(gid, at, in)
	}
}
