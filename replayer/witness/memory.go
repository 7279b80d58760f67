package witness

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A memory tells which addresses are in conflict: touched by at least two
// goroutines and written by at least one.
type memory struct {
	from     []uint64 // sorted; piece n is [from[n], from[n+1])
	conflict []bool   // by piece
	// Touched are, for each of the positions that were looked at, the first piece and the one after
	// the last: the same of what is no access.
	touched [][2]int32
}

// sharedMemory looks at the accesses among the events at positions. Accesses
// can overlap in part (a copy of a slice, a write of one element), so the
// touched addresses are cut into pieces at each boundary.
func sharedMemory(t *trace.Trace, positions []int) memory {
	var m memory
	for _, i := range positions {
		if e := &t.Events[i]; e.Kind.IsAccess() {
			lo, hi := span(e)
			m.from = append(m.from, lo, hi)
		}
	}
	slices.Sort(m.from)
	m.from = slices.Compact(m.from)

	type state struct {
		touched, several, written bool
		g                         trace.GID
	}
	states := make([]state, len(m.from))
	m.touched = make([][2]int32, len(positions))
	for k, i := range positions {
		e := &t.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		lo, hi := span(e)
		first, _ := slices.BinarySearch(m.from, lo)
		n := first
		for ; n < len(m.from) && m.from[n] < hi; n++ {
			s := &states[n]
			s.several = s.several || s.touched && s.g != e.G
			s.touched, s.g = true, e.G
			s.written = s.written || e.Kind.IsWrite()
		}
		m.touched[k] = [2]int32{int32(first), int32(n)}
	}
	m.conflict = make([]bool, len(states))
	for n, s := range states {
		m.conflict[n] = s.several && s.written
	}
	return m
}

// span returns the addresses [lo, hi) of an access. An access without a size
// (an operation of a sync.Map) is one to its first byte.
func span(e *trace.Event) (lo, hi uint64) {
	hi = e.Obj + max(uint64(e.Size), 1)
	if hi < e.Obj { // damaged trace: at the end of the address space
		hi = ^uint64(0)
	}
	return e.Obj, hi
}

// each calls f for each piece that the k-th of the positions touches.
func (m memory) each(k int, f func(piece int)) {
	for n := m.touched[k][0]; n < m.touched[k][1]; n++ {
		f(int(n))
	}
}

// conflicts reports whether the k-th of the positions is an access to memory in conflict.
func (m memory) conflicts(k int) bool {
	return slices.Contains(m.conflict[m.touched[k][0]:m.touched[k][1]], true)
}
