package reduce

import (
	"iter"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A footprint is a Bloom filter of the memory, locks, channels and other objects that a test uses. It
// may contain objects that the test does not use, but it misses none.
type footprint struct {
	bits       [footprintBits / 64]uint64
	everything bool // an access was too large: the footprint contains all objects
}

const footprintBits = 1 << 23

// pieceBits is the binary logarithm of the size of a piece of memory: a footprint does not tell apart
// the addresses in one piece. maxPieces bounds the pieces of one access.
const pieceBits, maxPieces = 3, 1 << 10

// mixer and mixer2 are the multipliers of the two hash functions: odd numbers without a pattern in
// their bits.
const mixer, mixer2 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F

// add adds the objects that event e uses.
func (f *footprint) add(e *trace.Event) {
	f.everything = f.everything || !pieces(e, func(p uint64) bool {
		i, j := p*mixer>>41, p*mixer2>>41
		f.bits[i/64] |= 1 << (i % 64)
		f.bits[j/64] |= 1 << (j % 64)
		return true
	})
}

// mayShare reports whether e may use an object that was added.
func (f *footprint) mayShare(e *trace.Event) bool {
	return f.everything || !pieces(e, func(p uint64) bool {
		i, j := p*mixer>>41, p*mixer2>>41
		return (f.bits[i/64]>>(i%64))&(f.bits[j/64]>>(j%64))&1 == 0
	})
}

// pieces calls f with a number for each object that e uses, until f returns false. It reports whether
// f returned true for all of them; it reports false for an access that is too large.
func pieces(e *trace.Event, f func(uint64) bool) bool {
	switch e.Kind.Object() {
	case trace.ArgAddress:
		n := 0
		for p := range touchedPieces(e) {
			if n++; n > maxPieces || !f(p) {
				return false
			}
		}
	case trace.ArgChannel:
		return f(^e.Obj)
	case trace.ArgToken:
		if e.Val != 0 { // all tokens of a pool are for those who take from it
			return f(e.Val >> pieceBits)
		}
		return f(1<<62 | e.Obj)
	}
	return true
}

// touchedPieces yields the numbers of the pieces of memory that e touches.
func touchedPieces(e *trace.Event) iter.Seq[uint64] {
	last := e.Obj
	if e.Kind.IsAccess() {
		last += uint64(max(e.Size, 1)) - 1
	}
	return func(yield func(uint64) bool) {
		for p := e.Obj >> pieceBits; p <= last>>pieceBits && yield(p); p++ {
		}
	}
}
