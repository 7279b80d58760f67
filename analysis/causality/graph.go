package causality

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// Labels is a set of properties of one graph, by their index.
type Labels uint64

// A Graph is the causality graph of one or more properties.
type Graph struct {
	m         *Model
	props     []Property
	barrier   []int32 // by goroutine: events below are before the barrier
	edges     map[Edge]Labels
	edgesInto map[trace.GID][]labelledEdge // the edges to the events of a goroutine, by to
	// closingEdges has for each property the edges that closed its cycles.
	closingEdges map[int][]Edge
	cyclic       Labels
	// needed is what runs of the properties perform, reached is scratch. Both are nil once
	// the graph is built.
	needed, reached *eventSet
	effort          int  // what may still be spent
	firstCycleOnly  bool // it is built up to the first cycle
}

// labelledEdge is an edge with the properties that it follows from.
type labelledEdge struct {
	from, to int32
	labels   Labels
	age      int // how many edges the graph had before
}

// effortLeft is what Partition and Chopped may take now.
func (m *Model) effortLeft() int { return int(min(effort, max(0, m.spentLimit-m.Spent()))) }

// Whole returns the graph of at most MaxLabels properties over the whole trace.
func (m *Model) Whole(props ...Property) *Graph {
	return m.build(make([]int32, len(m.t.Goroutines)), props, false, effort)
}

// Chopped returns the graph over what comes after the last causality barrier
// before the properties. It has the cycles of the whole one (Theorem 4).
func (m *Model) Chopped(props ...Property) *Graph {
	floor := m.floorBefore(props, m.effortLeft())
	return m.build(floor, props, false, m.effortLeft())
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
	g := m.build(m.floorBefore(props, effort), props, true, effort)
	if g.cyclic != 0 {
		return nil, false
	}
	return g.Edges(0), true
}

// floorBefore returns the last causality barrier before the properties, for the goroutines that
// have a part in them.
func (m *Model) floorBefore(props []Property, most int) []int32 {
	c := m.findBarrier(props, m.involved(props), most)
	m.spent.Add(int64(c.effort))
	return c.barrier
}

func (m *Model) build(floor []int32, props []Property, short bool, most int) *Graph {
	m.spent.Add(int64(len(floor)))
	g := &Graph{
		m: m, props: props, barrier: floor, effort: most, firstCycleOnly: short,
		edges:     make(map[Edge]Labels),
		edgesInto: make(map[trace.GID][]labelledEdge),
		needed:    m.newSet(), reached: m.newSet(),
	}
	defer g.release()
	for k, p := range props {
		for _, e := range p.Edges {
			g.add(e, 1<<k)
		}
	}
	for !g.isFinished() && g.round() {
	}
	m.spent.Add(int64(most - g.effort))
	return g
}

// release hands back the sets that were needed to build g, for other graphs.
func (g *Graph) release() {
	g.m.freeSets.put(g.needed)
	g.m.freeSets.put(g.reached)
	g.needed, g.reached = nil, nil
}

// isFinished reports whether no more edges are to be added.
func (g *Graph) isFinished() bool { return g.effort < 0 || g.firstCycleOnly && g.cyclic != 0 }

// round applies all rules once, and reports whether that has added edges.
func (g *Graph) round() bool {
	g.needed.clear()
	for k, p := range g.props {
		for _, i := range p.Needs {
			g.closeOver(g.needed, int32(i), 1<<k)
		}
	}
	changed := g.seed()
	for _, gid := range slices.Clone(g.needed.goroutines) {
		for _, s := range g.sectionsOf(gid) {
			if g.isFinished() {
				return false
			}
			changed = g.induce(s) || changed
		}
	}
	return changed
}

// seed adds the seed edges between needed events.
func (g *Graph) seed() (changed bool) {
	lo, hi := g.neededRange()
	seeds := g.m.seeds
	k, _ := slices.BinarySearchFunc(seeds, lo, func(s seed, lo int32) int { return cmp.Compare(s.to, lo) })
	for ; k < len(seeds) && seeds[k].to <= hi && !g.isFinished(); k++ {
		s := seeds[k]
		if in := g.neededIn(s.to) & g.neededIn(s.neededEvent); in != 0 {
			changed = g.add(Edge{int(s.from), int(s.to)}, in) || changed
		}
		g.effort--
	}
	return changed
}

// neededRange returns bounds of the positions of needed events after the barrier.
func (g *Graph) neededRange() (lo, hi int32) {
	lo = never
	for _, gid := range g.needed.goroutines {
		lo = min(lo, g.barrier[gid])
		for _, e := range g.needed.of(gid) {
			hi = max(hi, e.last)
		}
	}
	return lo, hi
}

// neededIn returns the properties whose runs perform event i.
func (g *Graph) neededIn(i int32) Labels { return g.needed.labelsOf(g.m.t.Events[i].G, i) }

// sectionsOf returns the needed sections of a goroutine after the barrier.
func (g *Graph) sectionsOf(gid trace.GID) []int32 {
	last := int32(-1)
	for _, e := range g.needed.of(gid) {
		last = max(last, e.last)
	}
	rows, sections := g.m.sections[gid], g.m.facts.Sections()
	compare := func(row, position int32) int { return cmp.Compare(sections[row].Acquire, position) }
	from, _ := slices.BinarySearchFunc(rows, g.barrier[gid], compare)
	to, _ := slices.BinarySearchFunc(rows, last+1, compare)
	return rows[from:max(from, to)]
}

// induce adds the edges that end at the begin of the section in a row: what began before
// its end must have ended before its begin.
func (g *Graph) induce(row int32) (changed bool) {
	s := &g.m.facts.Sections()[row]
	users := g.m.users[s.Lock()]
	in := g.neededIn(s.Acquire)
	if in == 0 || len(users) == 1 {
		return false
	}
	own := g.m.t.Events[s.Acquire].G
	end := endOf(s)
	if end == never {
		end = int32(g.m.o.Events(own).Last())
	}
	g.reached.clear()
	g.closeOver(g.reached, end, in)
	var found []labelledEdge
	for k := range users {
		u := &users[k]
		if u.g == own {
			continue
		}
		for _, r := range g.reached.of(u.g) {
			for _, n := range g.needed.of(u.g) {
				if both := r.labels & n.labels; both != 0 {
					found = g.addOverlapping(found, u, s, min(r.last, n.last), both)
				}
			}
		}
	}
	for _, e := range found {
		changed = g.add(Edge{int(e.from), int(e.to)}, e.labels) || changed
	}
	return changed
}

// addOverlapping adds to found what must have ended before section s begins, given that
// the event at position p of user u is before the end of s.
func (g *Graph) addOverlapping(found []labelledEdge, u *lockUser, s *facts.Section, p int32, in Labels) []labelledEdge {
	sides := []*sideSections{&u.writers, &u.readers}
	if s.Shared() {
		sides = sides[:1]
	}
	for _, side := range sides {
		acq, rel, ok := side.lastBefore(p)
		switch {
		case !ok || acq < g.barrier[u.g]:
		case rel == never:
			// It begins before s ends, and never ends itself.
			g.noteCycle(Edge{int(acq), int(s.Acquire)}, in)
		case !g.m.o.Before(int(rel), int(s.Acquire)):
			found = append(found, labelledEdge{from: rel, to: s.Acquire, labels: in})
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
	es := g.edgesInto[gid]
	k, _ := slices.BinarySearchFunc(es, int32(e.To), func(a labelledEdge, to int32) int { return cmp.Compare(a.to, to) })
	g.edgesInto[gid] = slices.Insert(es, k, labelledEdge{int32(e.From), int32(e.To), in, len(g.edges)})

	g.reached.clear()
	g.closeOver(g.reached, int32(e.From), in)
	if back := g.reached.labelsOf(gid, int32(e.To)); back != 0 {
		g.noteCycle(e, back)
	}
	return true
}

// noteCycle notes the cycles that edge e closes.
func (g *Graph) noteCycle(e Edge, in Labels) {
	g.cyclic |= in
	if g.closingEdges == nil {
		g.closingEdges = make(map[int][]Edge)
	}
	for ; in != 0; in &= in - 1 {
		k := bits.TrailingZeros64(uint64(in))
		if !slices.Contains(g.closingEdges[k], e) {
			g.closingEdges[k] = append(g.closingEdges[k], e)
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
