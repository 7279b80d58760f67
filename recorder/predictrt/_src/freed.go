package predictrt

import "unsafe"

// Freed is what stands in place of a kind where the garbage collector has given
// memory back, so that what comes to lie there is not taken for what was there
// before. See recorder/trace.
const freedKind = 63

// freed logs that of 64 objects of a size those with their bits set are free.
// It can come at any time between the events of a hook, and is nobody's event.
func freed(addr, size uintptr, which uint64) {
	if !recording || goroutines == 0 || payer.cut == cutSync {
		return
	}
	ageMemory()
	if at > limit+freedWords*8-4*8 {
		flush()
	}
	w := (*[4]uint64)(unsafe.Pointer(at))
	w[0], w[1], w[2], w[3] = freedKind|formWide, uint64(addr), which, uint64(min(size, 1<<32-1))
	at += 4 * 8
}
