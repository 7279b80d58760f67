package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// Freed is what stands in place of a kind where the garbage collector has given
// memory back, so that a new variable there is not taken for the one before. See recorder/trace.
const kindFreed = 63

// While a test has had its share of the trace, nothing is logged of what it does to
// memory. So memory is logged as free once only: the table has the last such places, by
// hash of the address.
var freedLogged [1 << freedBits]struct {
	addr, which uint64
	turn        uint32 // payers then
}

// freed logs that of 64 objects of a size those with their bits set are free.
// It can come at any time between the events of a hook, and is nobody's event.
func logFreed(addr, size uintptr, which uint64) {
	if !isRecording || goroutines == 0 {
		return
	}
	forgetFirstWrites()
	if currentAccount.dropLevel == dropSync {
		t := &freedLogged[uint64(addr)*0x9e3779b97f4a7c15>>(64-freedBits)]
		if t.addr != uint64(addr) || t.turn != accountSwitches {
			t.addr, t.which, t.turn = uint64(addr), 0, accountSwitches
		}
		if which &^= t.which; which == 0 {
			return
		}
		t.which |= which
	}
	if nextEvent > hookLimit+freedWords*8-4*8 {
		flush()
	}
	w := (*[4]uint64)(unsafe.Pointer(nextEvent))
	w[0], w[1], w[2], w[3] = kindFreed|formWide, uint64(addr), which, uint64(min(size, 1<<32-1))
	nextEvent += 4 * 8
}

// Recycle is called when the standard library puts the object at p into a pool of
// its own. Such pools order nobody, and who gets the object next has another
// variable: it, and the buffers that it leads to.
func Pooled(p unsafe.Pointer) {
	if !isRecording || current() == nil {
		return
	}
	base, size, _ := runtime.PredictObject(uintptr(p))
	if size == 0 {
		return
	}
	logFreed(base, size, 1)
	for word := base; word+unsafe.Sizeof(word) <= base+size; word += unsafe.Sizeof(word) {
		if inner, n, flat := runtime.PredictObject(*(*uintptr)(unsafe.Pointer(word))); flat && n > 0 {
			logFreed(inner, n, 1)
		}
	}
}

// Kept is called when the standard library puts the value that p points to into a map of
// its own, at pc. Such maps order nobody either. If the value is what package reflect or those
// of encodings have found out about a type, who finds it there has other variables: all that it
// leads to, of the first keptObjects. Other packages' maps may have objects of the program.
func StoredInMap(p unsafe.Pointer, pc uintptr) {
	if !isRecording || current() == nil || !isTypePackage(pc) {
		return
	}
	var found [keptObjects]uintptr
	n := 0
	keep := func(p uintptr) {
		base, size, flat := runtime.PredictObject(p)
		if flat && size <= tinyBlock { // others that are older lie before it
			base, size = p, base+size-p
		}
		if size == 0 || n == len(found) {
			return
		}
		for _, b := range found[:n] {
			if b == base {
				return
			}
		}
		found[n] = base
		n++
		logFreed(base, size, 1)
	}
	keep(uintptr(p))
	for i := 0; i < n; i++ {
		base, size, flat := runtime.PredictObject(found[i])
		if flat {
			continue
		}
		for word := base; word+unsafe.Sizeof(word) <= base+size; word += unsafe.Sizeof(word) {
			keep(*(*uintptr)(unsafe.Pointer(word)))
		}
	}
}

// ofTypes reports whether a package at work on types calls at pc.
func isTypePackage(pc uintptr) (is bool) {
	runtime.PredictFrames(pc, false, func(fn, _ string, _ int) bool {
		is = stringslite.HasPrefix(fn, "reflect.") || stringslite.HasPrefix(fn, "encoding/")
		return false
	})
	return is
}

const tinyBlock = 16 // what small objects without pointers share, see runtime's malloc.go
