package trace

import (
	"encoding/binary"
	"math/bits"
)

// A guess predicts the next event at a site with a head, from the last such event. A head is the
// kind, flags and size of an event.
type guess struct {
	site, head   uint32
	obj, objStep uint64
	val, valStep uint64
	next         [2]uint32 // indices of the guesses for the following event, if val is even or odd
}

const guessBits = 12

// guesses is the state of packing and unpacking a trace, from its first event on.
type guesses struct {
	table    [1 << guessBits]guess
	last     uint32 // index of the guess for the previous event
	obj, val uint64 // of the previous event
}

// guessOf returns the index of the guess for events at a site with a head.
func guessOf(site, head uint32) uint32 {
	return (site ^ head*0x9e3779b1) * 0x85ebca6b >> (32 - guessBits)
}

// The encodings of an object; see the package doc.
const (
	objSame = iota
	objStep
	objLast
	objPointer
	objNear
	objNearLast
	objNearPointer
)

// The encodings of a value without a count of bytes, and the greatest count of upper bytes.
const (
	valSame = 0
	maxHigh = 6
	valStep = 15
)

// wideSize in a head means that the size follows in a word of its own.
const wideSize = 1<<16 - 1

// headOf returns the head of an event as one word. The record that names the goroutine of the
// following events has head 0.
func headOf(e *Event) uint32 {
	return uint32(e.Kind) | uint32(e.Flags)<<8 | min(e.Size, wideSize)<<16
}

// pack appends the record of an event.
func (gs *guesses) pack(p []byte, e *Event) []byte {
	at := len(p)
	p = append(p, 0)
	site, head := uint32(e.Site), headOf(e)
	g := gs.predicted()
	var control byte
	if g.site == site && g.head == head {
		control = 1
		gs.last = gs.next()
	} else {
		g = gs.replace(site, head)
		p = binary.LittleEndian.AppendUint32(p, site)
		p = binary.LittleEndian.AppendUint32(p, head)
	}
	if head>>16 == wideSize {
		p = binary.LittleEndian.AppendUint32(p, e.Size)
	}
	switch e.Obj {
	case g.obj:
	case g.obj + g.objStep:
		control |= objStep << 1
	case gs.obj:
		control |= objLast << 1
	case gs.val:
		control |= objPointer << 1
	default:
		way, d := byte(objNear), zigzag(e.Obj-g.obj)
		if near := zigzag(e.Obj - gs.obj); near < d {
			way, d = objNearLast, near
		}
		if near := zigzag(e.Obj - gs.val); near < d {
			way, d = objNearPointer, near
		}
		control |= way << 1
		p = binary.AppendUvarint(p, d)
	}
	switch e.Val {
	case g.val:
	case g.val + g.valStep:
		control |= valStep << 4
	default:
		low := max(1, (bits.Len64(e.Val)+7)/8)
		if high := max(1, 8-bits.TrailingZeros64(e.Val)/8); high < low && high <= maxHigh {
			control |= byte(8+high) << 4
			p = appendBytes(p, e.Val>>(8*(8-high)), high)
		} else {
			control |= byte(low) << 4
			p = appendBytes(p, e.Val, low)
		}
	}
	p[at] = control
	gs.remember(g, e.Obj, e.Val)
	return p
}

// predicted returns the guess for the next event.
func (gs *guesses) predicted() *guess { return &gs.table[gs.next()] }

// next returns the index of the guess for the next event.
func (gs *guesses) next() uint32 { return gs.table[gs.last].next[gs.val&1] }

// replace replaces the guess for the next event, which was wrong, and returns the right one.
func (gs *guesses) replace(site, head uint32) *guess {
	i := guessOf(site, head)
	gs.table[gs.last].next[gs.val&1] = i
	gs.last = i
	g := &gs.table[i]
	g.site, g.head = site, head
	return g
}

// remember stores the object and value of an event in its guess g.
func (gs *guesses) remember(g *guess, obj, val uint64) {
	g.obj, g.objStep = obj, obj-g.obj
	g.val, g.valStep = val, val-g.val
	gs.obj, gs.val = obj, val
}

// maxRecord is more than the bytes of the longest record.
const maxRecord = 32

// unpack decodes the record at the start of p into e, except its goroutine. It returns the length of
// the record, or 0 if it does not fit into p. A record of kind None says that the following events
// belong to goroutine Site.
func (gs *guesses) unpack(p []byte, e *Event) int {
	if len(p) >= maxRecord {
		return gs.record((*[maxRecord]byte)(p), e)
	}
	var whole [maxRecord]byte
	copy(whole[:], p)
	if n := gs.record(&whole, e); n <= len(p) {
		return n
	}
	return 0
}

// record is unpack for a buffer that has room for any record.
func (gs *guesses) record(p *[maxRecord]byte, e *Event) int {
	control, at := p[0], 1
	g := gs.predicted()
	if control&1 != 0 {
		gs.last = gs.next()
	} else {
		w := binary.LittleEndian.Uint64(p[at:])
		g = gs.replace(uint32(w), uint32(w>>32))
		at += 8
	}
	e.Site, e.Kind, e.Flags, e.Size = SiteID(g.site), Kind(g.head), Flags(g.head>>8), g.head>>16
	if e.Size == wideSize {
		e.Size = binary.LittleEndian.Uint32(p[at:])
		at += 4
	}
	switch way := control >> 1 & 7; way {
	case objSame:
		e.Obj = g.obj
	case objStep:
		e.Obj = g.obj + g.objStep
	case objLast:
		e.Obj = gs.obj
	case objPointer:
		e.Obj = gs.val
	default:
		d, n := uint64(p[at]), 1
		if d >= 1<<7 {
			if d, n = binary.Uvarint(p[at:]); n <= 0 {
				return 0
			}
		}
		at += n
		e.Obj = d>>1 ^ -(d & 1) + [...]uint64{g.obj, gs.obj, gs.val, 0}[way-objNear]
	}
	switch v := control >> 4; v {
	case valSame:
		e.Val = g.val
	case valStep:
		e.Val = g.val + g.valStep
	default:
		w := &valueWays[v]
		e.Val = binary.LittleEndian.Uint64(p[at:]) & w.mask << w.shift
		at += w.bytes
	}
	gs.remember(g, e.Obj, e.Val)
	return at
}

// valueWays has, by control bits, how to decode a value that is stored in bytes.
var valueWays = func() (ways [16]struct {
	bytes int
	mask  uint64 // of the bytes of the value
	shift int    // in bits, of these bytes
}) {
	for v := range ways {
		w := &ways[v]
		if w.bytes = v; v > 8 {
			w.bytes = v - 8
			w.shift = 8 * (8 - w.bytes)
		}
		w.mask = 1<<(8*w.bytes) - 1
	}
	return ways
}()

// appendBytes appends the n lower bytes of v, the lowest first.
func appendBytes(p []byte, v uint64, n int) []byte {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	return append(p, word[:n]...)
}

// zigzag maps small differences, positive or negative, to small numbers.
func zigzag(d uint64) uint64 { return d<<1 ^ uint64(int64(d)>>63) }
