package trace

import (
	"encoding/binary"
	"slices"
)

// A trace has a digest of one word in place of a string, interface or slice, whose values have several
// words. Equal values have equal digests.

// digestSizes are the sizes in bytes of values with a digest that are longer than a word.
var digestSizes = [...]uint32{12, 16, 24}

// HasDigest reports whether a trace has digests in place of values of this size in bytes.
func HasDigest(size uint32) bool { return slices.Contains(digestSizes[:], size) }

// MaxDigested is the length in bytes of the longest string that has a digest.
const MaxDigested = 256

// Digest returns the Val of an access to the string s, of up to [MaxDigested] bytes: a number of
// 60 bits that other strings practically never have, and 0 for the empty string. The run-time
// library computes the same.
//
// A hash begins with the length, and takes the string as 8-byte little-endian words, the last one
// padded with zeros: for a word w it becomes h = (h ^ w) * 0x9e3779b97f4a7c15 modulo 2^64, and
// then h ^ h>>32. The digest is its upper 60 bits, or 1 if these are 0.
func Digest(s string) uint64 {
	if s == "" {
		return 0
	}
	h := mixHash(sumOffset, uint64(len(s)))
	for p := []byte(s); len(p) > 0; {
		var word [8]byte
		n := copy(word[:], p)
		h = mixHash(h, binary.LittleEndian.Uint64(word[:]))
		p = p[n:]
	}
	return max(h>>4, 1)
}

// mixHash returns the hash h extended by w. Each bit of w and h affects both halves of the result, and
// different w give different results.
func mixHash(h, w uint64) uint64 {
	h = (h ^ w) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}
