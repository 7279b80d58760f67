package causality

import (
	"slices"
	"sync"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A reach is a set of events, closed under program order: for each goroutine
// how far it goes, and for which properties.
type reach struct {
	of   [][]prefix
	gids []trace.GID // those of which of is not empty
	work []visit
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
	return &reach{of: make([][]prefix, len(m.t.Goroutines))}
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
		r.of[g] = r.of[g][:0]
	}
	r.gids = r.gids[:0]
}

// push adds the events of goroutine g up to position at.
func (r *reach) push(g trace.GID, at int32, in Labels) {
	ps := r.of[g]
	for _, p := range ps {
		if p.at >= at {
			in &^= p.in
		}
	}
	if in == 0 {
		return
	}
	if len(ps) == 0 {
		r.gids = append(r.gids, g)
	}
	ps = slices.DeleteFunc(ps, func(p prefix) bool { return p.at <= at && p.in&^in == 0 })
	r.of[g] = append(ps, prefix{at, in})
	r.work = append(r.work, visit{g, prefix{at, in}})
}

// upto returns the properties for which the set has event i of goroutine g.
func (r *reach) upto(g trace.GID, i int32) (in Labels) {
	for _, p := range r.of[g] {
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
