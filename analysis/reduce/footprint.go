package reduce

import "github.com/gopredict/gopredict/recorder/trace"

// A footprint is of what a test has to do with: memory, locks, channels and the like. It may take
// something for what it is not, and nothing that it has for something else: two bits stand for each.
type footprint struct {
	bits [footprintBits / 64]uint64
	all  bool // too much
}

const footprintBits = 1 << 23

// pieceBits is the size of a piece of memory: what shares one is taken for the same. maxPieces is
// how many of them an access may have.
const pieceBits, maxPieces = 3, 1 << 10

// The mixers of the two bits, odd numbers of no pattern.
const mixer, mixer2 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F

// add adds what the event e has to do with.
func (f *footprint) add(e *trace.Event) {
	f.all = f.all || !pieces(e, func(p uint64) bool {
		i, j := p*mixer>>41, p*mixer2>>41
		f.bits[i/64] |= 1 << (i % 64)
		f.bits[j/64] |= 1 << (j % 64)
		return true
	})
}

// has reports whether e may have to do with what was added.
func (f *footprint) has(e *trace.Event) bool {
	return f.all || !pieces(e, func(p uint64) bool {
		i, j := p*mixer>>41, p*mixer2>>41
		return (f.bits[i/64]>>(i%64))&(f.bits[j/64]>>(j%64))&1 == 0
	})
}

// pieces calls f with what e has to do with, as numbers, while f says so. It reports whether f has
// always done so, and was called for all of it.
func pieces(e *trace.Event, f func(uint64) bool) bool {
	switch e.Kind.Object() {
	case trace.ArgAddress:
		last := e.Obj
		if e.Kind.IsAccess() {
			last += uint64(max(e.Size, 1)) - 1
		}
		if last>>pieceBits-e.Obj>>pieceBits >= maxPieces {
			return false
		}
		for p := e.Obj >> pieceBits; p <= last>>pieceBits; p++ {
			if !f(p) {
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
