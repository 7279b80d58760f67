package trace

import (
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A Layout divides the memory that a trace accesses into cells: the bounds of all accesses divide the
// address space into pieces that no access divides further. Different generations of one address have
// different cells.
type Layout struct {
	SpanOf []int32  // by event: index in Spans of the memory that it accesses
	Spans  []Span   // the first one is empty, for events that are no accesses
	bounds []uint64 // ascending within each generation
}

// A Span is a range of N cells that starts with the cell First.
type Span struct{ First, N int32 }

// A Cell is a piece of memory that no access divides. Its size is in bytes.
type Cell struct{ Addr, Size uint64 }

// Cells returns the number of cells. It counts the gap between two generations as a cell, which no
// span covers.
func (l *Layout) Cells() int { return max(0, len(l.bounds)-1) }

// Cell returns the address and size of cell c.
func (l *Layout) Cell(c int32) Cell { return Cell{l.bounds[c], l.bounds[c+1] - l.bounds[c]} }

// NewLayout returns the layout of t. An access without a size, such as that of a sync.Map, counts as
// one byte.
func NewLayout(t *Trace) *Layout {
	l := &Layout{SpanOf: make([]int32, len(t.Events))}
	generations := NewGenerations(t)
	var all numbering.Numbers[accessExtent]
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind.IsAccess() {
			l.SpanOf[i] = 1 + all.Of(accessExtent{e.Obj, max(e.Size, 1), generations.Of(i)})
		}
	}
	bounds := newBounds(all.Keys())
	l.bounds = slices.Clone(bounds.addrs) // which has room for all ends
	l.Spans = make([]Span, 1, 1+all.Len())
	for _, x := range all.Keys() {
		from := bounds.indexOf(x)
		to := from
		for end := x.end(); bounds.addrs[to] != end; to++ {
		}
		l.Spans = append(l.Spans, Span{int32(from), int32(to - from)})
	}
	return l
}

// A bounds has the addresses where extents begin and end, by generation, ascending in each.
type bounds struct {
	addrs []uint64
	rank  []int32 // by generation: its index among those that occur, which are far fewer
	first []int32 // by rank: index of its first address; at the end the number of addresses
}

func newBounds(list []accessExtent) bounds {
	generations := int32(0)
	for _, x := range list {
		generations = max(generations, x.generation+1)
	}
	b := bounds{rank: make([]int32, generations)}
	for _, x := range list {
		b.rank[x.generation] = 1
	}
	ranks := int32(0)
	for g, has := range b.rank {
		b.rank[g] = ranks
		ranks += has
	}
	b.first = make([]int32, ranks+1)
	for _, x := range list {
		b.first[b.rank[x.generation]+1] += 2
	}
	for r := range ranks {
		b.first[r+1] += b.first[r]
	}
	addrs, next := make([]uint64, 2*len(list)), slices.Clone(b.first)
	for _, x := range list {
		at := &next[b.rank[x.generation]]
		addrs[*at], addrs[*at+1] = x.addr, x.end()
		*at += 2
	}
	b.addrs = addrs[:0]
	from := int32(0)
	for r := range ranks {
		its := addrs[from:b.first[r+1]]
		from = b.first[r+1]
		slices.Sort(its)
		b.addrs = append(b.addrs, slices.Compact(its)...)
		b.first[r+1] = int32(len(b.addrs))
	}
	return b
}

// indexOf returns the index of the first address of x.
func (b *bounds) indexOf(x accessExtent) int {
	r := b.rank[x.generation]
	from := int(b.first[r])
	k, _ := slices.BinarySearch(b.addrs[from:b.first[r+1]], x.addr)
	return from + k
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
