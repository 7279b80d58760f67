package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
)

// orderedReads finds reads that find in each run what they found in the recorded one, by what must
// precede what alone. Most reads are such, and this is fast; the others are for the solver. A
// read without a race is one: the write that it found precedes it, and all other writes precede that
// write or follow the read.
type orderedReads struct {
	*Model
	unorderedPairs map[int32][]int32 // by cell; see unorderedUpTo
	compared       int               // pairs so far; see maxOrdered
}

// isFixed reports whether event i, a read or condition, does not depart in any run that is as
// recorded up to there, by the order of edges alone.
func (m *orderedReads) isFixed(i int32) bool {
	if m.event(i).Kind.IsAccess() {
		return m.findsRecorded(i)
	}
	return !slices.ContainsFunc(m.formula(i).Reads, func(r int32) bool { return r >= 0 && m.tracked(r) && !m.findsRecorded(r) })
}

// Ordered reports whether the condition of event i comes out as recorded in each run up to the
// first departure, since edges alone order the writes that its reads find.
func (m *Model) FixedByOrder(i int) bool {
	return m.formula(int32(i)) != nil && m.orderedReads.isFixed(int32(i))
}

// findsRecorded reports whether the read at position i finds in each such run, in each of its cells, what
// the same write left. That write precedes it, and every other write precedes both or follows both.
func (m *orderedReads) findsRecorded(i int32) bool {
	for c := range m.memory.cellsOf(i) {
		cl := &m.memory.cells[c]
		if !cl.shared {
			continue
		}
		source := m.memory.source(i, c)
		if m.isComputed(source) || source != none && !m.mustPrecede(source, i) {
			return false
		}
		ws := m.memory.writers(c)
		next, _ := slices.BinarySearch(ws, i+1)
		if next < len(ws) && !m.mustPrecede(i, ws[next]) {
			return false
		}
		if !m.writersInOrder(c, source, next) && !m.allOrderedWith(ws, source, i) {
			return false
		}
	}
	return true
}

// writersInOrder reports whether each write to cell c up to the one at position source follows the
// write before it, and so does each from index next on.
func (m *orderedReads) writersInOrder(c, source int32, next int) bool {
	ws, breaks := m.memory.writers(c), m.unorderedUpTo(c)
	k, _ := slices.BinarySearch(ws, source)
	return (source == none || breaks[k] == 0) && (next == len(ws) || breaks[next] == breaks[len(ws)-1])
}

// unorderedUpTo returns, for each write to cell c, how many of the writes up to it need not follow the
// write before them.
//
// These are prefix counts: a stretch of writes is in order if the count does not change along it.
// For the writes a, b, c and d, of which only c need not follow b, they are 0, 0, 1 and 1.
func (m *orderedReads) unorderedUpTo(c int32) []int32 {
	breaks, ok := m.unorderedPairs[c]
	if !ok {
		ws := m.memory.writers(c)
		breaks = make([]int32, len(ws))
		for k := 1; k < len(ws); k++ {
			if breaks[k] = breaks[k-1]; !m.mustPrecede(ws[k-1], ws[k]) {
				breaks[k]++
			}
		}
		m.unorderedPairs[c] = breaks
	}
	return breaks
}

// allOrderedWith reports whether each of the writes precedes the one at position source, follows
// event i, or is one of the two, as far as the effort suffices to find out.
func (m *orderedReads) allOrderedWith(writes []int32, source, i int32) bool {
	for _, w := range writes {
		if m.compared++; m.compared > maxOrdered {
			return false
		}
		if w != i && w != source && !m.mustPrecede(i, w) && !(source != none && m.mustPrecede(w, source)) {
			return false
		}
	}
	return true
}

// mustPrecede reports whether event i precedes the point at which event j is next, in each run that
// is as recorded up to there.
func (m *orderedReads) mustPrecede(i, j int32) bool {
	switch {
	case i >= j:
		return false
	case m.gid(i) == m.gid(j):
		return true
	}
	return m.Must().BeforeReached(int(i), int(j))
}

// Must returns the must clock of the model's edges. It is safe for concurrent use.
func (m *Model) Must() *order.Must { return m.must() }
