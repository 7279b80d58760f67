package causality

import (
	"cmp"
	"iter"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Barrier returns a last causality barrier before the properties: by goroutine
// the position of the first event after it. What is before can happen as it was
// recorded.
func (m *Model) Barrier(props ...Property) []int32 {
	c := m.findBarrier(props, m.byLastEvent, effort)
	m.spent.Add(int64(c.effort))
	return c.barrier
}

// findBarrier finds a last causality barrier as Algorithm 2 does, for any number of
// goroutines: no goroutine holds a lock at it, all vertices of the properties
// are after it, and no seed edge leads from after it to before it.
//
// Unlike the paper's, seed edges may lead from before it to after it: what is
// before can be run as it was recorded, and is then done. No chain leads back
// over the barrier, so that no cycle does.
//
// The barrier is one for the goroutines of gids, of which there must be all that
// have an event before a vertex by the must-order; others are after it as a
// whole.
//
// If it takes more than most to find, the barrier is the start of the trace.
func (m *Model) findBarrier(props []Property, gids []trace.GID, most int) *barrierSearch {
	c := &barrierSearch{m: m, barrier: make([]int32, len(m.t.Goroutines)), lowest: never}
	for _, p := range props {
		for i := range p.vertices() {
			c.end = max(c.end, int32(i)+1)
		}
	}
	for _, g := range gids {
		c.barrier[g] = never
		c.moveBack(g, c.end)
		if first := m.o.Events(g).First(); first >= 0 && int32(first) < c.end {
			c.goroutines = append(c.goroutines, g)
		}
	}
	slices.SortFunc(c.goroutines, func(a, b trace.GID) int { return cmp.Compare(m.ends[b].last, m.ends[a].last) })
	for _, p := range props {
		for i := range p.vertices() {
			c.moveBack(m.t.Events[i].G, int32(i))
		}
	}
	for again := true; again; again = c.moveBackForSeeds() {
		for len(c.work) > 0 {
			if c.effort > most {
				clear(c.barrier)
				c.lowest = 0
				return c
			}
			g := c.work[len(c.work)-1]
			c.work = c.work[:len(c.work)-1]
			c.moveOthersBack(g)
		}
	}
	return c
}

// vertices yields the events that p speaks of.
func (p *Property) vertices() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, i := range p.Needs {
			if !yield(i) {
				return
			}
		}
		for _, e := range p.Edges {
			if !yield(e.From) || !yield(e.To) {
				return
			}
		}
	}
}

// involved returns the goroutines that have an event before a vertex of a
// property: those of which a graph may need to know.
func (m *Model) involved(props []Property) (gids []trace.GID) {
	seen := make([]bool, len(m.t.Goroutines))
	add := func(g trace.GID) {
		if !seen[g] {
			seen[g] = true
			gids = append(gids, g)
		}
	}
	for _, p := range props {
		for i := range p.vertices() {
			add(m.t.Events[i].G)
			for g := range m.o.Ancestors(i) {
				add(g)
			}
		}
	}
	return gids
}

// A barrierSearch is a barrier in the making.
type barrierSearch struct {
	m           *Model
	barrier     []int32     // by goroutine
	goroutines  []trace.GID // those that it is for and that begin before hi, who ends last first
	lowest, end int32       // its lowest position, and the end of the last vertex
	work        []trace.GID // goroutines that have been moved back
	effort      int         // what was spent
}

// moveBack moves goroutine g back to its last lock-free state before position i.
func (c *barrierSearch) moveBack(g trace.GID, i int32) {
	if i >= c.barrier[g] {
		return
	}
	c.barrier[g] = c.m.lockFree(g, i)
	c.lowest = min(c.lowest, c.barrier[g])
	if c.barrier[g] < c.end { // else nothing before the barrier comes after it
		c.work = append(c.work, g)
	}
}

// lockFree returns the last position, at or below i, before which goroutine g
// holds no lock.
func (m *Model) lockFree(g trace.GID, i int32) int32 {
	if first := m.o.Events(g).First(); first < 0 || int32(first) >= i {
		return i
	}
	if m.ends != nil && m.ends[g].last < i {
		return min(i, m.ends[g].lockFree)
	}
	if next := m.o.Events(g).FirstFrom(int(i)); next >= 0 {
		if outer := m.o.Outermost(next); outer >= 0 {
			return min(i, int32(outer))
		}
		return i
	}
	last := m.o.Events(g).LastBefore(int(i))
	if last < 0 {
		return i
	}
	for _, acq := range m.o.Held(last) {
		if endOf(m.section(acq)) > int32(last) {
			return int32(m.o.Outermost(last))
		}
	}
	return i
}

// moveOthersBack moves the other goroutines back to before what must come after the first event of
// goroutine g after the barrier.
func (c *barrierSearch) moveOthersBack(g trace.GID) {
	first := c.m.o.Events(g).FirstFrom(int(c.barrier[g]))
	if first < 0 {
		return
	}
	for _, h := range c.goroutines {
		if c.effort++; c.m.ends[h].last < int32(first) {
			break // none of its events is after first, nor are those of the goroutines to come
		}
		if h == g || c.barrier[h] <= int32(first) {
			continue // nothing of it is between
		}
		c.effort += searchCost
		es := c.m.o.Events(h)
		if last := es.LastBefore(int(c.barrier[h])); last < first || !c.m.o.Before(first, last) {
			continue // as it is with most
		}
		c.moveBack(h, int32(es.Find(func(i int) bool { return i >= first && c.m.o.Before(first, i) })))
	}
}

// moveBackForSeeds moves back goroutines to which a seed leads from after the barrier to before it.
func (c *barrierSearch) moveBackForSeeds() (pulled bool) {
	k, _ := slices.BinarySearchFunc(c.m.seeds, c.lowest, func(s seed, lo int32) int { return cmp.Compare(s.to, lo) })
	for ; k < len(c.m.seeds) && c.m.seeds[k].to < c.end; k++ {
		s := c.m.seeds[k]
		from, to := c.m.t.Events[s.from].G, c.m.t.Events[s.to].G
		if s.from >= c.barrier[from] && s.to < c.barrier[to] {
			c.moveBack(to, s.to)
			pulled = true
		}
	}
	return pulled
}
