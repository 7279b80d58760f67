package predictrt

import (
	"internal/runtime/atomic"
	"runtime"
	"unsafe"
)

// This file has the hooks of sync/atomic: the patched package and the rewriter's calls come
// here. An operation and its event are one step, as in the model that all analyses share: the
// trace is a sequentially consistent order (Lamport).

// word is what an atomic operation works on.
type word interface{ uint32 | uint64 | uintptr }

// The functions here do the operation and log it. Nothing comes between the
// two: atomicEnter has made room, and log is nosplit.

// atomicEnter passes the gate; the result is nil if nothing is to be logged.
//
//go:nosplit
func atomicEnter(kind uint8, p unsafe.Pointer, size uintptr, site uint32) *goroutine {
	g := (*goroutine)(runtime.PredictSelf())
	if uintptr(unsafe.Pointer(g)) == hot && at <= limit && kind != AtomicLoad &&
		uintptr(p) >= minObj && !runtime.PredictOnStack(uintptr(p)) && !isFirst(uint64(uintptr(p))) && !g.turns.over(kind, site) {
		return g
	}
	return atomicGate(kind, p, size, site)
}

// atomicGate is atomicEnter where something is to be looked at: the schedule, the order,
// room in the slot, or what the word held before its first write.
func atomicGate(kind uint8, p unsafe.Pointer, size uintptr, site uint32) *goroutine {
	if uintptr(p) < 4096 || runtime.PredictOnStack(uintptr(p)) {
		return nil
	}
	g := current()
	if g == nil {
		return nil
	}
	obj := uint64(uintptr(p))
	g.byOrder(kind, obj)
	if kind == AtomicLoad {
		g.countLook(obj, true)
	} else if g.turns.over(kind, site) {
		g.yield()
	}
	if g.actor != nil {
		var val unsafe.Pointer
		if kind == AtomicLoad {
			val = p
		}
		g.actor.pass(kind, site, obj, uint32(size), val)
	}
	room()
	if kind != AtomicLoad {
		g.logHeldValue(p, size, 0, site)
	}
	return g
}

//go:nosplit
func (g *goroutine) logAtomic(kind, flags uint8, p unsafe.Pointer, size uintptr, val uint64, site uint32) {
	if kind != AtomicLoad && flags&flagFailed == 0 {
		g.spinAt = 0
	}
	g.log(kind, flags|flagValue, site, uint32(size), uint64(uintptr(p)), val)
}

// load loads *p. The word is read after the gate, so that the event has the value that
// the program gets.
func load[W word](p *W, site uint32) W {
	if Mode == 0 {
		return doLoad(p)
	}
	g := atomicEnter(AtomicLoad, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	v := doLoad(p)
	if g != nil {
		g.logAtomic(AtomicLoad, 0, unsafe.Pointer(p), unsafe.Sizeof(v), uint64(v), site)
	}
	return v
}

// store stores v. That it is an exchange makes no difference to the program, and one
// operation serves all sizes.
func store[W word](p *W, v W, site uint32) {
	if Mode == 0 {
		doSwap(p, v)
		return
	}
	g := atomicEnter(AtomicStore, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	doSwap(p, v)
	if g != nil {
		g.logAtomic(AtomicStore, 0, unsafe.Pointer(p), unsafe.Sizeof(v), uint64(v), site)
	}
}

// swap stores v and returns what was there.
func swap[W word](p *W, v W, site uint32) W {
	if Mode == 0 {
		return doSwap(p, v)
	}
	g := atomicEnter(AtomicRMW, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	old := doSwap(p, v)
	if g != nil {
		g.logAtomic(AtomicRMW, 0, unsafe.Pointer(p), unsafe.Sizeof(v), uint64(v), site)
	}
	return old
}

// compareAndSwap stores new if *p is old. An attempt that fails is an event, too: it
// tells what was there, and is one of the looks of a loop that waits.
func compareAndSwap[W word](p *W, old, new W, site uint32) bool {
	if Mode == 0 {
		return doCompareAndSwap(p, old, new)
	}
	g := atomicEnter(AtomicRMW, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	ok := doCompareAndSwap(p, old, new)
	if g == nil {
		return ok
	}
	if ok {
		g.logAtomic(AtomicRMW, 0, unsafe.Pointer(p), unsafe.Sizeof(new), uint64(new), site)
		return true
	}
	g.logAtomic(AtomicRMW, flagFailed, unsafe.Pointer(p), unsafe.Sizeof(new), uint64(doLoad(p)), site)
	g.countLook(uint64(uintptr(unsafe.Pointer(p))), true)
	return false
}

// add adds delta and returns the sum.
func add[W word](p *W, delta W, site uint32) W {
	if Mode == 0 {
		return doAdd(p, delta)
	}
	g := atomicEnter(AtomicRMW, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	v := doAdd(p, delta)
	if g != nil {
		g.logAtomic(AtomicRMW, 0, unsafe.Pointer(p), unsafe.Sizeof(v), uint64(v), site)
	}
	return v
}

// and clears the bits that mask does not have, and returns what was there; the event has
// the result.
func and[W word](p *W, mask W, site uint32) W {
	if Mode == 0 {
		return doAnd(p, mask)
	}
	g := atomicEnter(AtomicRMW, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	old := doAnd(p, mask)
	if g != nil {
		g.logAtomic(AtomicRMW, 0, unsafe.Pointer(p), unsafe.Sizeof(old), uint64(old&mask), site)
	}
	return old
}

// or sets the bits of mask, and returns what was there; the event has the result.
func or[W word](p *W, mask W, site uint32) W {
	if Mode == 0 {
		return doOr(p, mask)
	}
	g := atomicEnter(AtomicRMW, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	old := doOr(p, mask)
	if g != nil {
		g.logAtomic(AtomicRMW, 0, unsafe.Pointer(p), unsafe.Sizeof(old), uint64(old|mask), site)
	}
	return old
}

// Pointers need the garbage collector's write barrier, which the runtime's
// own functions have.

var (
	never bool
	sink  [2]unsafe.Pointer
)

// escape tells the compiler that p and q outlive the call: it cannot see that
// from the runtime's functions, which hide the store from it.
func escape(p, q unsafe.Pointer) {
	if never {
		sink[0], sink[1] = p, q
	}
}

// LoadPointer is load for a pointer.
func LoadPointer(addr *unsafe.Pointer, site uint32) unsafe.Pointer {
	if Mode == 0 {
		return atomic.Loadp(unsafe.Pointer(addr))
	}
	g := atomicEnter(AtomicLoad, unsafe.Pointer(addr), unsafe.Sizeof(*addr), site)
	v := atomic.Loadp(unsafe.Pointer(addr))
	if g != nil {
		g.logAtomic(AtomicLoad, 0, unsafe.Pointer(addr), unsafe.Sizeof(v), uint64(uintptr(v)), site)
	}
	return v
}

// StorePointer is store for a pointer.
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer, site uint32) {
	escape(unsafe.Pointer(addr), val)
	if Mode == 0 {
		runtime.PredictStorePointer(addr, val)
		return
	}
	g := atomicEnter(AtomicStore, unsafe.Pointer(addr), unsafe.Sizeof(*addr), site)
	runtime.PredictStorePointer(addr, val)
	if g != nil {
		g.logAtomic(AtomicStore, 0, unsafe.Pointer(addr), unsafe.Sizeof(val), uint64(uintptr(val)), site)
	}
}

// SwapPointer is swap for a pointer.
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer, site uint32) (old unsafe.Pointer) {
	escape(unsafe.Pointer(addr), new)
	if Mode == 0 {
		return runtime.PredictSwapPointer(addr, new)
	}
	g := atomicEnter(AtomicRMW, unsafe.Pointer(addr), unsafe.Sizeof(*addr), site)
	old = runtime.PredictSwapPointer(addr, new)
	if g != nil {
		g.logAtomic(AtomicRMW, 0, unsafe.Pointer(addr), unsafe.Sizeof(new), uint64(uintptr(new)), site)
	}
	return old
}

// CompareAndSwapPointer is compareAndSwap for a pointer.
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer, site uint32) (swapped bool) {
	escape(unsafe.Pointer(addr), new)
	if Mode == 0 {
		return runtime.PredictCompareAndSwapPointer(addr, old, new)
	}
	g := atomicEnter(AtomicRMW, unsafe.Pointer(addr), unsafe.Sizeof(*addr), site)
	swapped = runtime.PredictCompareAndSwapPointer(addr, old, new)
	if g == nil {
		return swapped
	}
	if swapped {
		g.logAtomic(AtomicRMW, 0, unsafe.Pointer(addr), unsafe.Sizeof(new), uint64(uintptr(new)), site)
		return true
	}
	v := atomic.Loadp(unsafe.Pointer(addr))
	g.logAtomic(AtomicRMW, flagFailed, unsafe.Pointer(addr), unsafe.Sizeof(new), uint64(uintptr(v)), site)
	g.countLook(uint64(uintptr(unsafe.Pointer(addr))), true)
	return false
}
