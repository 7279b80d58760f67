package predictrt

import "unsafe"

// This file logs initial values. What a variable holds before its first write has no event: it is
// from a declaration, a composite literal, or code that is not instrumented. So before the first
// write, a record says what the variable holds. A table tells which write is the first. It
// forgets: a record before a later write is true as well.

// kindInitialValue is the kind of such a record. See recorder/trace.
const kindInitialValue = 62

var (
	// firstWrites has, by a hash of the address, variables whose first write is past, XORed with
	// memoryAge.
	firstWrites       [1 << firstWriteBits]uint64
	memoryAge         uint64             // changes when the garbage collector frees memory: variables are new then
	initialValuesLeft = maxInitialValues // number of records that the test may still log
)

// firstWriteEntry returns the entry of firstWrites for an address, which it shares with other
// addresses of the same hash.
//
//go:nosplit
func firstWriteEntry(addr uint64) *uint64 {
	return &firstWrites[addr*0x9e3779b97f4a7c15>>(64-firstWriteBits)]
}

// mayBeFirstWrite reports whether a write at addr is the first one, as far as the table knows.
//
//go:nosplit
func mayBeFirstWrite(addr uint64) bool {
	return *firstWriteEntry(addr) != addr^memoryAge && initialValuesLeft != 0
}

// noteFirstWrite notes that the first write at p is past.
//
//go:nosplit
func noteFirstWrite(p unsafe.Pointer) {
	addr := uint64(uintptr(p))
	*firstWriteEntry(addr) = addr ^ memoryAge
}

// forgetFirstWrites empties the table.
func forgetFirstWrites() { memoryAge += 1 << objectBits }

// logInitialValue logs what is in memory before the write at p, if it is the first one: the size
// bytes there or, if they are more than a word, the digest of a value of a shape. makeRoom has
// made room for it.
//
//go:nosplit
func (g *goroutine) logInitialValue(p unsafe.Pointer, size uintptr, shape uint8, site uint32) {
	if !mayBeFirstWrite(uint64(uintptr(p))) {
		return
	}
	noteFirstWrite(p)
	var v uint64
	ok := size <= 8
	if shape != 0 {
		v, ok = digest(p, shape)
	} else if ok {
		v = readValue(p, size)
	}
	if ok {
		initialValuesLeft--
		g.log(kindInitialValue, 0, site, 0, 0, v)
	}
}
