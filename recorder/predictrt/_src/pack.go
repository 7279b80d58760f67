package predictrt

import (
	"internal/runtime/sys"
	"unsafe"
)

// This file compresses the events of a slot before they are written: an event that is as predicted
// from those before takes one byte. The package documentation of recorder/trace has the format.

// A prediction is what is known of the last event with a site and a head, which is its kind, flags
// and size.
type prediction struct {
	site, head   uint32
	obj, objStep uint64
	val, valStep uint64
	// next is the index of the prediction for the event that followed, by the lowest bit of val.
	next [2]uint32
}

const (
	predictionBits = 12
	numPredictions = 1 << predictionBits
)

// packer is the state of the compression, from the first event of the trace on.
var packer struct {
	guesses  [numPredictions]prediction
	last     uint32 // index of the prediction for the event before
	obj, val uint64 // of the event before

	head [2]uint64
	out  [maxPackedBytes]byte
}

// maxPackedBytes is the most that a slot takes when packed, and that putBytes writes beyond it. An
// event of one word takes at most a control byte, site and head, a difference, and a value; events
// of more words take less for each word.
const maxPackedBytes = chunkWords*(1+8+10+8) + 8

// predictionIndex returns the index of the prediction for events with a site and a head.
func predictionIndex(site, head uint32) uint32 {
	return (site ^ head*0x9e3779b1) * 0x85ebca6b >> (32 - predictionBits)
}

// The ways to encode an object: as a prediction, or by a difference that follows.
const (
	objSame        = iota // the object of the prediction
	objStep               // the same step from there as the last time
	objLast               // the object of the event before
	objPointer            // the value of the event before
	objNear               // a difference to objSame
	objNearLast           // a difference to objLast
	objNearPointer        // a difference to objPointer
)

// writePacked writes the packed bytes up to end as a chunk.
func writePacked(end unsafe.Pointer) {
	pk := &packer
	out := unsafe.Pointer(&pk.out)
	n := int(uintptr(end) - uintptr(out))
	pk.head = chunkHead('E', out, n)
	rawWrite(unsafe.Pointer(&pk.head), int(unsafe.Sizeof(pk.head))+n)
}

// The ways to encode a value: 0 is the value of the prediction; 1 to 8 are that many lower bytes
// that follow; 9 to 14 are 1 to 6 upper bytes.
const (
	maxHigh = 6
	// valStep is the same step from the value of the prediction as the last time.
	valStep = 15
)

// pack writes the events of s as one chunk, which begins with the number of their goroutine.
//
//go:nocheckptr
func (s *slot) pack() {
	out := unsafe.Pointer(&packer.out)
	before := &packer.guesses[packer.last%numPredictions]
	beforeObj, beforeVal := packer.obj, packer.val
	in := unsafe.Pointer(&s.words)
	for end := uintptr(in) + uintptr(s.eventBytes); uintptr(in) < end; {
		w := (*[4]uint64)(in)
		site, head, form := uint32(w[0]>>32), uint32(w[0]&^(3<<formShift)), w[0]>>formShift&3
		in = unsafe.Add(in, 8*(form+1))
		var obj, val uint64
		switch form << formShift {
		case formBare:
			val = uint64(head >> 16)
			head &= 1<<16 - 1
		case formShort:
			obj, val = w[1]&(1<<objectBits-1), w[1]>>objectBits
		case formLong:
			obj, val = w[1]&(1<<objectBits-1), w[1]>>objectBits|w[2]<<(64-objectBits)
		case formWide:
			obj, val = w[1], w[2]
			head |= wideSize << 16
		}

		// Bit 0 of the control byte says that site and head are as predicted. Bits 1 to 3 say how the
		// object is encoded, and bits 4 to 7 how the value is.
		control := (*byte)(out)
		out = unsafe.Add(out, 1)
		c := byte(1)
		g := &packer.guesses[before.next[beforeVal&1]%numPredictions]
		if g.site != site || g.head != head {
			c = 0
			before.next[beforeVal&1] = predictionIndex(site, head)
			g = &packer.guesses[before.next[beforeVal&1]%numPredictions]
			g.site, g.head = site, head
			out = putBytes(out, uint64(site)|uint64(head)<<32, 8)
		}
		if head>>16 == wideSize {
			out = putBytes(out, w[3], 4)
		}
		switch obj {
		case g.obj:
		case g.obj + g.objStep:
			c |= objStep << 1
		case beforeObj:
			c |= objLast << 1
		case beforeVal:
			c |= objPointer << 1
		default:
			way, d := byte(objNear), zigzag(obj-g.obj)
			if near := zigzag(obj - beforeObj); near < d {
				way, d = objNearLast, near
			}
			if near := zigzag(obj - beforeVal); near < d {
				way, d = objNearPointer, near
			}
			c |= way << 1
			for ; d >= 0x80; d >>= 7 {
				out = putBytes(out, d&0x7f|0x80, 1)
			}
			out = putBytes(out, d, 1)
		}
		switch val {
		case g.val:
		case g.val + g.valStep:
			c |= valStep << 4
		default:
			low := max(1, (sys.Len64(val)+7)/8)
			if high := max(1, 8-sys.TrailingZeros64(val)/8); high < low && high <= maxHigh {
				c |= byte(8+high) << 4
				out = putBytes(out, val>>(8*(8-high)), high)
			} else {
				c |= byte(low) << 4
				out = putBytes(out, val, low)
			}
		}
		// The right-hand sides come first, so that both steps are from the old object and value.
		g.obj, g.objStep = obj, obj-g.obj
		g.val, g.valStep = val, val-g.val
		before, beforeObj, beforeVal = g, obj, val
		*control = c
	}
	packer.last = predictionIndex(before.site, before.head)
	packer.obj, packer.val = beforeObj, beforeVal
	writePacked(out)
}

// wideSize stands for a size that follows.
const wideSize = 1<<16 - 1

// putBytes writes the n lower bytes of v at p, and returns the address after them. It may write up
// to eight bytes.
//
//go:nocheckptr
func putBytes(p unsafe.Pointer, v uint64, n int) unsafe.Pointer {
	b := (*[8]byte)(p)
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	b[4], b[5], b[6], b[7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
	return unsafe.Add(p, n)
}

// zigzag maps differences close to zero, of both signs, to small numbers.
// For example, 0, -1, 1 and -2 become 0, 1, 2 and 3.
func zigzag(d uint64) uint64 { return d<<1 ^ uint64(int64(d)>>63) }
