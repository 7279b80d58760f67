package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// kindFreed is the kind of a record that the garbage collector has freed memory: a new variable
// there is not the one from before. See recorder/trace.
const kindFreed = 63

// freedLogged has, by a hash of the address, memory that the trace has as free already. It is used
// while the current test logs nothing of what it does to memory: then memory is logged as free
// only once.
var freedLogged [1 << freedBits]struct {
	addr, which uint64
	turn        uint32 // accountSwitches then
}

// logFreed logs that of 64 objects of a size from addr on those with their bits set are free. It
// may be called between two events of a hook. The record belongs to no goroutine.
func logFreed(addr, size uintptr, which uint64) {
	forgetTimers(addr, size, which)
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

// kindAllocated is the kind of a record that a goroutine has made an object. See recorder/trace.
const kindAllocated = 61

// allocationsLogged counts such records.
var allocationsLogged int

// logAllocated logs that the running goroutine has made an object. It may be called between two
// events of a hook. After maxAllocations, one record of nothing says that there are more.
func logAllocated(addr, size uintptr, typ uint32) {
	g := (*goroutine)(runtime.PredictRecord())
	if !isRecording || g == nil || g == &runtimeGoroutines || allocationsLogged > maxAllocations {
		return
	}
	if allocationsLogged++; allocationsLogged > maxAllocations {
		addr, size = 0, 0
	}
	if nextEvent > hookLimit+freedWords*8-4*8 {
		flush()
	}
	w := (*[4]uint64)(unsafe.Pointer(nextEvent))
	w[0], w[1], w[2], w[3] = kindAllocated|formWide, uint64(addr), uint64(typ)<<32|uint64(g.id), uint64(min(size, 1<<32-1))
	nextEvent += 4 * 8
}

// Pooled is called when the standard library puts the object at p into a pool of its own. Such a
// pool orders nobody. So who gets the object next has another variable, and other buffers that the
// object points to.
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

// StoredInMap is called when the standard library, at pc, puts the value that p points to into a
// map of its own. Such a map orders nobody either. What package reflect and those of encodings
// store says something of a type, so that all objects that it points to, up to keptObjects, are
// other variables for who finds it. Other packages may store objects of the program.
func StoredInMap(p unsafe.Pointer, pc uintptr) {
	if !isRecording || current() == nil || !isTypePackage(pc) {
		return
	}
	var found [keptObjects]uintptr
	n := 0
	keep := func(p uintptr) {
		base, size, flat := runtime.PredictObject(p)
		if flat && size <= tinyBlock { // older objects of the same block lie before it
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

// isTypePackage reports whether the function that calls at pc is of package reflect or of an
// encoding.
func isTypePackage(pc uintptr) (is bool) {
	runtime.PredictFrames(pc, false, func(fn, _ string, _ int) bool {
		is = stringslite.HasPrefix(fn, "reflect.") || stringslite.HasPrefix(fn, "encoding/")
		return false
	})
	return is
}

const tinyBlock = 16 // size of the block that small objects without pointers share, see the runtime's malloc.go
