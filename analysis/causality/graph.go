package causality

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Labels is a set of properties of one graph, by their index.
type Labels uint64

// MaxLabels is the number of properties that one graph serves.
const MaxLabels = 64

// A Graph is the causality graph of one or more properties.
type Graph struct {
	m     *Model
	props []Property
	floor []int32 // by goroutine: events below are before the barrier
	edges map[Edge]Labels
	into  map[trace.GID][]labelled // the edges to the events of a goroutine, by to
	// closing is for each property the edges that closed its cycles.
	closing map[int][]Edge
	cyclic  Labels
	// needed is what runs of the properties perform, reached is scratch; both are there while it is built.
	needed, reached *reach
	effort          int  // what may still be spent
	short           bool // it ends with the first cycle
}

// labelled is an edge with the properties that it follows from.
type labelled struct {
	from, to int32
	in       Labels
	age      int // how many are older
}

// effort bounds the work for one graph, in events, edges and goroutines looked at,
// and as much that for its barrier. A graph that is not finished may miss
// cycles, and has no false ones. It has the edges of its properties in any case.
const effort = 1 << 22

// left is what Partition and Chopped may take now.
func (m *Model) left() int { return int(min(effort, max(0, m.until-m.Spent()))) }

// Whole returns the graph of at most MaxLabels properties over the whole trace.
func (m *Model) Whole(props ...Property) *Graph {
	return m.build(make([]int32, len(m.t.Goroutines)), props, false, effort)
}

// Chopped returns the graph over what comes after the last causality barrier
// before the properties. It has the cycles of the whole one (Theorem 4).
func (m *Model) Chopped(props ...Property) *Graph {
	floor := m.chop(props, m.left())
	return m.build(floor, props, false, m.left())
}

// Possible returns the edges of the chopped graph of a property, as [Graph.Edges] does; ok
// is false if it has a cycle, which is known once the first one is there. An edge against
// the must-order is one.
func (m *Model) Possible(p Property) (edges []Edge, ok bool) {
	for _, e := range p.Edges {
		if m.o.Before(e.To, e.From) {
			return nil, false
		}
	}
	props := []Property{p}
	g := m.build(m.chop(props, effort), props, true, effort)
	if g.cyclic != 0 {
		return nil, false
	}
	return g.Edges(0), true
}

// chop returns the last causality barrier before the properties, for the goroutines that
// have a part in them.
func (m *Model) chop(props []Property, most int) []int32 {
	c := m.cut(props, m.involved(props), most)
	m.spent.Add(int64(c.effort))
	return c.at
}

func (m *Model) build(floor []int32, props []Property, short bool, most int) *Graph {
	m.spent.Add(int64(len(floor)))
	g := &Graph{
		m: m, props: props, floor: floor, effort: most, short: short,
		edges:  make(map[Edge]Labels),
		into:   make(map[trace.GID][]labelled),
		needed: m.newReach(), reached: m.newReach(),
	}
	defer g.built()
	for k, p := range props {
		for _, e := range p.Edges {
			g.add(e, 1<<k)
		}
	}
	for !g.over() && g.round() {
	}
	m.spent.Add(int64(most - g.effort))
	return g
}

// built hands back what it takes to build g.
func (g *Graph) built() {
	g.m.reaches.put(g.needed)
	g.m.reaches.put(g.reached)
	g.needed, g.reached = nil, nil
}

// over reports whether the graph is as good as it gets.
func (g *Graph) over() bool { return g.effort < 0 || g.short && g.cyclic != 0 }

// round applies all rules once and reports whether that added anything.
func (g *Graph) round() bool {
	g.needed.clear()
	for k, p := range g.props {
		for _, i := range p.Needs {
			g.close(g.needed, int32(i), 1<<k)
		}
	}
	changed := g.seed()
	for _, gid := range slices.Clone(g.needed.gids) {
		for _, s := range g.sectionsOf(gid) {
			if g.over() {
				return false
			}
			changed = g.induce(s) || changed
		}
	}
	return changed
}

// seed adds the seed edges between needed events.
func (g *Graph) seed() (changed bool) {
	lo, hi := g.extent()
	seeds := g.m.seeds
	k, _ := slices.BinarySearchFunc(seeds, lo, func(s seed, lo int32) int { return cmp.Compare(s.to, lo) })
	for ; k < len(seeds) && seeds[k].to <= hi && !g.over(); k++ {
		s := seeds[k]
		if in := g.needs(s.to) & g.needs(s.iff); in != 0 {
			changed = g.add(Edge{int(s.from), int(s.to)}, in) || changed
		}
		g.effort--
	}
	return changed
}

// extent returns bounds of the positions of needed events after the barrier.
func (g *Graph) extent() (lo, hi int32) {
	lo = never
	for _, gid := range g.needed.gids {
		lo = min(lo, g.floor[gid])
		for _, e := range g.needed.of(gid) {
			hi = max(hi, e.at)
		}
	}
	return lo, hi
}

// needs returns the properties whose runs perform event i.
func (g *Graph) needs(i int32) Labels { return g.needed.upto(g.m.t.Events[i].G, i) }

// sectionsOf returns the needed sections of a goroutine after the barrier.
func (g *Graph) sectionsOf(gid trace.GID) []int32 {
	last := int32(-1)
	for _, e := range g.needed.of(gid) {
		last = max(last, e.at)
	}
	of := g.m.of[g.m.first[gid]:g.m.first[gid+1]]
	at := func(n, pos int32) int {
		acq, _, _ := g.m.o.Bounds(n)
		return cmp.Compare(acq, pos)
	}
	lo, _ := slices.BinarySearchFunc(of, g.floor[gid], at)
	hi, _ := slices.BinarySearchFunc(of, last+1, at)
	return of[lo:max(lo, hi)]
}

// induce adds the edges that end at the begin of section n: what began before
// its end must have ended before its begin.
func (g *Graph) induce(n int32) (changed bool) {
	s, users := g.m.o.SectionAt(n), g.m.locks[g.m.o.LockOf(n)].users
	in := g.needs(int32(s.Acq))
	if in == 0 || len(users) == 1 {
		return false
	}
	own := g.m.t.Events[s.Acq].G
	end := endOf(s)
	if end == never {
		end = int32(g.m.o.Events(own).Last())
	}
	g.reached.clear()
	g.close(g.reached, end, in)
	var found []labelled
	for k := range users {
		u := &users[k]
		if u.g == own {
			continue
		}
		for _, r := range g.reached.of(u.g) {
			for _, n := range g.needed.of(u.g) {
				if both := r.in & n.in; both != 0 {
					found = g.first(found, u, s, min(r.at, n.at), both)
				}
			}
		}
	}
	for _, e := range found {
		changed = g.add(Edge{int(e.from), int(e.to)}, e.in) || changed
	}
	return changed
}

// first adds to found what must have ended before section s begins, given that
// the event at position p of user u is before the end of s.
func (g *Graph) first(found []labelled, u *user, s order.Section, p int32, in Labels) []labelled {
	sides := []*stretch{&u.writers, &u.readers}
	if s.Shared {
		sides = sides[:1]
	}
	for _, side := range sides {
		acq, rel, ok := side.last(p)
		switch {
		case !ok || acq < g.floor[u.g]:
		case rel == never:
			// It begins before s ends, and never ends itself.
			g.cycle(Edge{int(acq), s.Acq}, in)
		case !g.m.o.Before(int(rel), s.Acq):
			found = append(found, labelled{from: rel, to: int32(s.Acq), in: in})
		}
	}
	return found
}

// add adds an edge, and reports whether it is new for one of the properties.
func (g *Graph) add(e Edge, in Labels) bool {
	in &^= g.edges[e]
	if in == 0 {
		return false
	}
	g.edges[e] |= in
	gid := g.m.t.Events[e.To].G
	es := g.into[gid]
	k, _ := slices.BinarySearchFunc(es, int32(e.To), func(a labelled, to int32) int { return cmp.Compare(a.to, to) })
	g.into[gid] = slices.Insert(es, k, labelled{int32(e.From), int32(e.To), in, len(g.edges)})

	g.reached.clear()
	g.close(g.reached, int32(e.From), in)
	if back := g.reached.upto(gid, int32(e.To)); back != 0 {
		g.cycle(e, back)
	}
	return true
}

// cycle notes the cycles that edge e closes.
func (g *Graph) cycle(e Edge, in Labels) {
	g.cyclic |= in
	if g.closing == nil {
		g.closing = make(map[int][]Edge)
	}
	for ; in != 0; in &= in - 1 {
		k := bits.TrailingZeros64(uint64(in))
		if !slices.Contains(g.closing[k], e) {
			g.closing[k] = append(g.closing[k], e)
		}
	}
}

// Cyclic returns the properties that no run can show.
func (g *Graph) Cyclic() Labels { return g.cyclic }

// Edges returns the edges of property k beyond the must-order, sorted.
func (g *Graph) Edges(k int) []Edge {
	var es []Edge
	for e, in := range g.edges {
		if in&(1<<k) != 0 {
			es = append(es, e)
		}
	}
	slices.SortFunc(es, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	return es
}
