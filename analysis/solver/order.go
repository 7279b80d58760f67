package solver

import "slices"

// An order is the theory of the strict total order of events: the atoms that
// hold are the edges of a graph, and they are consistent exactly if it has no
// cycle. It keeps a topological order of the graph up to date while edges come
// and go (Pearce and Kelly, A Dynamic Topological Sort Algorithm for Directed
// Acyclic Graphs, JEA 2006). An edge that goes is only taken out: the order
// stays good for what is left.
//
// So events have no numbers that a solver would have to find, as in difference logic, and
// the topological order is at any time a total order in which all edges hold: when the
// search ends it is the model.
type order struct {
	// The topological order: if there is an edge from a to b, positionOf[a] < positionOf[b], but
	// for facts while unsorted is set. EventAt is its inverse.
	eventAt    []int32 // of each position: the event
	positionOf []int32 // of each event: its position

	out   []int32  // of each event: the newest edge from it, or -1
	in    []int32  // of each event: the newest edge to it, or -1
	edges []edge   // a stack: facts, and then the edges of the trail's literals, in its order
	atoms [][]atom // of each event

	unsorted bool // facts were added that the topological order does not follow

	// The state of graph searches. Each has a new stamp, so that nothing needs to be cleared.
	mark          []uint32 // of each event: stamp of the search that reached it
	stamp         uint32
	parent        []int32 // of each event reached: the edge that led to it
	forward       []int32 // of reorder: events to move after
	backward      []int32 // of reorder: events to move before
	queue         []int32 // of path: events at the present number of literals
	nextQueue     []int32 // of path: events one literal further
	freePositions []int32 // of reassign: the positions of both groups, ascending
	clause        []lit   // of path: its result
	work          int64   // edges and events looked at
}

// An edge says that one event is before another. The edges from an event, and those to it, are
// lists from the newest to the oldest; the newest edge is removed first, by two assignments.
type edge struct {
	from, to        int32
	nextOut, nextIn int32
	reason          lit // the literal that says so, or isFact
}

// isFact is the reason of an edge without a literal: program order, and what must precede what in
// each run.
const isFact lit = -1

// An atom at an event compares its place with another event's. Each atom is at both events, as
// either may move.
type atom struct {
	other int32
	first lit // the event is before the other
}

// newOrder returns an order without events.
func newOrder() *order { return &order{} }

// bytes estimates what the order holds.
func (o *order) bytes() int64 {
	const perEvent, perEdge = 64, 20
	return int64(len(o.eventAt)*perEvent + len(o.edges)*perEdge)
}

// grow makes room for events below n. New ones come last.
func (o *order) grow(n int) {
	more := n - len(o.eventAt)
	if more <= 0 {
		return
	}
	o.eventAt, o.positionOf, o.out, o.in = slices.Grow(o.eventAt, more), slices.Grow(o.positionOf, more), slices.Grow(o.out, more), slices.Grow(o.in, more)
	o.atoms, o.mark, o.parent = slices.Grow(o.atoms, more), slices.Grow(o.mark, more), slices.Grow(o.parent, more)
	for e := int32(len(o.eventAt)); int(e) < n; e++ {
		o.eventAt = append(o.eventAt, e)
		o.positionOf = append(o.positionOf, e)
		o.out = append(o.out, -1)
		o.in = append(o.in, -1)
		o.atoms = append(o.atoms, nil)
		o.mark = append(o.mark, 0)
		o.parent = append(o.parent, -1)
	}
}

// newAtom says that literal l stands for a before b.
func (o *order) newAtom(a, b int32, l lit) {
	o.atoms[a] = append(o.atoms[a], atom{b, l})
	o.atoms[b] = append(o.atoms[b], atom{a, l.not()})
}

// fact adds an edge that stays. It does not look for a cycle: sortFacts sorts all facts at once.
func (o *order) fact(a, b int32) {
	o.link(a, b, isFact)
	if o.positionOf[a] > o.positionOf[b] {
		o.unsorted = true
	}
}

// link adds an edge to the lists of its events.
func (o *order) link(a, b int32, why lit) {
	o.work++
	id := int32(len(o.edges))
	o.edges = append(o.edges, edge{a, b, o.out[a], o.in[b], why})
	o.out[a], o.in[b] = id, id
}

// sortFacts brings the order of events in line with the facts: of the events that
// may come next, the one that stood first (Kahn, Topological Sorting of Large Networks, CACM
// 1962). So the recorded order, in which the events were made, is kept as far as may be, and
// the first guess of the search is the run that was seen. It returns false if they form a
// cycle.
func (o *order) sortFacts() bool {
	if !o.unsorted {
		return true
	}
	o.work += int64(len(o.eventAt)) + int64(len(o.edges))
	waiting := make([]int32, len(o.eventAt))
	for _, e := range o.edges {
		waiting[e.to]++
	}
	ready := heap{activity: make([]float64, len(o.eventAt)), index: make([]int32, len(o.eventAt))}
	for e := range o.eventAt {
		ready.activity[e] = -float64(o.positionOf[e])
		ready.index[e] = -1
	}
	for e, n := range waiting {
		if n == 0 {
			ready.push(int32(e))
		}
	}
	placed := int32(0)
	for len(ready.items) > 0 {
		e := ready.pop()
		o.positionOf[e], o.eventAt[placed] = placed, e
		placed++
		for id := o.out[e]; id >= 0; id = o.edges[id].nextOut {
			to := o.edges[id].to
			if waiting[to]--; waiting[to] == 0 {
				ready.push(to)
			}
		}
	}
	o.unsorted = int(placed) < len(o.eventAt)
	return !o.unsorted
}

// sides returns the events that l says are in this order. A negated atom is the opposite order, as
// the order is total.
func sides(l lit, m meaning) (first, second int32) {
	if l&1 == 0 {
		return m.a, m.b
	}
	return m.b, m.a
}

// currentLiteral returns the literal of variable v that agrees with the current order: deciding it
// moves nothing.
func (o *order) currentLiteral(v int32, m meaning) lit {
	if o.positionOf[m.a] < o.positionOf[m.b] {
		return lit(v << 1)
	}
	return lit(v<<1 | 1)
}

// assert adds what l says. It returns false, and the conflict, if that closes a
// cycle.
func (o *order) assert(s *search, l lit, m meaning) bool {
	if s.reason[l.variable()] == byOrder {
		return true // there is a path already
	}
	u, v := sides(l, m)
	if o.positionOf[u] > o.positionOf[v] && !o.reorder(s, u, v) {
		o.path(s, v, u, int32(len(s.trail)))
		s.conflict = append(s.conflict[:0], l.not())
		s.conflict = append(s.conflict, o.clause...)
		return false
	}
	o.link(u, v, l)
	return true
}

// retract takes out the edge of l, if it is there: the newest.
func (o *order) retract(l lit) {
	last := len(o.edges) - 1
	if last < 0 || o.edges[last].reason != l {
		return
	}
	e := o.edges[last]
	o.out[e.from], o.in[e.to] = e.nextOut, e.nextIn
	o.edges = o.edges[:last]
}

// reorder moves u, and what must be before it, in front of v and what must be
// after that; v stood before u. It returns false if there is a path from v to u.
// Atoms between the two groups get their values.
//
// Both searches stay between the positions of v and u: what is outside of these stands
// right whatever comes of them. So what an edge costs depends on how far apart its
// events stand, and not on how many there are.
func (o *order) reorder(s *search, u, v int32) bool {
	o.stamp += 2
	ahead, behind := o.stamp, o.stamp+1
	low, high := o.positionOf[v], o.positionOf[u]
	o.forward = append(o.forward[:0], v)
	o.mark[v] = ahead
	for i := 0; i < len(o.forward); i++ {
		for id := o.out[o.forward[i]]; id >= 0; id = o.edges[id].nextOut {
			o.work++
			to := o.edges[id].to
			if to == u {
				return false
			}
			if o.mark[to] != ahead && o.positionOf[to] < high {
				o.mark[to] = ahead
				o.forward = append(o.forward, to)
			}
		}
	}
	o.backward = append(o.backward[:0], u)
	o.mark[u] = behind
	for i := 0; i < len(o.backward); i++ {
		for id := o.in[o.backward[i]]; id >= 0; id = o.edges[id].nextIn {
			o.work++
			from := o.edges[id].from
			if o.mark[from] != behind && o.positionOf[from] > low {
				o.mark[from] = behind
				o.backward = append(o.backward, from)
			}
		}
	}
	o.reassign()
	o.infer(s, ahead)
	return true
}

// reassign gives the positions of both groups first to the backward, then to the forward one;
// within each the order stays.
func (o *order) reassign() {
	const perEvent = 8 // to sort
	o.work += perEvent * int64(len(o.backward)+len(o.forward))
	byPosition := func(a, b int32) int { return int(o.positionOf[a]) - int(o.positionOf[b]) }
	slices.SortFunc(o.forward, byPosition)
	slices.SortFunc(o.backward, byPosition)
	o.freePositions = o.freePositions[:0]
	i, j := 0, 0
	for i < len(o.backward) || j < len(o.forward) {
		if j == len(o.forward) || i < len(o.backward) && o.positionOf[o.backward[i]] < o.positionOf[o.forward[j]] {
			o.freePositions = append(o.freePositions, o.positionOf[o.backward[i]])
			i++
		} else {
			o.freePositions = append(o.freePositions, o.positionOf[o.forward[j]])
			j++
		}
	}
	for i, e := range o.backward {
		o.positionOf[e], o.eventAt[o.freePositions[i]] = o.freePositions[i], e
	}
	for i, e := range o.forward {
		slot := o.freePositions[len(o.backward)+i]
		o.positionOf[e], o.eventAt[slot] = slot, e
	}
}

// infer gives values to the atoms between the backward and the forward group (theory propagation):
// each event of the one is before each of the other by the new edge. Other conclusions wait for
// a conflict.
func (o *order) infer(s *search, ahead uint32) {
	for _, e := range o.backward {
		o.work += 1 + int64(len(o.atoms[e]))
		for _, a := range o.atoms[e] {
			if o.mark[a.other] == ahead && s.value[a.first] == 0 {
				s.enqueue(a.first, byOrder)
			}
		}
	}
}

// explain returns the negations of literals, all older than l, that together
// give l by way of the order.
func (o *order) explain(s *search, l lit) []lit {
	v := l.variable()
	first, second := sides(l, s.meaning[v])
	o.path(s, first, second, s.trailPosition[v])
	return o.clause
}

// path finds a path of edges between two events, and leaves the negations of its literals in
// o.clause. The path has the fewest literals, as a short clause cuts off more of the search: it is
// found breadth first, and edges of facts cost nothing. All literals are older than position before
// of the trail, as a reason must be older than the literal that it explains.
func (o *order) path(s *search, from, to, before int32) {
	o.stamp += 2
	o.mark[from] = o.stamp
	o.queue = append(o.queue[:0], from)
	o.nextQueue = o.nextQueue[:0]
	done := o.stamp + 1 // reached with the fewest literals
	for o.mark[to] != done {
		if len(o.queue) == 0 {
			o.queue, o.nextQueue = o.nextQueue, o.queue
		}
		e := o.queue[len(o.queue)-1]
		o.queue = o.queue[:len(o.queue)-1]
		if o.mark[e] == done {
			continue
		}
		o.mark[e] = done
		for id := o.out[e]; id >= 0; id = o.edges[id].nextOut {
			o.work++
			x := o.edges[id]
			if o.mark[x.to] == done || o.positionOf[x.to] > o.positionOf[to] {
				continue
			}
			free := x.reason == isFact || s.level[x.reason.variable()] == 0
			if !free && s.trailPosition[x.reason.variable()] >= before {
				continue
			}
			if free {
				o.mark[x.to] = o.stamp
				o.parent[x.to] = id
				o.queue = append(o.queue, x.to)
			} else if o.mark[x.to] != o.stamp {
				o.mark[x.to] = o.stamp
				o.parent[x.to] = id
				o.nextQueue = append(o.nextQueue, x.to)
			}
		}
	}
	o.clause = o.clause[:0]
	for e := to; e != from; {
		x := o.edges[o.parent[e]]
		if x.reason != isFact && s.level[x.reason.variable()] > 0 {
			o.clause = append(o.clause, x.reason.not())
		}
		e = x.from
	}
}
