package sync

import (
	"internal/abi"
	"internal/runtime/sys"
	"predictrt"
	"unsafe"
)

// Each function here calls the original of package sync, whose name begins with predict now.

// predictMuteAfter logs an operation on the object at p that is about to happen, and mutes it. The
// result is for predictrt.Restore.
func predictMuteAfter(kind uint8, p unsafe.Pointer, val int, pc uintptr) predictrt.MuteState {
	predictrt.Log(kind, p, uint64(val), pc)
	return predictrt.Mute()
}

// predictTry calls try, which attempts to acquire the lock at p.
func predictTry(kind uint8, p unsafe.Pointer, try func() bool, pc uintptr) bool {
	op := predictrt.Try(kind, p, pc)
	s := predictrt.Mute()
	ok := try()
	predictrt.Restore(s)
	op.LogTried(ok)
	return ok
}

func (m *Mutex) TryLock() bool {
	if predictrt.Mode == 0 || m == nil {
		return m.predictTryLock()
	}
	return predictTry(predictrt.KindAcquire, unsafe.Pointer(m), m.predictTryLock, sys.GetCallerPC())
}

func (rw *RWMutex) TryLock() bool {
	if predictrt.Mode == 0 || rw == nil {
		return rw.predictTryLock()
	}
	return predictTry(predictrt.KindAcquire, unsafe.Pointer(rw), rw.predictTryLock, sys.GetCallerPC())
}

func (rw *RWMutex) TryRLock() bool {
	if predictrt.Mode == 0 || rw == nil {
		return rw.predictTryRLock()
	}
	return predictTry(predictrt.KindRAcquire, unsafe.Pointer(rw), rw.predictTryRLock, sys.GetCallerPC())
}

func (wg *WaitGroup) Wait() {
	if predictrt.Mode == 0 {
		wg.predictWait()
		return
	}
	op := predictrt.Begin(predictrt.KindWaitGroupWait, unsafe.Pointer(wg), sys.GetCallerPC())
	op.Log(0)
	s := predictrt.Mute()
	defer predictrt.Restore(s)
	wg.predictWait()
	predictrt.Restore(s)
	op.LogNext(predictrt.KindWaitGroupWaited, 0)
}

// A predictOnce is a call of Do.
type predictOnce struct {
	op    predictrt.Op
	muted predictrt.MuteState
	pc    uintptr
}

func (o *Once) predictBegin(pc uintptr) predictOnce {
	op := predictrt.BeginOnce(unsafe.Pointer(o), pc)
	return predictOnce{op, predictrt.Mute(), pc}
}

func (c predictOnce) end() {
	predictrt.Restore(c.muted)
	c.op.LogNext(predictrt.KindOnceDone, 0)
}

// predictSlow is doSlow. It stands where that would, so that f finds as many callers as ever.
func (o *Once) predictSlow(f func(), c predictOnce) {
	o.m.Lock()
	defer o.m.Unlock()
	if o.done.Load() {
		return
	}
	defer o.done.Store(true)
	predictrt.Restore(c.muted)
	defer predictrt.Mute()
	defer predictrt.Initializes(c.pc).End()
	c.op.Log(0)
	defer c.op.LogNext(predictrt.KindOnceEnd, 0)
	defer c.op.SeedBySite().Restore()
	f()
}

func (p *Pool) Put(x any) {
	if predictrt.Mode == 0 || x == nil {
		p.predictPut(x)
		return
	}
	if pc := sys.GetCallerPC(); predictrt.IsPrivate(pc) {
		predictrt.Pooled(predictDataPointer(x))
	} else if predictrt.PoolPut(unsafe.Pointer(p), x, predictDataPointer(x), predictPointedSize(x), pc) {
		return
	}
	defer predictrt.Restore(predictrt.Mute())
	p.predictPut(x)
}

// Get takes an item before New is called: that order is what a trace has and a replay repeats.
func (p *Pool) Get() any {
	if predictrt.Mode == 0 {
		return p.predictGet()
	}
	pc := sys.GetCallerPC()
	var get predictrt.PoolGet
	if !predictrt.IsPrivate(pc) {
		get = predictrt.BeginPoolGet(unsafe.Pointer(p), pc)
	}
	x, decided := get.Planned()
	if !decided {
		s := predictrt.Mute()
		x = p.predictGet()
		predictrt.Restore(s)
	}
	get.Log(x != nil, predictDataPointer(x))
	if x != nil {
		predictrt.ReadsPool(pc)
	} else if p.New != nil {
		x = p.New()
	}
	return x
}

// predictDataPointer returns what x points to. It is the token that orders a Put before the Get
// that returns the same x, and before no other.
func predictDataPointer(x any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1] }

// predictPointedSize returns the size of what x points to; 0 if x is no pointer.
func predictPointedSize(x any) uintptr {
	if t := abi.TypeOf(x); t.Kind() == abi.Pointer {
		return t.Elem().Size()
	}
	return 0
}

func init() { predictrt.EmptyPools = predictEmptyPools }

// predictEmptyPools empties all pools, as two garbage collections do. There is one P, and no
// goroutine is in the middle of an operation on a pool.
func predictEmptyPools() {
	defer predictrt.Restore(predictrt.Mute())
	allPoolsMu.Lock()
	defer allPoolsMu.Unlock()
	runtime_procPin()
	poolCleanup()
	poolCleanup()
	runtime_procUnpin()
}
