package sync

import (
	"internal/abi"
	"internal/runtime/sys"
	"predictrt"
	"unsafe"
)

// Each function here calls the original of package sync, whose name begins with predict now.

func (m *Mutex) Lock() {
	if predictrt.Mode == 0 {
		m.predictLock()
		return
	}
	op := predictrt.Begin(predictrt.KindAcquire, unsafe.Pointer(m), sys.GetCallerPC())
	m.predictLock()
	op.Log(0)
}

func (m *Mutex) TryLock() bool {
	if predictrt.Mode == 0 {
		return m.predictTryLock()
	}
	op := predictrt.Try(predictrt.KindAcquire, unsafe.Pointer(m), sys.GetCallerPC())
	ok := m.predictTryLock()
	op.LogTried(ok)
	return ok
}

func (m *Mutex) Unlock() {
	if predictrt.Mode != 0 {
		predictrt.Log(predictrt.KindRelease, unsafe.Pointer(m), 0, sys.GetCallerPC())
	}
	m.predictUnlock()
}

func (rw *RWMutex) Lock() {
	if predictrt.Mode == 0 || rw == nil {
		rw.predictLock()
		return
	}
	predictAcquire(predictrt.KindAcquire, rw, rw.predictLock, sys.GetCallerPC())
}

func (rw *RWMutex) TryLock() bool {
	if predictrt.Mode == 0 || rw == nil {
		return rw.predictTryLock()
	}
	return predictTryAcquire(predictrt.KindAcquire, rw, rw.predictTryLock, sys.GetCallerPC())
}

func (rw *RWMutex) Unlock() {
	if predictrt.Mode == 0 || rw == nil {
		rw.predictUnlock()
		return
	}
	predictRelease(predictrt.KindRelease, rw, rw.predictUnlock, sys.GetCallerPC())
}

func (rw *RWMutex) RLock() {
	if predictrt.Mode == 0 || rw == nil {
		rw.predictRLock()
		return
	}
	predictAcquire(predictrt.KindRAcquire, rw, rw.predictRLock, sys.GetCallerPC())
}

func (rw *RWMutex) TryRLock() bool {
	if predictrt.Mode == 0 || rw == nil {
		return rw.predictTryRLock()
	}
	return predictTryAcquire(predictrt.KindRAcquire, rw, rw.predictTryRLock, sys.GetCallerPC())
}

func (rw *RWMutex) RUnlock() {
	if predictrt.Mode == 0 || rw == nil {
		rw.predictRUnlock()
		return
	}
	predictRelease(predictrt.KindRRelease, rw, rw.predictRUnlock, sys.GetCallerPC())
}

// predictAcquire calls lock, which acquires rw, and logs the event after it.
func predictAcquire(kind uint8, rw *RWMutex, lock func(), pc uintptr) {
	op := predictrt.Begin(kind, unsafe.Pointer(rw), pc)
	s := predictrt.Mute()
	lock()
	predictrt.Restore(s)
	op.Log(0)
}

// predictTryAcquire is predictAcquire for an attempt.
func predictTryAcquire(kind uint8, rw *RWMutex, try func() bool, pc uintptr) bool {
	op := predictrt.Try(kind, unsafe.Pointer(rw), pc)
	s := predictrt.Mute()
	ok := try()
	predictrt.Restore(s)
	op.LogTried(ok)
	return ok
}

// predictRelease logs the event, and then calls unlock, which releases rw.
func predictRelease(kind uint8, rw *RWMutex, unlock func(), pc uintptr) {
	predictrt.Log(kind, unsafe.Pointer(rw), 0, pc)
	s := predictrt.Mute()
	unlock()
	predictrt.Restore(s)
}

func (wg *WaitGroup) Add(delta int) {
	if predictrt.Mode == 0 {
		wg.predictAdd(delta)
		return
	}
	wg.predictLogAdd(delta, sys.GetCallerPC())
}

func (wg *WaitGroup) Done() {
	if predictrt.Mode == 0 {
		wg.predictAdd(-1)
		return
	}
	wg.predictLogAdd(-1, sys.GetCallerPC())
}

func (wg *WaitGroup) predictLogAdd(delta int, pc uintptr) {
	predictrt.Log(predictrt.KindWaitGroupAdd, unsafe.Pointer(wg), uint64(delta), pc)
	defer predictrt.Restore(predictrt.Mute())
	wg.predictAdd(delta)
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

func (o *Once) Do(f func()) {
	if predictrt.Mode == 0 {
		o.predictDo(f)
		return
	}
	op := predictrt.BeginOnce(unsafe.Pointer(o), sys.GetCallerPC())
	s := predictrt.Mute()
	defer predictrt.Restore(s)
	o.predictDo(func() {
		predictrt.Restore(s)
		defer predictrt.Mute()
		op.Log(0)
		defer op.LogNext(predictrt.KindOnceEnd, 0)
		defer op.SeedBySite().Restore()
		f()
	})
	predictrt.Restore(s)
	op.LogNext(predictrt.KindOnceDone, 0)
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
	if x == nil && p.New != nil {
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
