package symbolic

import (
	"iter"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An edge says that from precedes to in each run that performs to. Edges are α of the formula. They
// are found once for a trace. The closures of cones follow them, the clocks of the timeline join over
// them, and the solver gets them as facts. Program order is not among them: positions say it.
//
// An example: go f() is an edge from the fork to the first event of f. A Once has one to the return
// of each Do, from the end of its function if that is in the trace. Edges of reads are marked, since
// a target may let a read find anything, and its edge does not hold then.
type edge struct {
	from, to int32
	read     bool // it holds because of what to reads
}

// edges are sorted by the goroutine of one end, then by that end, and then by the other one.
type edges struct {
	keys  [][]uint64 // by goroutine; see edge.key
	later bool       // sorted by the later end
}

// An edgeStretch is the edges with one end between two positions of a goroutine.
type edgeStretch struct {
	keys  []uint64
	later bool
}

// of returns the edges with one end in goroutine g at positions from lo to hi.
func (es *edges) of(g trace.GID, lo, hi int32) edgeStretch {
	keys := es.keys[g]
	from, _ := slices.BinarySearch(keys, uint64(max(lo, 0))<<32)
	to, _ := slices.BinarySearch(keys[from:], uint64(max(hi, 0))<<32)
	return edgeStretch{keys[from : from+to], es.later}
}

// all yields the edges.
func (s edgeStretch) all(yield func(edge) bool) {
	for _, key := range s.keys {
		if !yield(edgeOf(key, s.later)) {
			return
		}
	}
}

// sorted returns the edges of all, sorted by their later or by their earlier ends.
func (c *Control) sorted(later bool, all iter.Seq[edge]) edges {
	keys := make([][]uint64, len(c.t.Goroutines))
	for e := range all {
		g := c.gid(e.end(later))
		keys[g] = append(keys[g], e.key(later))
	}
	for _, own := range keys {
		slices.Sort(own)
	}
	return edges{keys, later}
}

// all yields the edges.
func (es edges) all(yield func(edge) bool) {
	for _, keys := range es.keys {
		for _, key := range keys {
			if !yield(edgeOf(key, es.later)) {
				return
			}
		}
	}
}

// end returns the later end of e, or the earlier one.
func (e edge) end(later bool) int32 {
	if later {
		return e.to
	}
	return e.from
}

// key packs e into a number that sorts by one end, and then by the other. Positions are below 2^31.
//
// Bits 32 to 63 hold the end to sort by, bits 1 to 31 the other one, and bit 0 the mark of reads. So
// a range of positions is a range of keys, which binary search finds.
func (e edge) key(later bool) uint64 {
	key := uint64(e.end(later))<<32 | uint64(e.end(!later))<<1
	if e.read {
		key |= 1
	}
	return key
}

// edgeOf returns the edge that has the key.
func edgeOf(key uint64, later bool) edge {
	first, second := int32(key>>32), int32(uint32(key)>>1)
	if !later {
		first, second = second, first
	}
	return edge{from: second, to: first, read: key&1 != 0}
}

// An edgeBuilder collects what must precede what.
type edgeBuilder struct {
	*Control
	edges []edge
}

// addEdge adds that from must precede to.
func (m *edgeBuilder) addEdge(from, to int32) {
	switch {
	case from == none || from > to:
		// Nothing in the trace could have enabled the event. No run is known to perform it.
		m.impossible[to] = true
	case m.gid(from) != m.gid(to):
		m.edges = append(m.edges, edge{from, to, false})
	}
}

// addSyncEdges adds the edges of goroutines, Onces and tokens.
func (m *edgeBuilder) addSyncEdges() {
	lastBarrier := int32(0) // the last event that awaited all events before it
	for i := range m.t.Events {
		e, pos := &m.t.Events[i], int32(i)
		switch e.Kind {
		case trace.Fork:
			if e.Obj < uint64(len(m.t.Goroutines)) && m.first(trace.GID(e.Obj)) != none {
				m.addEdge(pos, m.first(trace.GID(e.Obj)))
			}
		case trace.OnceDone:
			m.addOnceEdge(pos)
		case trace.Await:
			if e.Obj == 0 {
				m.addBarrierEdges(lastBarrier, pos)
				lastBarrier = pos
				continue
			}
			m.addEdgesFromLast(pos, slices.Backward(m.facts.Posts(i)))
		}
	}
}

// addOnceEdge orders the function of a Once before a return of Do.
func (m *edgeBuilder) addOnceEdge(done int32) {
	row := m.facts.OnceOf(int(done))
	if row == none {
		return
	}
	once := m.facts.Onces()[row]
	switch {
	case m.ignoreCommuting && m.hasNoEffects(once.Begin):
	case once.End != none && once.End < done:
		m.addEdge(once.End, done)
	default:
		m.addEdge(once.Begin, done)
	}
}

// addEdgesFromLast orders the last event of each goroutine before event to. The events come from the last
// to the first.
//
// Program order gives the same for the earlier events of each goroutine.
func (m *edgeBuilder) addEdgesFromLast(to int32, backward iter.Seq2[int, int32]) {
	seen := map[trace.GID]bool{}
	for _, from := range backward {
		if g := m.gid(from); !seen[g] {
			seen[g] = true
			m.addEdge(from, to)
		}
	}
}

// addBarrierEdges orders all events since the last barrier before the one at pos, which awaits them.
func (m *edgeBuilder) addBarrierEdges(last, pos int32) {
	m.addEdgesFromLast(pos, func(yield func(int, int32) bool) {
		for i := pos - 1; i >= last; i-- {
			if !yield(0, i) {
				return
			}
		}
	})
}

// Edges yields what must precede what, in other goroutines, in each run of the model. That includes
// reads that can find what they found from one writer only. Edges are sorted by their later ends.
func (m *Model) Edges() iter.Seq[order.Edge] {
	return func(yield func(order.Edge) bool) {
		for i := range m.t.Events {
			for in := range m.edgesInto(m.t.Events[i].G, int32(i), int32(i)+1).all {
				if !yield(order.Edge{From: in.from, To: in.to}) {
					return
				}
			}
		}
	}
}

// edgesInto returns the edges to the events of goroutine g at positions from lo to hi.
func (m *Model) edgesInto(g trace.GID, lo, hi int32) edgeStretch { return m.edgesByLater.of(g, lo, hi) }

// edgesFrom returns the edges from the events of goroutine g at positions from lo to hi.
func (m *Model) edgesFrom(g trace.GID, lo, hi int32) edgeStretch {
	return m.edgesByEarlier.of(g, lo, hi)
}

// hasEdges reports whether event i has an edge to or from another goroutine.
func (m *Model) hasEdges(i int32) bool {
	g := m.gid(i)
	return len(m.edgesInto(g, i, i+1).keys) > 0 || len(m.edgesFrom(g, i, i+1).keys) > 0
}
