package predictrt

import (
	"internal/runtime/atomic"
	"runtime"
	"unsafe"
)

// This file has the hooks of sync/atomic: the patched package and the rewritten sources call
// them. An operation and its event are one step, because all analyses take a trace for a
// sequentially consistent order (Lamport). So nothing comes between the two: atomicEnter has
// made room for the event, and what follows is nosplit.

// word is the type of what an atomic operation works on; signed integers are converted.
type word interface{ uint32 | uint64 | uintptr }

// noEscape hides from the compiler where p goes.
//
//go:nosplit
//go:nocheckptr
func noEscape(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return unsafe.Pointer(x ^ 0)
}

//go:nosplit
func pointer32[W word](p *W) *uint32 { return (*uint32)(unsafe.Pointer(p)) }

//go:nosplit
func pointer64[W word](p *W) *uint64 { return (*uint64)(unsafe.Pointer(p)) }

// loadWord loads *p. Like the other operations on words it is nosplit, so that no other goroutine
// runs between the operation and its event.
//
//go:nosplit
func loadWord[W word](p *W) W {
	if unsafe.Sizeof(*p) == 4 {
		return W(atomic.Load(pointer32(p)))
	}
	return W(atomic.Load64(pointer64(p)))
}

// compareAndSwapWord stores new if *p is old, and reports whether it has.
//
//go:nosplit
func compareAndSwapWord[W word](p *W, old, new W) bool {
	if unsafe.Sizeof(*p) == 4 {
		return atomic.Cas(pointer32(p), uint32(old), uint32(new))
	}
	return atomic.Cas64(pointer64(p), uint64(old), uint64(new))
}

// An updateRule says how an atomic operation computes the new value.
type updateRule uint8

const (
	updateSet updateRule = iota // the operand
	updateAdd                   // old + operand
	updateAnd                   // old & operand
	updateOr                    // old | operand
)

// updateWord does an atomic operation on *p. It needs no other instruction than
// compare-and-swap, which is on all systems.
//
//go:nosplit
func updateWord[W word](how updateRule, p *W, operand W) (old, new W) {
	for {
		old = loadWord(p)
		switch new = operand; how {
		case updateAdd:
			new = old + operand
		case updateAnd:
			new = old & operand
		case updateOr:
			new = old | operand
		}
		if compareAndSwapWord(p, old, new) {
			return old, new
		}
	}
}

// atomicEnter passes the gate and makes room for the event. It returns nil if nothing is to be
// logged.
//
//go:nosplit
func atomicEnter(kind uint8, p unsafe.Pointer, size uintptr, site uint32) *goroutine {
	g := (*goroutine)(runtime.PredictRecord())
	if uintptr(unsafe.Pointer(g)) == fastRecord && nextEvent <= hookLimit && kind != KindAtomicLoad &&
		uintptr(p) >= minFastObject && !runtime.PredictOnStack(uintptr(p)) && !mayBeFirstWrite(uint64(uintptr(p))) && !g.loopTurns.isOver(kind, site) {
		return g
	}
	return atomicGate(kind, p, size, site)
}

// atomicGate is atomicEnter where it has more to do: follow the schedule or the order, make room
// in the slot, or log the initial value.
func atomicGate(kind uint8, p unsafe.Pointer, size uintptr, site uint32) *goroutine {
	g := callee(p)
	if g == nil {
		return nil
	}
	obj := uint64(uintptr(p))
	g.followOrder(kind, obj)
	if kind == KindAtomicLoad {
		g.countLook(obj, true)
	} else if g.loopTurns.isOver(kind, site) {
		g.yieldToAll()
	}
	if g.actor != nil {
		var val unsafe.Pointer
		if kind == KindAtomicLoad {
			val = p
		}
		g.actor.pass(kind, site, obj, uint32(size), val)
	}
	makeRoom()
	if kind != KindAtomicLoad {
		g.logInitialValue(p, size, 0, site)
	}
	return g
}

// logAtomic logs the event of an operation that was just done.
//
//go:nosplit
func (g *goroutine) logAtomic(kind, flags uint8, p unsafe.Pointer, size uintptr, val uint64, site uint32) {
	if kind != KindAtomicLoad && flags&flagFailed == 0 {
		g.lastReadObject = 0
	}
	g.log(kind, flags|flagValue, site, uint32(size), uint64(uintptr(p)), val)
}

// load loads *p. It reads the word after the gate, so that the event has the value that the
// program gets.
func load[W word](p *W, site uint32) W {
	if Mode == 0 {
		return loadWord(p)
	}
	g := atomicEnter(KindAtomicLoad, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	v := loadWord(p)
	if g != nil {
		g.logAtomic(KindAtomicLoad, 0, unsafe.Pointer(p), unsafe.Sizeof(v), uint64(v), site)
	}
	return v
}

// modify does an atomic operation that stores, and logs the new value. It returns the old and
// the new value.
func modify[W word](kind uint8, how updateRule, p *W, operand W, site uint32) (old, new W) {
	if Mode == 0 {
		return updateWord(how, p, operand)
	}
	g := atomicEnter(kind, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	old, new = updateWord(how, p, operand)
	if g != nil {
		g.logAtomic(kind, 0, unsafe.Pointer(p), unsafe.Sizeof(new), uint64(new), site)
	}
	return old, new
}

// store stores v.
func store[W word](p *W, v W, site uint32) { modify(KindAtomicStore, updateSet, p, v, site) }

// swap stores v and returns the old value.
func swap[W word](p *W, v W, site uint32) (old W) {
	old, _ = modify(KindAtomicRMW, updateSet, p, v, site)
	return old
}

// add adds delta and returns the new value.
func add[W word](p *W, delta W, site uint32) (new W) {
	_, new = modify(KindAtomicRMW, updateAdd, p, delta, site)
	return new
}

// and clears the bits that mask does not have, and returns the old value.
func and[W word](p *W, mask W, site uint32) (old W) {
	old, _ = modify(KindAtomicRMW, updateAnd, p, mask, site)
	return old
}

// or sets the bits of mask, and returns the old value.
func or[W word](p *W, mask W, site uint32) (old W) {
	old, _ = modify(KindAtomicRMW, updateOr, p, mask, site)
	return old
}

// compareAndSwap stores new if *p is old. A failed attempt is an event, too: it has the value that
// was found, and may be part of a loop that polls.
func compareAndSwap[W word](p *W, old, new W, site uint32) bool {
	if Mode == 0 {
		return compareAndSwapWord(p, old, new)
	}
	g := atomicEnter(KindAtomicRMW, unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	ok := compareAndSwapWord(p, old, new)
	if g == nil {
		return ok
	}
	if ok {
		g.logAtomic(KindAtomicRMW, 0, unsafe.Pointer(p), unsafe.Sizeof(new), uint64(new), site)
		return true
	}
	g.logAtomic(KindAtomicRMW, flagFailed, unsafe.Pointer(p), unsafe.Sizeof(new), uint64(loadWord(p)), site)
	g.countLook(uint64(uintptr(unsafe.Pointer(p))), true)
	return false
}

// Atomic operations on pointers are the runtime's own, which have the write barrier of the garbage
// collector.

var (
	neverTrue   bool
	pointerSink [2]unsafe.Pointer
)

// keepAlive tells the compiler that p and q outlive the call. It cannot see that from the
// runtime's functions, which hide the store from it.
func keepAlive(p, q unsafe.Pointer) {
	if neverTrue {
		pointerSink[0], pointerSink[1] = p, q
	}
}

// LoadPointer is load for a pointer.
func LoadPointer(addr *unsafe.Pointer, site uint32) unsafe.Pointer {
	if Mode == 0 {
		return atomic.Loadp(unsafe.Pointer(addr))
	}
	g := atomicEnter(KindAtomicLoad, unsafe.Pointer(addr), unsafe.Sizeof(*addr), site)
	v := atomic.Loadp(unsafe.Pointer(addr))
	if g != nil {
		g.logAtomic(KindAtomicLoad, 0, unsafe.Pointer(addr), unsafe.Sizeof(v), uint64(uintptr(v)), site)
	}
	return v
}

// StorePointer is store for a pointer.
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer, site uint32) {
	exchangePointer(KindAtomicStore, addr, val, site)
}

// SwapPointer is swap for a pointer.
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer, site uint32) (old unsafe.Pointer) {
	return exchangePointer(KindAtomicRMW, addr, new, site)
}

// exchangePointer is swap for a pointer, logged as an event of a kind.
func exchangePointer(kind uint8, addr *unsafe.Pointer, new unsafe.Pointer, site uint32) (old unsafe.Pointer) {
	keepAlive(unsafe.Pointer(addr), new)
	if Mode == 0 {
		return runtime.PredictSwapPointer(addr, new)
	}
	g := atomicEnter(kind, unsafe.Pointer(addr), unsafe.Sizeof(*addr), site)
	old = runtime.PredictSwapPointer(addr, new)
	if g != nil {
		g.logAtomic(kind, 0, unsafe.Pointer(addr), unsafe.Sizeof(new), uint64(uintptr(new)), site)
	}
	return old
}

// CompareAndSwapPointer is compareAndSwap for a pointer.
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer, site uint32) (swapped bool) {
	keepAlive(unsafe.Pointer(addr), new)
	if Mode == 0 {
		return runtime.PredictCompareAndSwapPointer(addr, old, new)
	}
	g := atomicEnter(KindAtomicRMW, unsafe.Pointer(addr), unsafe.Sizeof(*addr), site)
	swapped = runtime.PredictCompareAndSwapPointer(addr, old, new)
	if g == nil {
		return swapped
	}
	if swapped {
		g.logAtomic(KindAtomicRMW, 0, unsafe.Pointer(addr), unsafe.Sizeof(new), uint64(uintptr(new)), site)
		return true
	}
	v := atomic.Loadp(unsafe.Pointer(addr))
	g.logAtomic(KindAtomicRMW, flagFailed, unsafe.Pointer(addr), unsafe.Sizeof(new), uint64(uintptr(v)), site)
	g.countLook(uint64(uintptr(unsafe.Pointer(addr))), true)
	return false
}
