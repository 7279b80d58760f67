package trace

import (
	"cmp"
	"math"
	"slices"
)

// A Layout is the memory that a trace accesses, in cells: the bounds of all accesses cut the address
// space into pieces that no access divides. What was at one address in turn is apart.
type Layout struct {
	Of    []int32 // by event: the index of what it accesses in Spans
	Spans []Span  // the first one is of no cells, for what is no access
	Cells []Cell
}

// A Span is N cells from the first one on.
type Span struct{ First, N int32 }

// A Cell is a piece of memory, in bytes.
type Cell struct{ Addr, Size uint64 }

// An address is where an access begins or ends, in one generation of its memory.
type address struct {
	generation int32
	addr       uint64
}

func compareAddresses(a, b address) int {
	return cmp.Or(cmp.Compare(a.generation, b.generation), cmp.Compare(a.addr, b.addr))
}

// NewLayout returns that of t. An access without a size, as a sync.Map's, is to its object as a whole.
func NewLayout(t *Trace) *Layout {
	l := &Layout{Of: make([]int32, len(t.Events))}
	generations := NewGenerations(t)
	var all extents
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind.IsAccess() {
			l.Of[i] = all.number(extent{e.Obj, max(e.Size, 1), generations.Of(i)})
		}
	}
	bounds := make([]address, 0, 2*len(all.list))
	for _, x := range all.list {
		bounds = append(bounds, x.from(), x.to())
	}
	slices.SortFunc(bounds, compareAddresses)
	bounds = slices.Compact(bounds)
	// The cell between two generations is none: no span covers it.
	l.Cells = make([]Cell, max(0, len(bounds)-1))
	for c := range l.Cells {
		l.Cells[c] = Cell{bounds[c].addr, bounds[c+1].addr - bounds[c].addr}
	}
	l.Spans = make([]Span, 1, 1+len(all.list))
	for _, x := range all.list {
		from, _ := slices.BinarySearchFunc(bounds, x.from(), compareAddresses)
		to := from
		for end := x.to(); bounds[to] != end; to++ {
		}
		l.Spans = append(l.Spans, Span{int32(from), int32(to - from)})
	}
	return l
}

// An extent is what is accessed at once.
type extent struct {
	addr       uint64
	size       uint32
	generation int32
}

func (x extent) from() address { return address{x.generation, x.addr} }

func (x extent) to() address {
	return address{x.generation, x.addr + min(uint64(x.size), math.MaxUint64-x.addr)}
}

// extents give extents numbers from 1 on. They are a hash table, as each access asks it.
type extents struct {
	list  []extent
	slots []int32 // the number of an extent, or 0; at most half of them are used
}

// clear forgets all extents, and keeps their room.
func (all *extents) clear() {
	all.list = all.list[:0]
	clear(all.slots)
}

func (all *extents) number(x extent) int32 {
	if 2*len(all.list) >= len(all.slots) {
		all.slots = make([]int32, max(256, 4*len(all.slots)))
		for k, x := range all.list {
			*all.slot(x) = int32(k) + 1
		}
	}
	at := all.slot(x)
	if *at == 0 {
		all.list = append(all.list, x)
		*at = int32(len(all.list))
	}
	return *at
}

// slot returns where the number of x is, or is to be.
func (all *extents) slot(x extent) *int32 {
	h := (x.addr ^ uint64(x.size)<<48 ^ uint64(x.generation)<<24) * 0x9e3779b97f4a7c15
	for k := h >> 32; ; k++ {
		at := &all.slots[k&uint64(len(all.slots)-1)]
		if *at == 0 || all.list[*at-1] == x {
			return at
		}
	}
}
