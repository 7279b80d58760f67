package trace

import "math/bits"

// A RunLength has a number for each event of a trace. It stores each run of equal numbers once, and
// finds the run of an event by a bit vector (Jacobson, Space-efficient Static Trees and Graphs, FOCS
// 1989: rank).
type RunLength struct {
	blocks []block
	values []int32 // by run
	last   int32   // the number of the last run
	n      uint    // events added
}

// A block describes the runs that begin at 64 consecutive events.
type block struct {
	begins uint64 // one bit per event: a run begins there
	before int32  // number of runs that begin before the block
}

// NewRunLength returns an empty RunLength with room for n events.
func NewRunLength(n int) *RunLength { return &RunLength{blocks: make([]block, 0, (n+63)/64)} }

// Add appends the number v of the next event.
func (r *RunLength) Add(v int32) {
	if v != r.last || r.n%64 == 0 {
		r.begin(v)
	}
	r.n++
}

// begin starts a block, a run, or both at the next event, whose number is v.
func (r *RunLength) begin(v int32) {
	if r.n%64 == 0 {
		r.blocks = append(r.blocks, block{before: int32(len(r.values))})
	}
	if v != r.last || r.n == 0 {
		r.values, r.last = append(r.values, v), v
		r.blocks[r.n/64].begins |= 1 << (r.n % 64)
	}
}

// Len returns the number of events added.
func (r *RunLength) Len() int { return int(r.n) }

// Begins reports whether a run begins with event i, which was added.
func (r *RunLength) Begins(i int) bool { return r.blocks[uint(i)/64].begins>>(uint(i)%64)&1 != 0 }

// At returns the number of event i, which was added.
func (r *RunLength) At(i int) int32 {
	b := &r.blocks[uint(i)/64]
	return r.values[int(b.before)+bits.OnesCount64(b.begins<<(63-uint(i)%64))-1]
}
