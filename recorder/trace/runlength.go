package trace

import "math/bits"

// A RunLength is a number for each event of a trace, in little memory where many events in a row have the same one:
// each run of these is there once, and bits say where runs begin (Jacobson, Space-efficient Static Trees and Graphs,
// FOCS 1989: rank).
type RunLength struct {
	blocks []block
	values []int32 // run by run
	last   int32   // the last of these
	n      uint
}

// A block is 64 events.
type block struct {
	begins uint64 // those with which a run begins
	before int32  // how many begin before the block
}

// NewRunLength returns one with room for n events.
func NewRunLength(n int) *RunLength { return &RunLength{blocks: make([]block, 0, (n+63)/64)} }

// Add gives the next event its number.
func (r *RunLength) Add(v int32) {
	if v != r.last || r.n%64 == 0 {
		r.begin(v)
	}
	r.n++
}

// begin begins a block, or a run, or both, with the next event.
func (r *RunLength) begin(v int32) {
	if r.n%64 == 0 {
		r.blocks = append(r.blocks, block{before: int32(len(r.values))})
	}
	if v != r.last || r.n == 0 {
		r.values, r.last = append(r.values, v), v
		r.blocks[r.n/64].begins |= 1 << (r.n % 64)
	}
}

// Len is how many events were added.
func (r *RunLength) Len() int { return int(r.n) }

// Begins reports whether a run begins with event i, which was added.
func (r *RunLength) Begins(i int) bool { return r.blocks[uint(i)/64].begins>>(uint(i)%64)&1 != 0 }

// At returns the number of event i, which was added.
func (r *RunLength) At(i int) int32 {
	b := &r.blocks[uint(i)/64]
	return r.values[int(b.before)+bits.OnesCount64(b.begins<<(63-uint(i)%64))-1]
}
