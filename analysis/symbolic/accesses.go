package symbolic

import "github.com/gopredict/gopredict/recorder/trace"

// accesses is which memory the events access, in cells: pieces that no access divides. A struct that
// is copied as a whole and written field by field has a cell for each field. So a read finds for each
// cell what one write left there, and the formula needs no arithmetic of bytes.
//
// An example: one goroutine copies a struct of two fields, another one writes the second field. The
// copy spans two cells and the write one. So the copy may find each field from another writer.
type accesses struct {
	events []trace.Event
	layout *trace.Layout
}

// span returns the cells that the event at position i accesses.
func (a *accesses) span(i int32) trace.Span { return a.layout.Spans[a.layout.SpanOf[i]] }

// cellsOf yields the cells of the access at position i.
func (a *accesses) cellsOf(i int32) func(func(int32) bool) {
	s := a.span(i)
	return func(yield func(int32) bool) {
		for c := s.First; c < s.First+s.N; c++ {
			if !yield(c) {
				return
			}
		}
	}
}

// part returns the piece of the value of access i that lies in cell c. A digest is one piece.
func (a *accesses) part(i, c int32) (uint64, bool) {
	return a.piece(&a.events[i], c)
}

// piece is part for an event.
func (a *accesses) piece(e *trace.Event, c int32) (uint64, bool) {
	cl := a.layout.Cell(c)
	switch {
	// The value is a digest then. A digest has no parts: it fits one cell of just that size.
	case e.Size > 8:
		return e.Val, e.HasValue() && cl.Size == uint64(e.Size)
	case !e.HasValue() || cl.Addr-e.Obj >= 8:
		return 0, false
	}
	// Val is little-endian: the byte at the lowest address is its lowest one.
	v := e.Val >> (8 * (cl.Addr - e.Obj))
	if cl.Size < 8 {
		v &= 1<<(8*cl.Size) - 1
	}
	return v, true
}
