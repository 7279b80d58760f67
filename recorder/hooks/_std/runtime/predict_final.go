package runtime

import (
	"internal/stringslite"
	"unsafe"
)

// This file has hooks of cleanups and of C. The runtime calls finalizers and cleanups in
// goroutines of its own; in the trace each call is a goroutine.

// predictCleanup returns the record of a cleanup that is attached at pc.
func predictCleanup(pc uintptr) unsafe.Pointer {
	if !predictIsUser() {
		return nil
	}
	return predictHooks.Cleanup(pc)
}

// predictRanC is set once the program has called C itself. What C waits for takes real time, and it
// may have started threads, which call back into Go whatever goroutines do.
var predictRanC bool

// predictNoteC notes that C is called from pc. The standard library calls C functions that do
// neither.
func predictNoteC(pc uintptr) {
	if predictRanC {
		return
	}
	name := funcname(findfunc(pc))
	for _, std := range [...]string{"net.", "os/user.", "runtime/cgo.", "runtime."} {
		if stringslite.HasPrefix(name, std) {
			return
		}
	}
	predictRanC = true
}

// predictCgo is the token that C code synchronizes by: how it does is not known.
var predictCgo byte

// predictCgoPost is called where C may see what was done before.
func predictCgoPost(pc uintptr) {
	if iscgo {
		predictNoteC(pc)
		PredictRealWall()
		predictPost(unsafe.Pointer(&predictCgo), pc)
	}
}

// predictCgoAwait is called where the program may see what C has done.
func predictCgoAwait(pc uintptr) {
	if iscgo {
		predictAwait(unsafe.Pointer(&predictCgo), pc)
	}
}
