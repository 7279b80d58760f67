package predictrt

import (
	"internal/runtime/sys"
	"unsafe"
)

// The writer packs the events of a slot before it writes them: what an event
// shares with what was foreseen takes no room. See the package doc of
// recorder/trace, which unpacks them.

// guess is what is known of the last event with a place and a head.
type guess struct {
	site, head     uint32
	obj, step, val uint64
	next           uint32 // index of the guess for the event that followed
}

const guessBits = 12

// packer is the state of packing, from the first event of the trace on.
var packer struct {
	guesses  [1 << guessBits]guess
	last     uint32 // index of the guess for the event before
	obj, val uint64 // of the event before

	head [2]uint64
	out  [packBytes]byte
}

const (
	packBytes = 256 << 10
	// maxPacked is more than an event takes, and than putBytes writes.
	maxPacked = 64
)

// guessOf is the index of the guess for events with a place and a head.
func guessOf(site, head uint32) uint32 {
	return (site ^ head*0x9e3779b1) * 0x85ebca6b >> (32 - guessBits)
}

// The ways to tell an object.
const (
	objSame        = iota // as that of the guess
	objStep               // as far from it as that was from the one before
	objLast               // as that of the event before
	objPointer            // as the value of the event before
	objNear               // a difference to that of the guess follows
	objNearLast           // a difference to that of the event before
	objNearPointer        // a difference to the value of the event before
)

// writePacked writes the n bytes that have been packed.
func writePacked(n int) {
	pk := &packer
	pk.head = headOf('E', unsafe.Pointer(&pk.out), n)
	rawWrite(unsafe.Pointer(&pk.head), int(unsafe.Sizeof(pk.head))+n)
}

// pack packs and writes the events of s.
func (s *slot) pack() {
	pk := &packer
	n := 0
	in := unsafe.Pointer(&s.words)
	for end := uintptr(in) + uintptr(s.size); uintptr(in) < end; {
		w := (*[4]uint64)(in)
		site, head, form := uint32(w[0]>>32), uint32(w[0]&^(3<<formShift)), w[0]>>formShift&3
		in = unsafe.Add(in, 8*(form+1))
		var obj, val uint64
		var size uint32
		switch form << formShift {
		case formBare:
			val = uint64(head >> 16)
			head &= 1<<16 - 1
		case formShort:
			obj, val = w[1]&(1<<objBits-1), w[1]>>objBits
		case formLong:
			obj, val = w[1]&(1<<objBits-1), w[1]>>objBits|w[2]<<(64-objBits)
		case formWide:
			obj, val, size = w[1], w[2], uint32(w[3])
			head |= wideSize << 16
		}

		if n > packBytes-maxPacked {
			writePacked(n)
			n = 0
		}
		at := n
		n++
		var control byte
		g := &pk.guesses[pk.guesses[pk.last].next]
		if g.site == site && g.head == head {
			control = 1
			pk.last = pk.guesses[pk.last].next
		} else {
			i := guessOf(site, head)
			pk.guesses[pk.last].next = i
			pk.last = i
			g = &pk.guesses[i]
			g.site, g.head = site, head
			n = putBytes(n, uint64(site)|uint64(head)<<32, 8)
		}
		if head>>16 == wideSize {
			n = putBytes(n, uint64(size), 4)
		}
		switch obj {
		case g.obj:
		case g.obj + g.step:
			control |= objStep << 1
		case pk.obj:
			control |= objLast << 1
		case pk.val:
			control |= objPointer << 1
		default:
			way, d := byte(objNear), zigzag(obj-g.obj)
			if e := zigzag(obj - pk.obj); e < d {
				way, d = objNearLast, e
			}
			if e := zigzag(obj - pk.val); e < d {
				way, d = objNearPointer, e
			}
			control |= way << 1
			for ; d >= 0x80; d >>= 7 {
				pk.out[n] = byte(d) | 0x80
				n++
			}
			pk.out[n] = byte(d)
			n++
		}
		if val != g.val {
			low := max(1, (sys.Len64(val)+7)/8)
			if high := max(1, 8-sys.TrailingZeros64(val)/8); high < low {
				control |= byte(8+high) << 4
				n = putBytes(n, val>>(8*(8-high)), high)
			} else {
				control |= byte(low) << 4
				n = putBytes(n, val, low)
			}
		}
		g.obj, g.step, g.val = obj, obj-g.obj, val
		pk.obj, pk.val = obj, val
		pk.out[at] = control
	}
	writePacked(n)
}

// wideSize stands for a size that follows.
const wideSize = 1<<16 - 1

// putBytes writes the lower bytes of v at n, and returns where they end.
func putBytes(n int, v uint64, bytes int) int {
	b := (*[8]byte)(unsafe.Pointer(&packer.out[n]))
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	b[4], b[5], b[6], b[7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
	return n + bytes
}

// zigzag makes small numbers of small differences.
func zigzag(d uint64) uint64 { return d<<1 ^ uint64(int64(d)>>63) }
