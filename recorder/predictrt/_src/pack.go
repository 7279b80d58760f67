package predictrt

import (
	"internal/runtime/sys"
	"unsafe"
)

// The writer packs the events of a slot before it writes them: what an event
// shares with what was foreseen takes no room. See the package doc of
// recorder/trace, which unpacks them.

// guess is what is known of the last event with a place and a head.
type prediction struct {
	site, head   uint32
	obj, objStep uint64
	val, valStep uint64
	// index of the guess for what followed, by parity of val
	next [2]uint32
}

const (
	predictionBits = 12
	numPredictions = 1 << predictionBits
)

// packer is the state of packing, from the first event of the trace on.
var packer struct {
	guesses  [numPredictions]prediction
	last     uint32 // index of the guess for the event before
	obj, val uint64 // of the event before

	head [2]uint64
	out  [maxPackedBytes]byte
}

// packBytes is the most that a slot takes packed, and that putBytes writes beyond:
// an event of one word at most takes a control byte, its place and head, a
// difference, and a value, and those of more words take less for each.
const maxPackedBytes = chunkWords*(1+8+10+8) + 8

// guessOf is the index of the guess for events with a place and a head.
func predictionIndex(site, head uint32) uint32 {
	return (site ^ head*0x9e3779b1) * 0x85ebca6b >> (32 - predictionBits)
}

// The ways to tell an object.
const (
	objSame = iota // as that of the guess
	// as far from it as that was from the one before
	objStep
	// as that of the event before
	objLast
	// as the value of the event before
	objPointer
	// a difference to that of the guess follows
	objNear
	// a difference to that of the event before
	objNearLast
	// a difference to the value of the event before
	objNearPointer
)

// writePacked writes what has been packed, up to end.
func writePacked(end unsafe.Pointer) {
	pk := &packer
	out := unsafe.Pointer(&pk.out)
	n := int(uintptr(end) - uintptr(out))
	pk.head = chunkHead('E', out, n)
	rawWrite(unsafe.Pointer(&pk.head), int(unsafe.Sizeof(pk.head))+n)
}

// The ways to tell a value: 0 is as that of the guess, 1 to 8 are that many lower
// bytes that follow, 9 to 14 are 1 to 6 upper ones.
const (
	maxHigh = 6
	// as far from that of the guess as that was from the one before
	valStep = 15
)

// pack packs the events of s and writes them as one chunk, which starts with whose
// they are.
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
			obj, val = w[1]&(1<<objBits-1), w[1]>>objBits
		case formLong:
			obj, val = w[1]&(1<<objBits-1), w[1]>>objBits|w[2]<<(64-objBits)
		case formWide:
			obj, val = w[1], w[2]
			head |= wideSize << 16
		}

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

// putBytes writes the n lower bytes of v at p, and returns where they end.
//
//go:nocheckptr
func putBytes(p unsafe.Pointer, v uint64, n int) unsafe.Pointer {
	b := (*[8]byte)(p)
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	b[4], b[5], b[6], b[7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
	return unsafe.Add(p, n)
}

// zigzag makes small numbers of small differences.
func zigzag(d uint64) uint64 { return d<<1 ^ uint64(int64(d)>>63) }
