package trace

import (
	"encoding/binary"
	"math/bits"
)

// A guess is what is known of the last event with a place and a head.
type guess struct {
	site, head   uint32
	obj, objStep uint64
	val, valStep uint64
	next         [2]uint32 // index of the guess for what followed, by parity of val
}

const guessBits = 12

// guesses is the state of packing and unpacking, from the first event of a
// trace on.
type guesses struct {
	table    [1 << guessBits]guess
	last     uint32 // index of the guess for the event before
	obj, val uint64 // of the event before
}

// guessOf is the index of the guess for events with a place and a head.
func guessOf(site, head uint32) uint32 {
	return (site ^ head*0x9e3779b1) * 0x85ebca6b >> (32 - guessBits)
}

// The ways to tell an object; the package doc has them.
const (
	objSame = iota
	objStep
	objLast
	objPointer
	objNear
	objNearLast
	objNearPointer
)

// The ways to tell a value that do not count bytes, and the most upper bytes.
const (
	valSame = 0
	maxHigh = 6
	valStep = 15
)

// wideSize stands for a size that follows.
const wideSize = 1<<16 - 1

// headOf is the kind, flags and size of an event. The head of a record that
// tells whose events follow is 0.
func headOf(e *Event) uint32 {
	return uint32(e.Kind) | uint32(e.Flags)<<8 | min(e.Size, wideSize)<<16
}

// pack appends the record of an event.
func (gs *guesses) pack(p []byte, e *Event) []byte {
	at := len(p)
	p = append(p, 0)
	site, head := uint32(e.Site), headOf(e)
	g := gs.follow()
	var control byte
	if g.site == site && g.head == head {
		control = 1
		gs.last = gs.next()
	} else {
		g = gs.turn(site, head)
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
	gs.note(g, e.Obj, e.Val)
	return p
}

// follow is the guess for the event to come.
func (gs *guesses) follow() *guess { return &gs.table[gs.next()] }

func (gs *guesses) next() uint32 { return gs.table[gs.last].next[gs.val&1] }

// turn notes that the event to come is another one than that guessed.
func (gs *guesses) turn(site, head uint32) *guess {
	i := guessOf(site, head)
	gs.table[gs.last].next[gs.val&1] = i
	gs.last = i
	g := &gs.table[i]
	g.site, g.head = site, head
	return g
}

// note remembers the object and value of the event that g was the guess for.
func (gs *guesses) note(g *guess, obj, val uint64) {
	g.obj, g.objStep = obj, obj-g.obj
	g.val, g.valStep = val, val-g.val
	gs.obj, gs.val = obj, val
}

// unpack decodes the record at the start of p and returns its length, or 0 if
// it does not fit into p. The kind None says that the events that follow are
// those of goroutine Site.
func (gs *guesses) unpack(p []byte) (e Event, n int) {
	rest := p
	take := func(n int) uint64 { // rest is nil then if it is too short
		if len(rest) < n {
			rest = nil
			return 0
		}
		v := lowBytes(rest, n)
		rest = rest[n:]
		return v
	}
	control := take(1)
	g := gs.follow()
	if control&1 != 0 {
		gs.last = gs.next()
	} else {
		w := take(8)
		g = gs.turn(uint32(w), uint32(w>>32))
	}
	e = Event{Site: SiteID(g.site), Kind: Kind(g.head), Flags: Flags(g.head >> 8), Size: g.head >> 16}
	if e.Size == wideSize {
		e.Size = uint32(take(4))
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
		d, n := binary.Uvarint(rest)
		if n <= 0 {
			return e, 0
		}
		rest = rest[n:]
		e.Obj = d>>1 ^ -(d & 1) + [...]uint64{g.obj, gs.obj, gs.val, 0}[way-objNear]
	}
	switch v := int(control >> 4); {
	case v == valSame:
		e.Val = g.val
	case v == valStep:
		e.Val = g.val + g.valStep
	case v <= 8:
		e.Val = take(v)
	default:
		e.Val = take(v-8) << (8 * (16 - v))
	}
	if rest == nil {
		return e, 0
	}
	gs.note(g, e.Obj, e.Val)
	return e, len(p) - len(rest)
}

// appendBytes appends the n lower bytes of v, the lowest first.
func appendBytes(p []byte, v uint64, n int) []byte {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	return append(p, word[:n]...)
}

// lowBytes is the number that the first n bytes of p make, the lowest first.
func lowBytes(p []byte, n int) uint64 {
	if len(p) >= 8 {
		return binary.LittleEndian.Uint64(p) & (1<<(8*n) - 1)
	}
	var word [8]byte
	copy(word[:], p[:n])
	return binary.LittleEndian.Uint64(word[:])
}

// zigzag makes small numbers of small differences.
func zigzag(d uint64) uint64 { return d<<1 ^ uint64(int64(d)>>63) }
