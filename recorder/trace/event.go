package trace

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The forms of an event record; the package doc has their layout.
const (
	formBare  = iota // no object; the small field holds the value
	formShort        // an object and a value that take one word
	formLong         // an object and a value that take two
	formWide         // three words, for what does not fit into the others
)

// formWords is the length of the forms in words of 8 bytes.
var formWords = [...]int{formBare: 1, formShort: 2, formLong: 3, formWide: 4}

const (
	formShift = 6
	kindMask  = 1<<formShift - 1
	objBits   = 48
	objMask   = 1<<objBits - 1
)

// The kind's place in a record must suffice for all of the table.
const _ = kindMask - NumKinds

// appendEvent appends the shortest record of e.
func appendEvent(p []byte, e *Event) []byte {
	form, small := formWide, uint64(0)
	switch {
	case e.Obj == 0 && e.Size == 0 && e.Val <= math.MaxUint16:
		form, small = formBare, e.Val
	case e.Obj > objMask || e.Size > math.MaxUint16:
	case e.Val <= math.MaxUint16:
		form, small = formShort, uint64(e.Size)
	default:
		form, small = formLong, uint64(e.Size)
	}
	word := func(w uint64) { p = binary.LittleEndian.AppendUint64(p, w) }
	word(uint64(e.Kind) | uint64(form)<<formShift | uint64(e.Flags)<<8 | small<<16 | uint64(e.Site)<<32)
	switch form {
	case formShort:
		word(e.Obj | e.Val<<objBits)
	case formLong:
		word(e.Obj | e.Val<<objBits)
		word(e.Val >> (64 - objBits))
	case formWide:
		word(e.Obj)
		word(e.Val)
		word(uint64(e.Size))
	}
	return p
}

// appendTurn appends the record that says whose events follow.
func appendTurn(p []byte, g GID) []byte {
	return binary.LittleEndian.AppendUint64(p, uint64(g)<<32)
}

// decodeEvents adds the events of a chunk. base is the payload's place in the
// file.
func (d *reader) decodeEvents(p []byte, base int64) error {
	var g GID
	known := false
	for at := 0; at < len(p); {
		fail := func(expected, found string) error {
			return &FormatError{Offset: base + int64(at), Expected: expected, Found: found}
		}
		if len(p)-at < 8 {
			return fail("an event of 8 bytes or more", fmt.Sprintf("%d bytes", len(p)-at))
		}
		head := binary.LittleEndian.Uint64(p[at:])
		form := head >> formShift & 3
		if n := 8 * formWords[form]; len(p)-at < n {
			return fail(fmt.Sprintf("an event of %d bytes", n), fmt.Sprintf("%d bytes", len(p)-at))
		}
		if uint32(head) == 0 {
			g, known = GID(head>>32), true
			if !d.t.defined(uint64(g)) {
				return fail("an event of a defined goroutine", fmt.Sprint("goroutine ", g))
			}
			at += 8
			continue
		}
		e := decodeEvent(head, p[at:])
		e.G = g
		if !known {
			return fail("the goroutine of the chunk's events", "an event")
		}
		if expected, found := d.t.sound(&e); expected != "" {
			return fail(expected, found)
		}
		at += 8 * formWords[form]
		if d.used != nil {
			d.used[e.Site] = true
			continue
		}
		d.t.Events = append(d.t.Events, e)
	}
	return nil
}

// decodeEvent decodes a record that is whole; head is its first word.
func decodeEvent(head uint64, p []byte) Event {
	e := Event{Kind: Kind(head & kindMask), Flags: Flags(head >> 8), Site: SiteID(head >> 32)}
	small := head >> 16 & math.MaxUint16
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(p[8*i:]) }
	switch head >> formShift & 3 {
	case formBare:
		e.Val = small
	case formShort:
		e.Size, e.Obj, e.Val = uint32(small), word(1)&objMask, word(1)>>objBits
	case formLong:
		e.Size, e.Obj, e.Val = uint32(small), word(1)&objMask, word(1)>>objBits|word(2)<<(64-objBits)
	case formWide:
		e.Obj, e.Val, e.Size = word(1), word(2), uint32(word(3))
	}
	return e
}
