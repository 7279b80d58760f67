package runtime

import (
	"internal/abi"
	"internal/goarch"
	"unsafe"
)

// This file finds goroutines that are blocked for ever: what they wait for is not reachable from
// any goroutine that can run, now or later. The search is that of the garbage collector, with one
// difference. Goroutines that wait for a channel, a lock, a group or a condition count as alive
// only once that was found; then the search goes on with what they reach. It has no effect on the
// program: no finalizer runs, and no memory is freed. So it may take too many goroutines for
// alive, as it takes words for pointers that are none, but never too few.
//
// Alive from the beginning are the package variables, the stacks of goroutines that run, can run,
// or wait for something else, the timers (in the P), and what has a finalizer, a cleanup or a weak
// pointer, or is pinned.

// A predictSearch is one search. None of its memory is the garbage collector's.
type predictSearch struct {
	todo      []uintptr // objects to look into
	number    uint32    // of the search
	visited   uint64    // objects that all searches have visited
	wanted    [32]guintptr
	numWanted int // of these; -1: all, or too many to be counted
	// ignoresTimers says that timers do not end the waits of those.
	ignoresTimers bool
}

var predictSearcher predictSearch

const predictMarkBytes = heapArenaBytes / goarch.PtrSize / 8

// PredictBlockedForEver calls visit with the record of each goroutine that is blocked for ever, of
// those that want reports true for.
func PredictBlockedForEver(want func(rec unsafe.Pointer) bool, visit func(rec unsafe.Pointer)) {
	predictSearcher.find(func(gp *g) bool { return gp.predictIsBlocked() && want(gp.predict) }, visit)
}

// PredictAbandoned is PredictBlockedForEver for goroutines that wait in a select for timers and
// for something else, which only they themselves can reach, or others of those that want reports
// true for.
func PredictAbandoned(want func(rec unsafe.Pointer) bool, visit func(rec unsafe.Pointer)) {
	predictSearcher.ignoresTimers = true
	predictSearcher.find(func(gp *g) bool { return gp.predictHasWayOut() && want(gp.predict) }, visit)
	predictSearcher.ignoresTimers = false
}

// predictHasWayOut reports whether gp waits in a select for a timer and for something else.
func (gp *g) predictHasWayOut() bool {
	if readgstatus(gp) != _Gwaiting || gp.waitreason != waitReasonSelect {
		return false
	}
	timers, others := false, false
	for sg := gp.waiting; sg != nil; sg = sg.waitlink {
		isTimer := sg.c.get().timer != nil
		timers, others = timers || isTimer, others || !isTimer
	}
	return timers && others
}

// find calls visit with the record of each goroutine that want reports true for and that is not alive.
func (r *predictSearch) find(want func(gp *g) bool, visit func(rec unsafe.Pointer)) {
	r.number++
	r.numWanted = 0
	forEachGRace(func(gp *g) {
		if gp.predict == nil || !want(gp) {
			return
		}
		if r.numWanted == len(r.wanted) {
			r.numWanted = -1
		}
		if r.numWanted >= 0 {
			r.wanted[r.numWanted].set(gp)
			r.numWanted++
		}
	})
	if r.numWanted == 0 {
		return
	}
	mp := acquirem()
	forgetStopped()
	systemstack(func() { r.search() })
	releasem(mp)
	forEachGRace(func(gp *g) {
		if gp.predict != nil && gp.predictSearchNumber != r.number && want(gp) {
			visit(gp.predict)
		}
	})
}

// forgetStopped removes stopped timers from each P, which does so only now and then. They will not
// fire, and what they would call is not alive.
func forgetStopped() {
	for _, pp := range allp {
		if ts := &pp.timers; ts.zombies.Load() > 0 {
			ts.lock()
			ts.adjust(0, true)
			ts.unlock()
		}
	}
}

// PredictVisited returns how many objects PredictBlockedForEver has visited so far.
func PredictVisited() uint64 { return predictSearcher.visited }

// predictIsBlocked reports whether gp waits for something that the search looks for.
func (gp *g) predictIsBlocked() bool {
	if readgstatus(gp) != _Gwaiting {
		return false
	}
	switch gp.waitreason {
	case waitReasonChanReceiveNilChan, waitReasonChanSendNilChan, waitReasonSelectNoCases,
		waitReasonSelect, waitReasonChanReceive, waitReasonChanSend,
		waitReasonSyncCondWait, waitReasonSyncMutexLock, waitReasonSyncRWMutexRLock,
		waitReasonSyncRWMutexLock, waitReasonSyncWaitGroupWait:
		return true
	}
	return false
}

// search finds the goroutines that are alive.
func (r *predictSearch) search() {
	for _, ai := range mheap_.heapArenas {
		ha := mheap_.arenas[ai.l1()][ai.l2()]
		if ha.predictMarks == nil {
			ha.predictMarks = (*[predictMarkBytes]uint8)(persistentalloc(predictMarkBytes, 8, &memstats.other_sys))
		} else {
			clear(ha.predictMarks[:])
		}
	}
	r.todo = r.todo[:0]
	forEachGRace(func(gp *g) {
		// These lead from each goroutine to all: mark them, but do not scan them.
		r.tryMark(uintptr(unsafe.Pointer(gp)))
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			r.tryMark(uintptr(unsafe.Pointer(sg)))
		}
	})
	for md := &firstmoduledata; md != nil; md = md.next {
		r.scanMasked(md.data, md.edata-md.data, md.gcdatamask.bytedata)
		r.scanMasked(md.bss, md.ebss-md.bss, md.gcbssmask.bytedata)
	}
	r.scanSpecials()
	forEachGRace(func(gp *g) {
		if readgstatus(gp)&^_Gscan != _Gdead && readgstatus(gp)&^_Gscan != _Gidle && !gp.predictIsBlocked() {
			r.scanGoroutine(gp)
		}
	})
	for more := true; more && r.scanAll(); {
		more = false
		forEachGRace(func(gp *g) {
			if gp.predictSearchNumber != r.number && gp.predictIsBlocked() && r.isReached(gp) {
				r.scanGoroutine(gp)
				more = true
			}
		})
	}
}

// scanAll scans all objects in todo. It returns false once all wanted goroutines are reached.
func (r *predictSearch) scanAll() bool {
	const lookEach = 4096
	for n := 1; len(r.todo) > 0; n++ {
		obj := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		r.scanObject(obj)
		r.visited++
		if n%lookEach == 0 && r.hasReachedWanted() {
			return false
		}
	}
	return !r.hasReachedWanted()
}

// hasReachedWanted marks the wanted goroutines if all of them are reached, and reports that.
func (r *predictSearch) hasReachedWanted() bool {
	all := r.numWanted >= 0
	for i := range max(r.numWanted, 0) {
		gp := r.wanted[i].ptr()
		if gp.predictSearchNumber != r.number && !r.isReached(gp) {
			all = false
		}
	}
	for i := 0; all && i < r.numWanted; i++ {
		r.wanted[i].ptr().predictSearchNumber = r.number
	}
	return all
}

// isWanted reports whether gp is one of those that are wanted, as far as these could be counted.
func (r *predictSearch) isWanted(gp *g) bool {
	for i := range max(r.numWanted, 0) {
		if r.wanted[i].ptr() == gp {
			return true
		}
	}
	return false
}

// isReached reports whether an object that was found can end the wait of gp.
func (r *predictSearch) isReached(gp *g) bool {
	switch gp.waitreason {
	case waitReasonChanReceiveNilChan, waitReasonChanSendNilChan, waitReasonSelectNoCases:
		return false
	case waitReasonSelect, waitReasonChanReceive, waitReasonChanSend:
		withoutTimers := r.ignoresTimers && r.isWanted(gp)
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			c := sg.c.get()
			if !(withoutTimers && c.timer != nil) && r.isMarked(uintptr(unsafe.Pointer(c))) {
				return true
			}
		}
		return false
	}
	if gp.waiting == nil {
		return true
	}
	at := uintptr(gp.waiting.elem.get())
	return (at < gp.stack.lo || at >= gp.stack.hi) && r.isMarked(at)
}

// isMarked reports whether the object that p points into was found, or is none of the heap.
func (r *predictSearch) isMarked(p uintptr) bool {
	base, s, _ := predictObject(p)
	if s == nil {
		return true
	}
	if s.spanclass == tinySpanClass {
		return isTinyMarked(p, base)
	}
	byt, bit := predictMark(base)
	return *byt&bit != 0
}

// isTinyMarked reports whether the mutex, or what else has its semaphore at sema, was found, in a
// block of 16 bytes without pointers. Other objects in the block do not count, if that is certain:
// a mutex of its own begins with a word, and has eight bytes.
func isTinyMarked(sema, block uintptr) bool {
	const mutexSize, semaOffset = 8, 4
	from, to := block, block+maxTinySize
	if at := sema - semaOffset; predictIsTiny(at, block) {
		from, to = at, at+mutexSize
	}
	for p := from; p < to; p += goarch.PtrSize {
		if byt, bit := predictMark(p); *byt&bit != 0 {
			return true
		}
	}
	return false
}

// predictObject returns the object of the heap that p points into; s is nil if there is none.
func predictObject(p uintptr) (base uintptr, s *mspan, index uintptr) {
	s = spanOf(p)
	if s == nil || s.state.get() != mSpanInUse || p < s.base() || p >= s.limit {
		return 0, nil, 0
	}
	index = s.objIndex(p)
	return s.base() + index*s.elemsize, s, index
}

// predictMark returns the byte and bit of the mark of the object at base. Objects of the blocks that
// tiny ones share have a mark for each word.
func predictMark(base uintptr) (byt *uint8, bit uint8) {
	ai := arenaIndex(base)
	ha := mheap_.arenas[ai.l1()][ai.l2()]
	word := base % heapArenaBytes / goarch.PtrSize
	return &ha.predictMarks[word/8], 1 << (word % 8)
}

// tryMark marks the object that p points into, and reports whether it was not marked before.
func (r *predictSearch) tryMark(p uintptr) bool {
	base, s, index := predictObject(p)
	if s == nil || s.isFree(index) {
		return false
	}
	at := base
	if s.spanclass == tinySpanClass { // several objects may share the block
		at = p &^ (goarch.PtrSize - 1)
	}
	byt, bit := predictMark(at)
	if *byt&bit != 0 {
		return false
	}
	*byt |= bit
	return true
}

// markPointer marks the object that p points into, and has it scanned.
func (r *predictSearch) markPointer(p uintptr) {
	if r.tryMark(p) {
		if base, s, _ := predictObject(p); !s.spanclass.noscan() {
			r.push(base)
		}
	}
}

// push adds an object to todo.
func (r *predictSearch) push(obj uintptr) {
	if len(r.todo) == cap(r.todo) {
		n := max(2*cap(r.todo), 8<<10)
		room := unsafe.Slice((*uintptr)(persistentalloc(uintptr(n)*goarch.PtrSize, 8, &memstats.other_sys)), n)
		r.todo = room[:copy(room, r.todo)]
	}
	r.todo = append(r.todo, obj)
}

// scanObject marks what the pointers in an object point to.
func (r *predictSearch) scanObject(base uintptr) {
	s := spanOf(base)
	if !heapBitsInSpan(s.elemsize) && s.spanclass.sizeclass() != 0 && *(*uintptr)(unsafe.Pointer(base)) == 0 {
		return // it has no type yet
	}
	limit := base + s.elemsize
	tp := s.typePointersOfUnchecked(base)
	for {
		var at uintptr
		if tp, at = tp.nextFast(); at == 0 {
			if tp, at = tp.next(limit); at == 0 {
				return
			}
		}
		r.markPointer(*(*uintptr)(unsafe.Pointer(at)))
	}
}

// scanMasked marks what the words of memory point to for which mask has a bit.
func (r *predictSearch) scanMasked(at, size uintptr, mask *uint8) {
	for i := range size / goarch.PtrSize {
		if *addb(mask, i/8)>>(i%8)&1 != 0 {
			r.markPointer(*(*uintptr)(unsafe.Pointer(at + i*goarch.PtrSize)))
		}
	}
}

// scanWords marks what the words of memory point to, as if all were pointers.
func (r *predictSearch) scanWords(at, size uintptr) {
	for i := uintptr(0); i+goarch.PtrSize <= size; i += goarch.PtrSize {
		r.markPointer(*(*uintptr)(unsafe.Pointer(at + i)))
	}
}

// scanSpecials marks what finalizers, cleanups, weak pointers and pins keep or may bring back, and the
// arguments of finalizers and cleanups that are about to be called.
func (r *predictSearch) scanSpecials() {
	for _, s := range mheap_.allspans {
		if s.state.get() != mSpanInUse {
			continue
		}
		for sp := s.specials; sp != nil; sp = sp.next {
			at := uintptr(unsafe.Pointer(sp))
			switch sp.kind {
			case _KindSpecialFinalizer:
				r.scanWords(at, unsafe.Sizeof(specialfinalizer{}))
			case _KindSpecialCleanup:
				r.scanWords(at, unsafe.Sizeof(specialCleanup{}))
				continue // called without the object
			case _KindSpecialWeakHandle, _KindSpecialPinCounter:
			default:
				continue
			}
			r.markPointer(s.base() + uintptr(sp.offset))
		}
	}
	for fb := allfin; fb != nil; fb = fb.alllink {
		r.scanWords(uintptr(unsafe.Pointer(&fb.fin[0])), uintptr(fb.cnt)*unsafe.Sizeof(fb.fin[0]))
	}
	for cb := (*cleanupBlock)(gcCleanups.all.Load()); cb != nil; cb = cb.alllink {
		r.scanWords(uintptr(unsafe.Pointer(&cb.cleanups[0])), uintptr(cb.n)*unsafe.Sizeof(cb.cleanups[0]))
	}
}

// scanGoroutine marks what gp can reach.
func (r *predictSearch) scanGoroutine(gp *g) {
	gp.predictSearchNumber = r.number
	if base, s, _ := predictObject(uintptr(unsafe.Pointer(gp))); s != nil {
		r.push(base)
	}
	for d := gp._defer; d != nil; d = d.link {
		r.markPointer(uintptr(unsafe.Pointer(d)))
		r.markPointer(*(*uintptr)(unsafe.Pointer(&d.fn)))
	}
	if p := gp._panic; p != nil {
		r.scanWords(uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	r.markPointer(uintptr(gp.sched.ctxt))
	var u unwinder
	if gp == getg().m.curg {
		u.initAt(gp.sched.pc, gp.sched.sp, 0, gp, unwindSilentErrors)
	} else {
		u.init(gp, unwindSilentErrors)
	}
	blind := false // the frame was interrupted anywhere: it is not known which words are pointers
	for ; u.valid(); u.next() {
		blind = r.scanFrame(&u.frame, blind)
	}
}

// scanFrame marks what a stack frame points to; all its objects count as alive. It reports whether the
// next frame was interrupted by this one.
func (r *predictSearch) scanFrame(frame *stkframe, blind bool) bool {
	interrupts := frame.fn.valid() && (frame.fn.funcID == abi.FuncID_asyncPreempt || frame.fn.funcID == abi.FuncID_debugCallV2)
	if blind || interrupts {
		if frame.varp > frame.sp {
			r.scanWords(frame.sp, frame.varp-frame.sp)
		}
		r.scanWords(frame.argp, frame.argBytes())
		return interrupts
	}
	locals, args, objs := frame.getStackMap(false)
	if size := uintptr(locals.n) * goarch.PtrSize; size > 0 {
		r.scanMasked(frame.varp-size, size, locals.bytedata)
	}
	if args.n > 0 {
		r.scanMasked(frame.argp, uintptr(args.n)*goarch.PtrSize, args.bytedata)
	}
	for i := range objs {
		base := frame.varp
		if objs[i].off >= 0 {
			base = frame.argp
		}
		if at := base + uintptr(objs[i].off); frame.varp != 0 && at >= frame.sp {
			size, mask := objs[i].gcdata()
			r.scanMasked(at, size, mask)
		}
	}
	return false
}
