package runtime

import "internal/goarch"

// Objects of less than 16 bytes without pointers share blocks of 16 bytes, as the locks of a
// counter and a string may. To the garbage collector a block is one object. The search for
// goroutines that are blocked for ever must tell them apart, see predict_reach.go: for each word
// of such a block there is a bit that says whether an object begins with it. The first one always
// begins with the first word; without that bit it is no such block.

// predictTinyWords has a bit for each word of a block, from that of its first one on.
const predictTinyWords = 1<<(maxTinySize/goarch.PtrSize) - 1

// predictBeginsTiny notes that an object of a shared block begins at p.
func predictBeginsTiny(p uintptr) {
	if !predictActive || p%goarch.PtrSize != 0 {
		return
	}
	ai := arenaIndex(p)
	ha := mheap_.arenas[ai.l1()][ai.l2()]
	if ha.predictTiny == nil {
		ha.predictTiny = (*[predictMarkBytes]uint8)(persistentalloc(predictMarkBytes, 8, &memstats.other_sys))
	}
	byt, bit := predictTinyBit(p)
	if p%maxTinySize == 0 { // a new block
		*byt &^= predictTinyWords * bit
	}
	*byt |= bit
}

// predictTinyBit returns the byte and bit of the word at p, which is in a block of 16 bytes; nil if
// no objects have shared a block in that arena.
func predictTinyBit(p uintptr) (byt *uint8, bit uint8) {
	ai := arenaIndex(p)
	bits := mheap_.arenas[ai.l1()][ai.l2()].predictTiny
	if bits == nil {
		return nil, 0
	}
	word := p % heapArenaBytes / goarch.PtrSize
	return &bits[word/8], 1 << (word % 8)
}

// predictForgetTiny is called when s, a span of blocks of 16 bytes, has been swept: what is free
// now may become an object of its own.
func (s *mspan) predictForgetTiny() {
	for i := range uintptr(s.nelems) {
		if *s.gcmarkBits.bytep(i / 8)>>(i%8)&1 != 0 {
			continue
		}
		if byt, bit := predictTinyBit(s.base() + i*maxTinySize); byt != nil {
			*byt &^= predictTinyWords * bit
		}
	}
}

// predictIsTiny reports whether an object begins at p that shares its block, which begins at
// block, with others.
func predictIsTiny(p, block uintptr) bool {
	begins := func(p uintptr) bool {
		byt, bit := predictTinyBit(p)
		return byt != nil && *byt&bit != 0
	}
	return p >= block && p%goarch.PtrSize == 0 && begins(block) && begins(p)
}
