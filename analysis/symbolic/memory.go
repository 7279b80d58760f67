package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// memory is what the trace tells of the contents of memory, by cell. A read that matters may find any
// write of the value that it found: the predecessor writes of the same value of Said et al., NFM 2011,
// definition 4. An update such as x++ is one read and one store whose value depends on
// nothing else. What it finds does not matter by itself, only what others read of it later.
//
// An example: x is 0 at first, g1 and g2 each write 1, and g3 reads 1. It may find either write; the
// formula chooses. If g2 writes 2 instead, only the write of g1 is left. That one then precedes the
// read in each run, and the model has an edge for it: see readEdges.
type memory struct {
	*accesses
	m             *Model
	cells         []cell
	initial       []uint64          // by cell: the value before the first write
	writersByCell [][]int32         // by cell: its writers, in recorded order
	updateStore   map[int32]int32   // by read of an update, such as x++: its store
	updateReads   map[int32][]int32 // by store of an update: its reads
	// computedWriters has by cell the writers whose formulas may give another value than recorded.
	// writersOfValues caches, by cell and value, the writers that left it there.
	computedWriters map[int32][]int32
	writersOfValues map[int32]map[uint64][]int32
}

// A cell is what is known of one cell of the layout. A trace has many.
type cell struct {
	initialKnown  bool // memory.initial has the value before the first write
	shared        bool // several goroutines access it, and one writes
	hasOtherReads bool // some read does more than update it
}

func newMemory(m *Model) *memory {
	cells := m.accesses.layout.Cells()
	mem := &memory{
		accesses: m.accesses, m: m, cells: make([]cell, cells), initial: make([]uint64, cells), updateStore: make(map[int32]int32), updateReads: make(map[int32][]int32),
		computedWriters: make(map[int32][]int32), writersOfValues: make(map[int32]map[uint64][]int32), writersByCell: make([][]int32, cells),
	}
	mem.fill()
	return mem
}

// writers returns the writers of cell c, in recorded order.
func (mem *memory) writers(c int32) []int32 { return mem.writersByCell[c] }

// fill finds the writers, the initial values and the uses of all cells.
func (mem *memory) fill() {
	by := make([]trace.GID, len(mem.cells))
	used, many := make([]bool, len(mem.cells)), make([]bool, len(mem.cells))
	for i := range mem.m.t.Events {
		e, pos := mem.m.event(int32(i)), int32(i)
		if e.Kind.IsAccess() && mem.m.sites.Of(e.Site).IsUpdate && !mem.m.tracked(pos) && !mem.m.strict {
			mem.noteUpdate(pos)
		}
		for c := range mem.cellsOf(pos) {
			cl := &mem.cells[c]
			// by is the goroutine of the last access. If it changes once, several goroutines use the
			// cell.
			many[c] = many[c] || used[c] && by[c] != e.G
			by[c], used[c] = e.G, true
			if e.Kind.IsRead() {
				_, half := mem.updateStore[pos]
				cl.hasOtherReads = cl.hasOtherReads || !half
			}
			// Up to the first write, what an access finds is the initial value.
			if len(mem.writersByCell[c]) == 0 && !cl.initialKnown {
				mem.initial[c], cl.initialKnown = mem.valueBefore(pos, c)
			}
			if e.Stores() {
				mem.writersByCell[c] = append(mem.writersByCell[c], pos)
				if mem.m.isComputed(pos) {
					mem.computedWriters[c] = append(mem.computedWriters[c], pos)
				}
			}
		}
	}
	for c := range mem.cells {
		mem.cells[c].shared = many[c] && len(mem.writersByCell[c]) > 0
	}
	mem.spreadOverUpdates(func(c *cell) *bool { return &c.hasOtherReads })
	mem.spreadOverUpdates(func(c *cell) *bool { return &c.shared })
}

// spreadOverUpdates makes a property of one cell of an update one of all its cells, since what an
// update stores in each depends on what was in all.
func (mem *memory) spreadOverUpdates(is func(*cell) *bool) {
	for again := true; again; {
		again = false
		for r := range mem.updateStore {
			some, all := false, true
			for c := range mem.cellsOf(r) {
				b := *is(&mem.cells[c])
				some, all = some || b, all && b
			}
			if some && !all {
				again = true
				for c := range mem.cellsOf(r) {
					*is(&mem.cells[c]) = true
				}
			}
		}
	}
}

// noteUpdate finds the store that belongs to the read of an update: the next event of the goroutine
// that is no read, if it writes the same memory.
func (mem *memory) noteUpdate(i int32) {
	e := mem.m.event(i)
	switch e.Kind {
	case trace.AtomicRMW:
		if e.Stores() {
			mem.updateStore[i], mem.updateReads[i] = i, []int32{i}
		}
	case trace.Read:
		next := mem.m.next(i)
		for next != none && mem.m.event(next).Kind == trace.Read {
			next = mem.m.next(next)
		}
		if next == none {
			return
		}
		if w := mem.m.event(next); w.Kind == trace.Write && w.Obj == e.Obj && w.Size == e.Size {
			mem.updateStore[i], mem.updateReads[next] = next, append(mem.updateReads[next], i)
		}
	}
}

// valueBefore returns what the access at position i found in cell c, if that is known.
func (mem *memory) valueBefore(i, c int32) (uint64, bool) {
	e := mem.m.event(i)
	if !e.Stores() {
		return mem.part(i, c)
	}
	if v, ok := mem.m.t.PriorValueAt(int(i)); ok {
		was := *e
		was.Val, was.Flags = v, was.Flags|trace.FlagValue
		return mem.piece(&was, c)
	}
	if mem.m.flow != nil && e.Kind == trace.AtomicRMW {
		return mem.m.flow.ValueBefore(mem.m.t, int(i))
	}
	return 0, false
}

// stale returns what the access at position i found in cell c, if that is not what its source left.
// Then something that the trace does not show has changed it, such as an allocator.
func (mem *memory) stale(i, c int32) (uint64, bool) {
	found, ok := mem.valueBefore(i, c)
	left, known := mem.valueLeft(mem.source(i, c), c)
	return found, ok && known && found != left
}

// valueLeft returns what writer w left in cell c; with none, the initial value.
func (mem *memory) valueLeft(w, c int32) (uint64, bool) {
	if w == none {
		return mem.initial[c], mem.cells[c].initialKnown
	}
	return mem.part(w, c)
}

// source returns the last writer of cell c before position i in the recorded run, or none.
func (mem *memory) source(i, c int32) int32 {
	ws := mem.writers(c)
	k, _ := slices.BinarySearch(ws, i)
	if k == 0 {
		return none
	}
	return ws[k-1]
}

// valueFound returns what the read at position i found in cell c. It is not ok if that is not
// known, or if an equal value elsewhere need not be the same.
func (mem *memory) valueFound(i, c int32) (uint64, bool) {
	if mem.m.event(i).IsLength() && !mem.m.tracked(i) {
		return 0, false
	}
	if !mem.m.event(i).Stores() {
		if v, ok := mem.part(i, c); ok {
			return v, true
		}
	}
	return mem.valueLeft(mem.source(i, c), c)
}

// sameValueWriters returns the writers that leave in cell c what the read at position i found
// there, ascending, and whether that was the initial value. The source is always among them.
func (mem *memory) sameValueWriters(i, c int32) (ws []int32, initially bool) {
	source := mem.source(i, c)
	v, ok := mem.valueFound(i, c)
	cl := &mem.cells[c]
	if !ok {
		if source == none {
			return nil, true
		}
		return []int32{source}, false
	}
	ws = mem.writersByValue(c)[v]
	if source == none {
		return ws, true
	}
	// The source left another value than the read found, or an unknown one; see stale. It is a
	// source all the same. All reads of this value share ws, hence the clone.
	if at, ok := slices.BinarySearch(ws, source); !ok {
		ws = slices.Insert(slices.Clone(ws), at, source)
	}
	return ws, cl.initialKnown && mem.initial[c] == v
}

// writersByValue returns the writers of cell c by the value that they left there, each ascending.
func (mem *memory) writersByValue(c int32) map[uint64][]int32 {
	byValue, known := mem.writersOfValues[c]
	if known {
		return byValue
	}
	byValue = make(map[uint64][]int32)
	for _, w := range mem.writers(c) {
		if v, ok := mem.part(w, c); ok {
			byValue[v] = append(byValue[v], w)
		}
	}
	mem.writersOfValues[c] = byValue
	return byValue
}

// matters reports whether a run goes on as recorded only if the read at position i finds what it
// found. Package feasible has the definition.
func (m *Model) matters(i int32) bool {
	if !m.event(i).Kind.IsRead() || m.relaxed || m.tracked(i) || m.movesData(i) {
		return false
	}
	_, half := m.memory.updateStore[i] // last, as it is the slowest to find out
	return !half
}

// movesData reports whether what the read at position i finds is only moved elsewhere.
func (m *Model) movesData(i int32) bool {
	e := m.event(i)
	return e.Kind == trace.Read && m.sites.Of(e.Site).OnlyStored && !m.tracked(i) && !m.relaxed && !m.strict
}

// readEdges returns edges to reads that matter and that can find what they found from one writer
// only. The edge begins at the writer, or at the end of its critical section if the lock excludes
// the read.
func (mem *memory) readEdges() (edges []edge) {
	for i := range mem.m.t.Events {
		pos := int32(i)
		if !mem.m.matters(pos) {
			continue
		}
		for c := range mem.cellsOf(pos) {
			cl := &mem.cells[c]
			if !cl.shared {
				continue
			}
			if source := mem.source(pos, c); source == none || mem.m.gid(source) == mem.m.gid(pos) {
				continue // a read's own goroutine needs no edge
			}
			ws, initially := mem.sameValueWriters(pos, c)
			other := func(w int32) bool { return w != ws[0] }
			// A computed writer may leave the same value in another run, so there must be no other
			// one.
			if len(ws) == 1 && !initially && !slices.ContainsFunc(mem.computedWriters[c], other) {
				edges = append(edges, edge{mem.m.endExcluding(ws[0], pos), pos, true})
			}
		}
	}
	return edges
}
