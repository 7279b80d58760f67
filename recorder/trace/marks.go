package trace

import "math/bits"

// Marks number those few events of a trace of which there is something to say, from 0 on by their
// positions, in a bit for each of the others.
type Marks struct {
	marked []uint64 // by event, a bit
	before []int32  // by word of marked: how many there are before it
}

// NewMarks returns the marks of a trace of so many events; mark is called with what marks one.
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

// Len returns how many events are marked.
func (m *Marks) Len() int {
	last := len(m.marked) - 1
	if last < 0 {
		return 0
	}
	return int(m.before[last]) + bits.OnesCount64(m.marked[last])
}

// Of returns the number of event i, or -1.
func (m *Marks) NumberOf(i int) int {
	word, bit := m.marked[i/64], uint64(1)<<(i%64)
	if word&bit == 0 {
		return -1
	}
	return int(m.before[i/64]) + bits.OnesCount64(word&(bit-1))
}

// All yields the positions of the events, by their numbers.
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
