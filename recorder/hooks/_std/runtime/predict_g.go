package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/sys"
	"unsafe"
)

// PredictRecord returns the record of the running goroutine.
//
//go:nosplit
func PredictRecord() unsafe.Pointer { return getg().predict }

// PredictSetRecord sets the record of the running goroutine.
func PredictSetRecord(rec unsafe.Pointer) { getg().predict = rec }

// PredictAlloc returns n bytes of zeros. They are never freed, do not count as allocated by the
// program, and the garbage collector does not look into them.
func PredictAlloc(n uintptr) unsafe.Pointer { return persistentalloc(n, 8, &memstats.other_sys) }

// predictOwnAlloc returns memory of PredictAlloc where the library allocates for itself, and nil
// where the program does. So nothing that counts what the program allocates, or profiles it,
// notices the library.
func predictOwnAlloc(size uintptr) unsafe.Pointer {
	if getg().predictOwn == 0 {
		return nil
	}
	return PredictAlloc(max(size, 1))
}

// PredictCallOf returns what PredictSetCall has set for the running goroutine, or
// PredictStartsCall for the one that was started then.
func PredictCallOf() unsafe.Pointer { return getg().predictCall }

// PredictSetCall sets the record of the finalizer or cleanup that the running goroutine is about
// to call, nil after it; or that of the timer that it is about to make.
func PredictSetCall(call unsafe.Pointer) { getg().predictCall = call }

// predictStarting is the record of the timer whose function the next goroutine calls.
var predictStarting unsafe.Pointer

// PredictStartsCall is called before a timer starts the goroutine that calls its function.
func PredictStartsCall(call unsafe.Pointer) { predictStarting = call }

// predictNextCall returns the record for a timer that is being made, which has no channel: that of
// time.AfterFunc.
func predictNextCall(c *hchan) uintptr {
	if !predictOn || c != nil {
		return 0
	}
	gp := getg()
	call := gp.predictCall
	gp.predictCall = nil
	return uintptr(call)
}

// PredictTimerCall returns the record of a timer of time.AfterFunc.
func PredictTimerCall(timer unsafe.Pointer) unsafe.Pointer {
	seq := (*timeTimer)(timer).seq
	return *(*unsafe.Pointer)(unsafe.Pointer(&seq))
}

// PredictTimerSize is the size of the objects that timers of package time are.
const PredictTimerSize = unsafe.Sizeof(timeTimer{})

// PredictG returns the identity of the running goroutine, for PredictBlocked.
func PredictG() unsafe.Pointer { return unsafe.Pointer(getg()) }

// PredictWho returns the running goroutine's number, whether it is on its own stack (on a system
// stack nothing may be logged), and whether it belongs to the runtime.
func PredictWho() (goid uint64, user, system bool) {
	gp := getg()
	if gp.m.curg != gp {
		return 0, false, true
	}
	return gp.goid, true, isSystemGoroutine(gp, true)
}

// PredictOnStack reports whether p lies in the running goroutine's stack.
//
//go:nosplit
func PredictOnStack(p uintptr) bool {
	gp := getg()
	return gp.stack.lo <= p && p < gp.stack.hi
}

// PredictReadOnly reports whether p lies in the program's read-only memory.
//
//go:nosplit
func PredictReadOnly(p uintptr) bool {
	for md := &firstmoduledata; md != nil; md = md.next {
		if md.text <= p && p < md.noptrdata && md.text < md.rodata {
			return true
		}
	}
	return false
}

// PredictCanPark reports whether the running goroutine may be parked here.
func PredictCanPark() bool {
	mp := getg().m
	return mp.locks == 0 && mp.mallocing == 0 && mp.preemptoff == "" && mp.dying == 0
}

// PredictPin keeps the running goroutine running until PredictUnpin. What it allocates meanwhile
// is memory of PredictAlloc: it must not point to objects of the program.
func PredictPin() { acquirem(); getg().predictOwn++ }

// PredictUnpin ends what PredictPin has begun.
func PredictUnpin() { gp := getg(); gp.predictOwn--; releasem(gp.m) }

// PredictHold is PredictPin for what points to objects of the program.
func PredictHold() { acquirem() }

// PredictRelease ends what PredictHold has begun.
func PredictRelease() { releasem(getg().m) }

// PredictNewSlice starts a new time slice for the running goroutine, so that it is not preempted
// within the next few milliseconds.
//
//go:nosplit
func PredictNewSlice() {
	gp := getg()
	if pp := gp.m.p.ptr(); pp != nil {
		pp.schedtick++
	}
	if gp.m.locks == 0 && gp.preempt && !gp.preemptStop && !sched.gcwaiting.Load() {
		gp.preempt = false
		gp.stackguard0 = gp.stack.lo + stackGuard
	}
}

// PredictSleep suspends the running goroutine for ns nanoseconds. A bubble of
// testing/synctest has a clock of its own, which this must not move.
func PredictSleep(ns int64) {
	if getg().bubble != nil {
		PredictGosched()
		return
	}
	timeSleep(ns)
}

// PredictFrames calls visit for the frames at the return address pc, from the innermost inlined
// function outwards, until it returns false. If logical is set, pc comes from Callers and has one
// frame.
func PredictFrames(pc uintptr, logical bool, visit func(fn, file string, line int) bool) {
	predictFrames(pc, logical, funcNameForPrint, visit)
}

// PredictNewFrames is PredictFrames for names that visit keeps. Their memory does not count as
// allocated by the program.
func PredictNewFrames(pc uintptr, logical bool, visit func(fn, file string, line int) bool) {
	predictFrames(pc, logical, predictOwnName, visit)
}

// predictOwnName is funcNameForPrint, but does not allocate: names of generic functions are put
// together from pieces.
func predictOwnName(name string) string { return predictJoin(funcNamePiecesForPrint(name)) }

func predictJoin(pieces ...string) string {
	n := 0
	for _, p := range pieces {
		n += len(p)
	}
	if n == len(pieces[0]) {
		return pieces[0]
	}
	room := unsafe.Slice((*byte)(PredictAlloc(uintptr(n))), n)
	at := 0
	for _, p := range pieces {
		at += copy(room[at:], p)
	}
	return unsafe.String(&room[0], n)
}

func predictFrames(pc uintptr, logical bool, print func(string) string, visit func(fn, file string, line int) bool) {
	if pc == 0 {
		return
	}
	f := findfunc(pc - 1)
	if !f.valid() {
		return
	}
	u, uf := newInlineUnwinder(f, pc-1)
	for ; uf.valid(); uf = u.next(uf) {
		sf := u.srcFunc(uf)
		file, line := u.fileLine(uf)
		if sf.funcID == abi.FuncIDWrapper {
			file = "<autogenerated>"
		}
		if !visit(print(sf.name()), file, line) || logical {
			return
		}
	}
}

// PredictCallers stores the return addresses of the running goroutine's stack in pcs, the
// innermost first, and returns their number. If they are logical, each stands for one frame, as
// those of Callers do.
//
//go:noinline
func PredictCallers(pcs []uintptr) (n int, logical bool) {
	if framepointer_enabled {
		if n, ok := predictFollow(getcallerfp(), pcs); ok {
			return n, false
		}
	}
	return Callers(2, pcs), true
}

// predictFollow stores the return addresses that the chain of frame pointers from fp on leads to.
// It reports false if a link of the chain is broken, as assembly may use the register for anything:
// a function may leave it changed for its caller, or call Go code meanwhile. Each link has to lead
// upwards in the stack, and the last one to the bottom of the goroutine.
//
// It is nosplit because a stack that grows moves, and fp with it.
//
//go:nosplit
func predictFollow(fp uintptr, pcs []uintptr) (n int, ok bool) {
	stack := getg().stack
	for lowest := stack.lo; n < len(pcs); n++ {
		if fp < lowest || fp > stack.hi-2*goarch.PtrSize || fp%goarch.PtrSize != 0 {
			return 0, false
		}
		next := *(*uintptr)(unsafe.Pointer(fp))
		pcs[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		if next == 0 {
			return n + 1, pcs[n] == abi.FuncPCABI0(goexit)+sys.PCQuantum
		}
		lowest, fp = fp+2*goarch.PtrSize, next
	}
	return n, true
}

// A PredictSemaphore lets one goroutine wait for another one.
type PredictSemaphore struct {
	g       *g
	waiting bool
	permit  bool
}

// PredictPark blocks the running goroutine until PredictWake.
func PredictPark(s *PredictSemaphore) {
	s.g = getg()
	gopark(predictParkCommit, unsafe.Pointer(s), waitReasonSemacquire, traceBlockGeneric, 1)
}

func predictParkCommit(gp *g, p unsafe.Pointer) bool {
	s := (*PredictSemaphore)(p)
	if s.permit {
		s.permit = false
		return false
	}
	s.waiting = true
	return true
}

// PredictWake lets the goroutine go on that waits for s, now or later.
func PredictWake(s *PredictSemaphore) {
	if !s.waiting {
		s.permit = true
		return
	}
	s.waiting = false
	goready(s.g, 1)
}

// Atomic operations on pointers, with write barriers.

//go:nosplit
func PredictSwapPointer(p *unsafe.Pointer, v unsafe.Pointer) unsafe.Pointer {
	return sync_atomic_SwapPointer(p, v)
}

//go:nosplit
func PredictCompareAndSwapPointer(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return sync_atomic_CompareAndSwapPointer(p, old, new)
}
