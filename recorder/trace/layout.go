package trace

import (
	"cmp"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A Layout divides the memory that a trace accesses into cells. The cells of one generation lie
// between the addresses where any access begins or ends, so that each access covers whole cells.
// Different generations of one address have different cells.
type Layout struct {
	SpanOf []int32 // by event: index into Spans of the memory that it accesses
	Spans  []Span  // the first one is empty, for events that are no accesses
	bounds []bound // where cells begin and end, ascending
}

// A Span is a range of N cells that starts with the cell First.
type Span struct{ First, N int32 }

// A Cell is a piece of memory that no access divides. Its size is in bytes.
type Cell struct{ Addr, Size uint64 }

// A bound is an address where an access begins or ends, in one generation of its memory.
type bound struct {
	generation int32
	addr       uint64
}

func (b bound) compare(o bound) int {
	return cmp.Or(cmp.Compare(b.generation, o.generation), cmp.Compare(b.addr, o.addr))
}

// Cells returns the number of cells. It counts the gap between two generations as a cell, which no
// span covers.
func (l *Layout) Cells() int { return max(0, len(l.bounds)-1) }

// Cell returns the address and size of cell c.
func (l *Layout) Cell(c int32) Cell {
	from := l.bounds[c].addr
	return Cell{from, l.bounds[c+1].addr - from}
}

// NewLayout returns the layout of t. An access without a size, such as that of a sync.Map, counts as
// one byte.
func NewLayout(t *Trace) *Layout {
	l := &Layout{SpanOf: make([]int32, len(t.Events))}
	generations := NewGenerations(t)
	var extents numbering.Numbers[accessExtent]
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind.IsAccess() {
			l.SpanOf[i] = 1 + extents.Of(accessExtent{e.Obj, max(e.Size, 1), generations.Of(i)})
		}
	}
	for _, x := range extents.Keys() {
		l.bounds = append(l.bounds, bound{x.generation, x.addr}, bound{x.generation, x.end()})
	}
	slices.SortFunc(l.bounds, bound.compare)
	l.bounds = slices.Clip(slices.Compact(l.bounds))
	l.Spans = make([]Span, 1, 1+extents.Len())
	for _, x := range extents.Keys() {
		from, _ := slices.BinarySearchFunc(l.bounds, bound{x.generation, x.addr}, bound.compare)
		to := from
		for end := x.end(); l.bounds[to].addr != end; to++ {
		}
		l.Spans = append(l.Spans, Span{int32(from), int32(to - from)})
	}
	return l
}

// An accessExtent is the memory that one access covers, in one generation.
type accessExtent struct {
	addr       uint64
	size       uint32
	generation int32
}

// end returns the first address after x.
func (x accessExtent) end() uint64 { return x.addr + min(uint64(x.size), math.MaxUint64-x.addr) }

// Hash implements [numbering.Key].
func (x accessExtent) Hash() uint64 { return numbering.HashMemory(x.addr, x.size, x.generation) }
