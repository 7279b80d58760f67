package selftest

import (
	"context"
	"sync"
	"testing"
	"time"
)

var (
	mu sync.Mutex
	rw sync.RWMutex
	m  sync.Map
)

func TestSyncMutexLock(t *testing.T)   { mu.Lock(); mu.Unlock() }
func TestSyncMutexUnlock(t *testing.T) { mu.Lock(); mu.Unlock() }
func TestSyncMutexTryLock(t *testing.T) {
	if mu.TryLock() {
		mu.Unlock()
	}
}

func TestSyncRWMutexLock(t *testing.T)   { rw.Lock(); rw.Unlock() }
func TestSyncRWMutexUnlock(t *testing.T) { rw.Lock(); rw.Unlock() }
func TestSyncRWMutexTryLock(t *testing.T) {
	if rw.TryLock() {
		rw.Unlock()
	}
}
func TestSyncRWMutexRLock(t *testing.T)   { rw.RLock(); rw.RUnlock() }
func TestSyncRWMutexRUnlock(t *testing.T) { rw.RLock(); rw.RUnlock() }
func TestSyncRWMutexTryRLock(t *testing.T) {
	if rw.TryRLock() {
		rw.RUnlock()
	}
}

func TestSyncWaitGroupAdd(t *testing.T) { new(sync.WaitGroup).Add(1) }
func TestSyncWaitGroupDone(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	defer wg.Done()
}
func TestSyncWaitGroupWait(t *testing.T) { new(sync.WaitGroup).Wait() }

func TestSyncOnceDo(t *testing.T) { new(sync.Once).Do(func() {}) }

// The literals of OnceFunc and OnceValue are inlined.
func TestOnceInlined(t *testing.T) {
	sync.OnceFunc(func() {})()
	sync.OnceValue(func() int { return 1 })()
}

func TestSyncCondWait(t *testing.T) {
	c := sync.NewCond(&mu)
	go func() {
		mu.Lock()
		c.Signal()
		mu.Unlock()
	}()
	mu.Lock()
	c.Wait()
	mu.Unlock()
}
func TestSyncCondSignal(t *testing.T)    { sync.NewCond(&mu).Signal() }
func TestSyncCondBroadcast(t *testing.T) { sync.NewCond(&mu).Broadcast() }

func TestSyncPoolPut(t *testing.T) { new(sync.Pool).Put(t) }
func TestSyncPoolGet(t *testing.T) { (&sync.Pool{New: func() any { return t }}).Get() }

func TestSyncMapLoad(t *testing.T)             { m.Load(1) }
func TestSyncMapStore(t *testing.T)            { m.Store(1, 2) }
func TestSyncMapClear(t *testing.T)            { m.Clear() }
func TestSyncMapLoadOrStore(t *testing.T)      { m.LoadOrStore(1, 2) }
func TestSyncMapLoadAndDelete(t *testing.T)    { m.LoadAndDelete(1) }
func TestSyncMapDelete(t *testing.T)           { m.Delete(1) }
func TestSyncMapSwap(t *testing.T)             { m.Swap(1, 2) }
func TestSyncMapCompareAndSwap(t *testing.T)   { m.CompareAndSwap(1, 2, 3) }
func TestSyncMapCompareAndDelete(t *testing.T) { m.CompareAndDelete(1, 3) }
func TestSyncMapRange(t *testing.T)            { m.Range(func(any, any) bool { return true }) }

func TestTestingTRunner(t *testing.T) {}

func TestTestingCommonLog(t *testing.T)  { t.Log("x") }
func TestTestingCommonLogf(t *testing.T) { t.Logf("x") }

func TestTestingCommonError(t *testing.T)   { failing(func(t *testing.T) { t.Error("x") }) }
func TestTestingCommonErrorf(t *testing.T)  { failing(func(t *testing.T) { t.Errorf("x") }) }
func TestTestingCommonFatal(t *testing.T)   { failing(func(t *testing.T) { t.Fatal("x") }) }
func TestTestingCommonFatalf(t *testing.T)  { failing(func(t *testing.T) { t.Fatalf("x") }) }
func TestTestingCommonFail(t *testing.T)    { failing(func(t *testing.T) { t.Fail() }) }
func TestTestingCommonFailNow(t *testing.T) { failing(func(t *testing.T) { t.FailNow() }) }

// failing runs f with a test that does not count. That one has no output.
func failing(f func(t *testing.T)) {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		f(new(testing.T))
	}()
	<-done
}

func FuzzTestingFRunner(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) {})
}

func TestTimeAfterFunc(t *testing.T) {
	done := make(chan bool)
	time.AfterFunc(0, func() { close(done) })
	<-done
}

func TestTimeTimerReset(t *testing.T) {
	timer := time.NewTimer(time.Hour)
	timer.Reset(1)
	<-timer.C
}

func TestTimeTimerStop(t *testing.T) {
	if !time.AfterFunc(time.Hour, func() { t.Error("it was stopped") }).Stop() {
		t.Error("it has fired")
	}
}

func TestContextAfterFunc(t *testing.T) {
	if !context.AfterFunc(t.Context(), func() { t.Error("it was stopped") })() {
		t.Error("it was called")
	}
}

func TestTimeTickerReset(t *testing.T) {
	ticker := time.NewTicker(time.Hour)
	ticker.Reset(1)
	<-ticker.C
}
