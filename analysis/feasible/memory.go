package feasible

import (
	"math"
	"slices"
	"sort"

	"github.com/gopredict/gopredict/recorder/trace"
)

// memory lays out what the trace accesses. The bounds of all accesses cut the
// address space into cells, so that accesses of different sizes overlap in
// whole cells: each access covers a span of them.
type memory struct {
	cells []cell
	spans []span
	// from holds for each reading event, from info.arg on, the writer of each
	// cell of its span in the recorded order.
	from []int32
}

// A cell is a piece of memory that no access divides.
type cell struct {
	addr, size uint64 // in bytes
	// initial is what the cell held before its first write, where a read told.
	initial      uint64
	initialKnown bool
}

type span struct{ first, n int32 }

// extent returns where an access lies. An access without a size, as a
// sync.Map's, stands for its object as a whole.
func extent(e *trace.Event) (start, end uint64) {
	size := uint64(max(e.Size, 1))
	if e.Obj > math.MaxUint64-size {
		return e.Obj, math.MaxUint64
	}
	return e.Obj, e.Obj + size
}

// reads reports whether an event of kind k reads memory.
func reads(k trace.Kind) bool {
	return k == trace.Read || k == trace.AtomicLoad || k == trace.AtomicRMW
}

// writes reports whether e stores to memory.
func writes(e *trace.Event) bool {
	return e.Kind.IsWrite() && e.Flags&trace.FlagFailed == 0
}

// hasValue reports whether Val of an access holds what is in memory after it.
func hasValue(e *trace.Event) bool {
	return e.Flags&trace.FlagValue != 0 && e.Size >= 1 && e.Size <= 8
}

// compileMemory sets ref of each access, and arg of those that read.
func (p *program) compileMemory() *memory {
	type rng struct{ start, end uint64 }
	m := &memory{}
	ids := map[rng]int32{}
	var ranges []rng
	for i := range p.t.Events {
		e := &p.t.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		start, end := extent(e)
		r := rng{start, end}
		id, ok := ids[r]
		if !ok {
			id = int32(len(ranges))
			ids[r] = id
			ranges = append(ranges, r)
		}
		p.info[i].ref = id
	}

	var bounds []uint64
	for _, r := range ranges {
		bounds = append(bounds, r.start, r.end)
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	for i := 0; i+1 < len(bounds); i++ {
		m.cells = append(m.cells, cell{addr: bounds[i], size: bounds[i+1] - bounds[i]})
	}
	for _, r := range ranges {
		first := sort.Search(len(bounds), func(i int) bool { return bounds[i] >= r.start })
		end := sort.Search(len(bounds), func(i int) bool { return bounds[i] >= r.end })
		m.spans = append(m.spans, span{int32(first), int32(end - first)})
	}
	m.replay(p)
	return m
}

// replay finds who wrote what each read of the recorded order read.
func (m *memory) replay(p *program) {
	writer := make([]int32, len(m.cells))
	for c := range writer {
		writer[c] = none
	}
	for i := range p.t.Events {
		e := &p.t.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		sp := m.spans[p.info[i].ref]
		if reads(e.Kind) {
			p.info[i].arg = int32(len(m.from))
			m.from = append(m.from, writer[sp.first:sp.first+sp.n]...)
		}
		for c := sp.first; c < sp.first+sp.n; c++ {
			if writes(e) {
				writer[c] = int32(i)
			} else if writer[c] == none && !m.cells[c].initialKnown {
				m.cells[c].initial, m.cells[c].initialKnown = m.part(e, c)
			}
		}
	}
}

// part returns the piece of the access's value that lies in cell c, which the
// access covers.
func (m *memory) part(e *trace.Event, c int32) (uint64, bool) {
	cl := &m.cells[c]
	if !hasValue(e) || cl.addr-e.Obj >= 8 {
		return 0, false
	}
	v := e.Val >> (8 * (cl.addr - e.Obj))
	if cl.size < 8 {
		v &= 1<<(8*cl.size) - 1
	}
	return v, true
}

// value returns what the writer left in cell c.
func (m *memory) value(t *trace.Trace, writer, c int32) (uint64, bool) {
	if writer == none {
		return m.cells[c].initial, m.cells[c].initialKnown
	}
	return m.part(&t.Events[writer], c)
}

// recorded returns what the reading event e found in cell c in the trace,
// where writer was the last to write.
func (m *memory) recorded(t *trace.Trace, e *trace.Event, writer, c int32) (uint64, bool) {
	if !writes(e) && hasValue(e) {
		return m.part(e, c)
	}
	return m.value(t, writer, c)
}
