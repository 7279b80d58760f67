package explore

import (
	"runtime/debug"
	"sync"
)

// This file says when garbage is looked for. What takes the most memory holds few pointers, so
// that looking often costs little; in a small heap that would be done all the time.

// ballast is memory that is never touched, so that it takes none, but counts as used where the heap
// may grow by a part of what is used before garbage is looked for. What was freed and is made anew
// is touched, to clear it.
var ballast = sync.OnceValue(func() []byte { return make([]byte, 256<<20) })

// SpareMemory has garbage looked for more often than by default. It is to be called as the command
// begins, before anything was freed that the ballast could come to lie in.
func SpareMemory() {
	ballast()
	debug.SetGCPercent(usualGrowth)
}

// usualGrowth and longGrowth are by how much the heap may grow before garbage is looked for, in
// percent of what is used, the latter with a trace of more than longBytes: nearly all of that are
// arrays without pointers.
const usualGrowth, longGrowth, longBytes = 20, 8, 4 << 20

// growth is which of them goes for a trace of so many bytes.
func growth(traceBytes int64) int {
	if traceBytes > longBytes {
		return longGrowth
	}
	return usualGrowth
}
