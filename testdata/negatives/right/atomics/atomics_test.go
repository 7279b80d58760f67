// Package atomics orders plain accesses by atomic ones: as a spin lock, as a
// ticket lock and as a published flag or pointer.
package atomics

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestSpinLock(t *testing.T) {
	var lock int32
	data := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !atomic.CompareAndSwapInt32(&lock, 0, 1) {
				runtime.Gosched()
			}
			data++
			atomic.StoreInt32(&lock, 0)
		})
	}
	wg.Wait()
	if data != 3 {
		t.Errorf("data is %d, want 3", data)
	}
}

func TestSpinLockMethods(t *testing.T) {
	var lock atomic.Bool
	data := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for lock.Swap(true) {
				runtime.Gosched()
			}
			data++
			lock.Store(false)
		})
	}
	wg.Wait()
	if data != 3 {
		t.Errorf("data is %d, want 3", data)
	}
}

func TestTicketLock(t *testing.T) {
	var next, serving atomic.Uint64
	data := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			ticket := next.Add(1) - 1
			for serving.Load() != ticket {
				runtime.Gosched()
			}
			data++
			serving.Add(1)
		})
	}
	wg.Wait()
	if data != 3 {
		t.Errorf("data is %d, want 3", data)
	}
}

func TestFlag(t *testing.T) {
	var ready atomic.Bool
	data := 0
	go func() {
		data = 1
		ready.Store(true)
	}()
	for !ready.Load() {
		runtime.Gosched()
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

func TestPointer(t *testing.T) {
	type config struct{ limit int }
	var current atomic.Pointer[config]
	go func() {
		c := &config{}
		c.limit = 1
		current.Store(c)
	}()
	var c *config
	for c = current.Load(); c == nil; c = current.Load() {
		runtime.Gosched()
	}
	if c.limit != 1 {
		t.Errorf("the limit is %d, want 1", c.limit)
	}
}

// The last one to finish sees what all others did.
func TestCountdown(t *testing.T) {
	var left atomic.Int32
	left.Store(3)
	var parts [3]int
	sum := 0
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			parts[i] = i
			if left.Add(-1) == 0 {
				for _, p := range parts {
					sum += p
				}
			}
		})
	}
	wg.Wait()
	if sum != 3 {
		t.Errorf("the sum is %d, want 3", sum)
	}
}
