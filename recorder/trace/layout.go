package trace

import (
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A Layout is the memory that a trace accesses, in cells: the bounds of all accesses cut the address
// space into pieces that no access divides. What was at one address in turn is apart.
type Layout struct {
	Of     []int32 // by event: the index of what it accesses in Spans
	Spans  []Span  // the first one is of no cells, for what is no access
	bounds []uint64
}

// A Span is N cells from the first one on.
type Span struct{ First, N int32 }

// A Cell is a piece of memory, in bytes.
type Cell struct{ Addr, Size uint64 }

// Cells is how many cells there are, and Cell returns one of them. What is between two generations is a cell, too,
// which no span covers.
func (l *Layout) Cells() int { return max(0, len(l.bounds)-1) }

// Cell is described at Cells.
func (l *Layout) Cell(c int32) Cell { return Cell{l.bounds[c], l.bounds[c+1] - l.bounds[c]} }

// NewLayout returns that of t. An access without a size, as a sync.Map's, is to its object as a whole.
func NewLayout(t *Trace) *Layout {
	l := &Layout{Of: make([]int32, len(t.Events))}
	generations := NewGenerations(t)
	var all numbering.Numbers[accessExtent]
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind.IsAccess() {
			l.Of[i] = 1 + all.Of(accessExtent{e.Obj, max(e.Size, 1), generations.Of(i)})
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

// bounds are where extents begin and end, generation by generation, and ascending in each.
type bounds struct {
	addrs []uint64
	rank  []int32 // by generation: its number among those of extents. There are far fewer of these.
	first []int32 // by rank: where its own begin, and where those of the last one end
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

// at returns where the beginning of x is.
func (b *bounds) indexOf(x accessExtent) int {
	r := b.rank[x.generation]
	from := int(b.first[r])
	k, _ := slices.BinarySearch(b.addrs[from:b.first[r+1]], x.addr)
	return from + k
}

// An extent is what is accessed at once.
type accessExtent struct {
	addr       uint64
	size       uint32
	generation int32
}

// end is the address behind x.
func (x accessExtent) end() uint64 { return x.addr + min(uint64(x.size), math.MaxUint64-x.addr) }

// Hash is that of a [numbering.Key].
func (x accessExtent) Hash() uint64 { return numbering.HashMemory(x.addr, x.size, x.generation) }
