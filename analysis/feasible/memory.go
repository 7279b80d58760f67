package feasible

import (
	"github.com/gopredict/gopredict/recorder/trace"
)

// memory has the memory that a trace accesses, as cells ([trace.Layout]). Each
// access covers a span of them.
type memory struct {
	layout *trace.Layout
	// By cell of the layout.
	cells []cell
	// By cell: its value before its first write, if that write or a read shows
	// it.
	initial []uint64
	// from has for each read, from the index program.refs on, the writer of
	// each shared cell of its span in the recorded order. Cells that are not
	// shared have the same writer in every order.
	from []int32
}

// A cell is a piece of memory that no access divides.
type cell struct {
	// memory.initial has its value.
	known bool
	// Several goroutines access it, and one of them writes.
	shared bool
}

// reads reports whether an event of kind k reads memory.
func reads(k trace.Kind) bool {
	return k == trace.Read || k == trace.AtomicLoad || k == trace.AtomicRMW
}

// writes reports whether e stores to memory.
func writes(e *trace.Event) bool {
	return e.Kind.IsWrite() && e.Flags&trace.FlagFailed == 0
}

// isWord reports whether Val of an access is the value in memory after it, and
// not a digest of it.
func isWord(e *trace.Event) bool { return e.HasValue() && e.Size <= 8 }

// span is what the access at pos covers.
func (m *memory) span(pos int32) trace.Span { return m.layout.Spans[m.layout.SpanOf[pos]] }

// layOutMemory sets ref of each access that reads.
func (p *program) layOutMemory(l *trace.Layout) *memory {
	m := &memory{layout: l, cells: make([]cell, l.Cells()), initial: make([]uint64, l.Cells())}
	m.findShared(p)
	m.findWriters(p)
	return m
}

// findShared finds the cells whose last writer depends on the order of the
// events: several goroutines access them and one writes, or events write them
// that a schedule may leave out.
func (m *memory) findShared(p *program) {
	const nobody = -1
	type use struct {
		g             int32
		many, written bool
	}
	uses := make([]use, len(m.cells))
	for c := range uses {
		uses[c].g = nobody
	}
	for i := range p.t.Events {
		e := &p.t.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		sp := m.span(int32(i))
		for c := sp.First; c < sp.First+sp.N; c++ {
			u := &uses[c]
			u.many = u.many || u.g != nobody && u.g != int32(e.G)
			u.g = int32(e.G)
			u.written = u.written || writes(e)
		}
	}
	for c, u := range uses {
		m.cells[c].shared = u.many && u.written
	}
	for i := range p.t.Events {
		end, ok := p.slice.ScopeEnd(i)
		if !ok {
			continue
		}
		for k := p.next(int32(i)); k != int32(end); k = p.next(k) {
			if e := &p.t.Events[k]; e.Kind.IsAccess() && writes(e) {
				sp := m.span(k)
				for c := sp.First; c < sp.First+sp.N; c++ {
					m.cells[c].shared = true
				}
			}
		}
	}
}

// findWriters finds the writers of the values of each read in the recorded
// order, and the initial values of cells.
func (m *memory) findWriters(p *program) {
	writer := make([]int32, len(m.cells))
	for c := range writer {
		writer[c] = none
	}
	for i := range p.t.Events {
		e := &p.t.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		sp := m.span(int32(i))
		if reads(e.Kind) {
			p.refs[i] = int32(len(m.from))
			for c := sp.First; c < sp.First+sp.N; c++ {
				if m.cells[c].shared {
					m.from = append(m.from, writer[c])
				}
			}
		}
		found := *e
		tells := !writes(e)
		if v, held := p.t.PriorValueAt(i); held && !tells {
			found.Val, found.Flags, tells = v, found.Flags|trace.FlagValue, true
		} else if e.Kind == trace.AtomicRMW && !tells {
			found.Val, tells = p.flow.ValueBefore(p.t, i)
		}
		for c := sp.First; c < sp.First+sp.N; c++ {
			if tells && writer[c] == none && !m.cells[c].known {
				m.initial[c], m.cells[c].known = m.part(&found, c)
			}
			if writes(e) {
				writer[c] = int32(i)
			}
		}
	}
}

// part returns the part of the access's value that lies in cell c, which the
// access covers. A digest has only one part.
func (m *memory) part(e *trace.Event, c int32) (uint64, bool) {
	cl := m.layout.Cell(c)
	if !isWord(e) {
		return e.Val, e.HasValue() && cl.Size == uint64(e.Size)
	}
	if cl.Addr-e.Obj >= 8 {
		return 0, false
	}
	v := e.Val >> (8 * (cl.Addr - e.Obj))
	if cl.Size < 8 {
		v &= 1<<(8*cl.Size) - 1
	}
	return v, true
}

// value returns the value that the writer left in cell c.
func (m *memory) value(t *trace.Trace, writer, c int32) (uint64, bool) {
	if writer == none {
		return m.initial[c], m.cells[c].known
	}
	return m.part(&t.Events[writer], c)
}

// recorded returns the value that the read e found in cell c in the trace,
// which writer had written.
func (m *memory) recorded(t *trace.Trace, e *trace.Event, writer, c int32) (uint64, bool) {
	if e.IsLength() {
		return 0, false
	}
	if !writes(e) {
		if v, ok := m.part(e, c); ok {
			return v, true
		}
	}
	return m.value(t, writer, c)
}
