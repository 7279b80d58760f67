package minimize

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A memory is what the events of a list access. Accesses can overlap in part, as the copy of a
// slice and the write of one element do, so the addresses are cut into pieces at each boundary.
type memory struct {
	starts []uint64 // sorted; piece n is [starts[n], starts[n+1])
	// conflicting tells of each piece whether several goroutines access it and one writes.
	conflicting []bool
	// touched has for each event of the list its first piece, and the one after the last: the
	// same for what is no access.
	touched [][2]int32
}

// memoryOf returns the memory of the events at positions.
func memoryOf(t *trace.Trace, positions []int) memory {
	var m memory
	for _, i := range positions {
		if e := &t.Events[i]; e.Kind.IsAccess() {
			start, end := addressesOf(e)
			m.starts = append(m.starts, start, end)
		}
	}
	slices.Sort(m.starts)
	m.starts = slices.Compact(m.starts)
	m.touched = make([][2]int32, len(positions))
	for k, i := range positions {
		if e := &t.Events[i]; e.Kind.IsAccess() {
			start, end := addressesOf(e)
			first, _ := slices.BinarySearch(m.starts, start)
			last, _ := slices.BinarySearch(m.starts, end)
			m.touched[k] = [2]int32{int32(first), int32(last)}
		}
	}
	m.findConflicts(t, positions)
	return m
}

func (m *memory) findConflicts(t *trace.Trace, positions []int) {
	type use struct {
		touched, several, written bool
		g                         trace.GID
	}
	uses := make([]use, len(m.starts))
	for k, i := range positions {
		e := &t.Events[i]
		m.pieces(k, func(n int) {
			u := &uses[n]
			u.several = u.several || u.touched && u.g != e.G
			u.touched, u.g = true, e.G
			u.written = u.written || e.Kind.IsWrite()
		})
	}
	m.conflicting = make([]bool, len(uses))
	for n, u := range uses {
		m.conflicting[n] = u.several && u.written
	}
}

// addressesOf returns the addresses [start, end) of an access. An access without a size, an
// operation of a sync.Map, is one to its first byte.
func addressesOf(e *trace.Event) (start, end uint64) {
	end = e.Obj + max(uint64(e.Size), 1)
	if end < e.Obj { // damaged trace: at the end of the address space
		end = ^uint64(0)
	}
	return e.Obj, end
}

// pieces calls f for each piece that the k-th event accesses.
func (m *memory) pieces(k int, f func(piece int)) {
	for n := m.touched[k][0]; n < m.touched[k][1]; n++ {
		f(int(n))
	}
}

// conflicts reports whether the k-th event is a conflicting access.
func (m *memory) conflicts(k int) bool {
	return slices.Contains(m.conflicting[m.touched[k][0]:m.touched[k][1]], true)
}

// eachConflict calls f for accesses to one piece that conflict: with the earlier and the later one as
// indices in the list. Of the accesses before a write these are the last write and each goroutine's last
// read since then, and before a read the last write.
func (m *memory) eachConflict(t *trace.Trace, positions []int, f func(piece, earlier, later int)) {
	type history struct {
		write int   // the last one; below zero: none
		reads []int // since then, of each goroutine the last
	}
	histories := make([]history, len(m.starts))
	for n := range histories {
		histories[n].write = -1
	}
	for k, i := range positions {
		e := &t.Events[i]
		m.pieces(k, func(n int) {
			h := &histories[n]
			if h.write >= 0 {
				f(n, h.write, k)
			}
			if !e.Kind.IsWrite() {
				h.reads = slices.DeleteFunc(h.reads, func(r int) bool { return t.Events[positions[r]].G == e.G })
				h.reads = append(h.reads, k)
				return
			}
			for _, r := range h.reads {
				f(n, r, k)
			}
			h.write, h.reads = k, h.reads[:0]
		})
	}
}
