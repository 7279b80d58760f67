package runtime

import (
	"internal/abi"
	"internal/goarch"
	"unsafe"
)

// What goroutines that are blocked wait for may be out of reach of all that can move, or
// come to move: then they wait for ever. The search here is that of the garbage collector,
// which takes goroutines that wait for a channel, a lock, a group or a condition for alive
// only where that was found, and goes on with what these reach. It changes nothing: no
// finalizer runs and no memory is given back. So it may find too much alive, as it takes
// words for pointers that are none, and never too little.
//
// Alive are from the beginning the package variables, the stacks of goroutines that run,
// could, or wait for something else, the timers (in the P), and what has a finalizer, a
// cleanup or a weak pointer, or is pinned.

// predictSearch is one search, all of whose memory is not the garbage collector's.
type predictSearch struct {
	todo   []uintptr // objects to look into
	number uint32    // of the search
	looked uint64    // objects that all searches have looked into
	wanted [32]guintptr
	want   int // of these; -1: all, or too many to be counted
}

var predictSearcher predictSearch

const predictMarkBytes = heapArenaBytes / goarch.PtrSize / 8

// PredictBlockedForEver calls visit with the record of each goroutine that waits for what
// nothing alive can reach, of those that want reports true for.
func PredictBlockedForEver(want func(rec unsafe.Pointer) bool, visit func(rec unsafe.Pointer)) {
	r := &predictSearcher
	r.number++
	r.want = 0
	forEachGRace(func(gp *g) {
		if !gp.predictIsBlocked() || gp.predict == nil || !want(gp.predict) {
			return
		}
		if r.want == len(r.wanted) {
			r.want = -1
		}
		if r.want >= 0 {
			r.wanted[r.want].set(gp)
			r.want++
		}
	})
	if r.want == 0 {
		return
	}
	mp := acquirem()
	forgetStopped()
	systemstack(func() { r.search() })
	releasem(mp)
	forEachGRace(func(gp *g) {
		if gp.predictIsBlocked() && gp.predict != nil && gp.predictSearchNumber != r.number && want(gp.predict) {
			visit(gp.predict)
		}
	})
}

// forgetStopped takes the timers that were stopped out of those of each P, where they stay
// until somebody comes by: they will not fire, and what they would call is not alive.
func forgetStopped() {
	for _, pp := range allp {
		if ts := &pp.timers; ts.zombies.Load() > 0 {
			ts.lock()
			ts.adjust(0, true)
			ts.unlock()
		}
	}
}

// PredictVisited returns how many objects PredictBlockedForEver has looked into so far.
func PredictVisited() uint64 { return predictSearcher.looked }

// predictIsBlocked reports whether gp waits for what the search looks for.
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

// search finds out which goroutines are alive.
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
		// What they are part of and wait in leads from all to all.
		r.first(uintptr(unsafe.Pointer(gp)))
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			r.first(uintptr(unsafe.Pointer(sg)))
		}
	})
	for md := &firstmoduledata; md != nil; md = md.next {
		r.block(md.data, md.edata-md.data, md.gcdatamask.bytedata)
		r.block(md.bss, md.ebss-md.bss, md.gcbssmask.bytedata)
	}
	r.specials()
	forEachGRace(func(gp *g) {
		if readgstatus(gp)&^_Gscan != _Gdead && readgstatus(gp)&^_Gscan != _Gidle && !gp.predictIsBlocked() {
			r.alive(gp)
		}
	})
	for more := true; more && r.drain(); {
		more = false
		forEachGRace(func(gp *g) {
			if gp.predictSearchNumber != r.number && gp.predictIsBlocked() && r.reached(gp) {
				r.alive(gp)
				more = true
			}
		})
	}
}

// drain looks into all that was found. It reports false once all goroutines that are
// wanted are within reach.
func (r *predictSearch) drain() bool {
	const lookEach = 4096
	for n := 1; len(r.todo) > 0; n++ {
		obj := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		r.object(obj)
		r.looked++
		if n%lookEach == 0 && r.foundAll() {
			return false
		}
	}
	return !r.foundAll()
}

// foundAll marks the goroutines that are wanted and within reach.
func (r *predictSearch) foundAll() bool {
	all := r.want >= 0
	for i := range max(r.want, 0) {
		gp := r.wanted[i].ptr()
		if gp.predictSearchNumber != r.number && !r.reached(gp) {
			all = false
		}
	}
	for i := 0; all && i < r.want; i++ {
		r.wanted[i].ptr().predictSearchNumber = r.number
	}
	return all
}

// reached reports whether something that was found can end what gp waits for.
func (r *predictSearch) reached(gp *g) bool {
	switch gp.waitreason {
	case waitReasonChanReceiveNilChan, waitReasonChanSendNilChan, waitReasonSelectNoCases:
		return false
	case waitReasonSelect, waitReasonChanReceive, waitReasonChanSend:
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			if r.found(uintptr(unsafe.Pointer(sg.c.get()))) {
				return true
			}
		}
		return false
	}
	if gp.waiting == nil {
		return true
	}
	at := uintptr(gp.waiting.elem.get())
	return (at < gp.stack.lo || at >= gp.stack.hi) && r.found(at)
}

// found reports whether what p points to was found, or is no object of the heap.
func (r *predictSearch) found(p uintptr) bool {
	base, s, _ := predictObject(p)
	if s == nil {
		return true
	}
	byt, bit := predictMark(base)
	return *byt&bit != 0
}

// predictObject returns the object that p points into; s is nil if it points to none.
func predictObject(p uintptr) (base uintptr, s *mspan, index uintptr) {
	s = spanOf(p)
	if s == nil || s.state.get() != mSpanInUse || p < s.base() || p >= s.limit {
		return 0, nil, 0
	}
	index = s.objIndex(p)
	return s.base() + index*s.elemsize, s, index
}

// predictMark is where the mark of the object at base is.
func predictMark(base uintptr) (byt *uint8, bit uint8) {
	ai := arenaIndex(base)
	ha := mheap_.arenas[ai.l1()][ai.l2()]
	word := base % heapArenaBytes / goarch.PtrSize
	return &ha.predictMarks[word/8], 1 << (word % 8)
}

// first marks the object that p points into, and reports whether it was not yet.
func (r *predictSearch) first(p uintptr) bool {
	base, s, index := predictObject(p)
	if s == nil || s.isFree(index) {
		return false
	}
	byt, bit := predictMark(base)
	if *byt&bit != 0 {
		return false
	}
	*byt |= bit
	return true
}

// mark has what p points to looked into.
func (r *predictSearch) mark(p uintptr) {
	if r.first(p) {
		if base, s, _ := predictObject(p); !s.spanclass.noscan() {
			r.push(base)
		}
	}
}

func (r *predictSearch) push(obj uintptr) {
	if len(r.todo) == cap(r.todo) {
		n := max(2*cap(r.todo), 8<<10)
		room := unsafe.Slice((*uintptr)(persistentalloc(uintptr(n)*goarch.PtrSize, 8, &memstats.other_sys)), n)
		r.todo = room[:copy(room, r.todo)]
	}
	r.todo = append(r.todo, obj)
}

// object marks what the object at base points to.
func (r *predictSearch) object(base uintptr) {
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
		r.mark(*(*uintptr)(unsafe.Pointer(at)))
	}
}

// block marks what the words of memory point to that mask has a bit for.
func (r *predictSearch) block(at, size uintptr, mask *uint8) {
	for i := range size / goarch.PtrSize {
		if *addb(mask, i/8)>>(i%8)&1 != 0 {
			r.mark(*(*uintptr)(unsafe.Pointer(at + i*goarch.PtrSize)))
		}
	}
}

// words takes all words of memory for pointers.
func (r *predictSearch) words(at, size uintptr) {
	for i := uintptr(0); i+goarch.PtrSize <= size; i += goarch.PtrSize {
		r.mark(*(*uintptr)(unsafe.Pointer(at + i)))
	}
}

// specials marks what finalizers, cleanups, weak pointers and pins keep, or may bring
// back, and what the first two are about to be called with.
func (r *predictSearch) specials() {
	for _, s := range mheap_.allspans {
		if s.state.get() != mSpanInUse {
			continue
		}
		for sp := s.specials; sp != nil; sp = sp.next {
			at := uintptr(unsafe.Pointer(sp))
			switch sp.kind {
			case _KindSpecialFinalizer:
				r.words(at, unsafe.Sizeof(specialfinalizer{}))
			case _KindSpecialCleanup:
				r.words(at, unsafe.Sizeof(specialCleanup{}))
				continue // called without the object
			case _KindSpecialWeakHandle, _KindSpecialPinCounter:
			default:
				continue
			}
			r.mark(s.base() + uintptr(sp.offset))
		}
	}
	for fb := allfin; fb != nil; fb = fb.alllink {
		r.words(uintptr(unsafe.Pointer(&fb.fin[0])), uintptr(fb.cnt)*unsafe.Sizeof(fb.fin[0]))
	}
	for cb := (*cleanupBlock)(gcCleanups.all.Load()); cb != nil; cb = cb.alllink {
		r.words(uintptr(unsafe.Pointer(&cb.cleanups[0])), uintptr(cb.n)*unsafe.Sizeof(cb.cleanups[0]))
	}
}

// alive marks what gp can reach.
func (r *predictSearch) alive(gp *g) {
	gp.predictSearchNumber = r.number
	if base, s, _ := predictObject(uintptr(unsafe.Pointer(gp))); s != nil {
		r.push(base)
	}
	for d := gp._defer; d != nil; d = d.link {
		r.mark(uintptr(unsafe.Pointer(d)))
		r.mark(*(*uintptr)(unsafe.Pointer(&d.fn)))
	}
	if p := gp._panic; p != nil {
		r.words(uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	r.mark(uintptr(gp.sched.ctxt))
	var u unwinder
	if gp == getg().m.curg {
		u.initAt(gp.sched.pc, gp.sched.sp, 0, gp, unwindSilentErrors)
	} else {
		u.init(gp, unwindSilentErrors)
	}
	blind := false // the frame was interrupted anywhere: nothing tells what in it is a pointer
	for ; u.valid(); u.next() {
		blind = r.frame(&u.frame, blind)
	}
}

// frame marks what a stack frame points to, all of whose objects are taken for alive. It
// reports whether the next one was interrupted by it.
func (r *predictSearch) frame(frame *stkframe, blind bool) bool {
	interrupts := frame.fn.valid() && (frame.fn.funcID == abi.FuncID_asyncPreempt || frame.fn.funcID == abi.FuncID_debugCallV2)
	if blind || interrupts {
		if frame.varp > frame.sp {
			r.words(frame.sp, frame.varp-frame.sp)
		}
		r.words(frame.argp, frame.argBytes())
		return interrupts
	}
	locals, args, objs := frame.getStackMap(false)
	if size := uintptr(locals.n) * goarch.PtrSize; size > 0 {
		r.block(frame.varp-size, size, locals.bytedata)
	}
	if args.n > 0 {
		r.block(frame.argp, uintptr(args.n)*goarch.PtrSize, args.bytedata)
	}
	for i := range objs {
		base := frame.varp
		if objs[i].off >= 0 {
			base = frame.argp
		}
		if at := base + uintptr(objs[i].off); frame.varp != 0 && at >= frame.sp {
			size, mask := objs[i].gcdata()
			r.block(at, size, mask)
		}
	}
	return false
}
