package trace

import "math/bits"

// Marks numbers some marked events of a trace from 0 on, in the order of their positions. It takes
// little more than a bit for each event.
type Marks struct {
	marked []uint64 // one bit per event
	before []int32  // by word of marked: number of marked events before it
}

// NewMarks returns the marks of a trace with this many events. It calls mark once, which marks events
// by calling its argument.
func NewMarks(events int, mark func(mark func(i int))) Marks {
	words := (events + 63) / 64
	m := Marks{make([]uint64, words), make([]int32, words)}
	mark(func(i int) { m.marked[i/64] |= 1 << (i % 64) })
	n := 0
	for k, word := range m.marked {
		m.before[k] = int32(n)
		n += bits.OnesCount64(word)
	}
	return m
}

// Len returns the number of marked events.
func (m *Marks) Len() int {
	last := len(m.marked) - 1
	if last < 0 {
		return 0
	}
	return int(m.before[last]) + bits.OnesCount64(m.marked[last])
}

// NumberOf returns the number of event i, or -1 if it is not marked.
func (m *Marks) NumberOf(i int) int {
	word, bit := m.marked[i/64], uint64(1)<<(i%64)
	if word&bit == 0 {
		return -1
	}
	return int(m.before[i/64]) + bits.OnesCount64(word&(bit-1))
}

// All yields the marked events: their numbers and positions.
func (m *Marks) All(yield func(number, i int) bool) {
	n := 0
	for k, word := range m.marked {
		for ; word != 0; word &= word - 1 {
			if !yield(n, 64*k+bits.TrailingZeros64(word)) {
				return
			}
			n++
		}
	}
}
