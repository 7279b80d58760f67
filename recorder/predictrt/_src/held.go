package predictrt

import "unsafe"

// What a variable holds before it is written for the first time has no event: a
// declaration, a composite literal, the zero value, memory that code which is not
// instrumented has filled. So the first write tells what it finds, in a record that
// stands before the event. Which write is the first is known by a table that forgets:
// that a later one tells it, too, is true as well.

// heldKind stands in place of a kind in such a record. See recorder/trace.
const kindInitialValue = 62

var (
	// firstWrites has, by hash of the address, the memory of which the first write is
	// past, in this age: what the garbage collector gives back begins another one.
	firstWrites       [1 << firstWriteBits]uint64
	memoryAge         uint64
	initialValuesLeft = maxInitialValues // that are left
)

//go:nosplit
func firstWriteEntry(addr uint64) *uint64 {
	return &firstWrites[addr*0x9e3779b97f4a7c15>>(64-firstWriteBits)]
}

// isFirst reports whether a write at addr may be the first one.
//
//go:nosplit
func mayBeFirstWrite(addr uint64) bool {
	return *firstWriteEntry(addr) != addr^memoryAge && initialValuesLeft != 0
}

// firstWritePast notes that the first write at p is past.
//
//go:nosplit
func noteFirstWrite(p unsafe.Pointer) {
	addr := uint64(uintptr(p))
	*firstWriteEntry(addr) = addr ^ memoryAge
}

// ageMemory forgets all of them.
func forgetFirstWrites() { memoryAge += 1 << objBits }

// logHeldValue tells what is in memory before the write at p, if it is the first one: the size
// bytes there, or if they are more than a word the digest of what they are. room has
// made place for it.
//
//go:nosplit
func (g *goroutine) logInitialValue(p unsafe.Pointer, size uintptr, what uint8, site uint32) {
	if !mayBeFirstWrite(uint64(uintptr(p))) {
		return
	}
	noteFirstWrite(p)
	var v uint64
	ok := size <= 8
	if what != 0 {
		v, ok = digest(p, what)
	} else if ok {
		v = readValue(p, size)
	}
	if ok {
		initialValuesLeft--
		g.log(kindInitialValue, 0, site, 0, 0, v)
	}
}
