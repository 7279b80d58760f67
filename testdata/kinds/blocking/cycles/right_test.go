package cycles

import (
	"sync"
	"testing"
)

// Nobody writes.
func TestFixedNoWriter(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.RLock()
			mu.RLock()
			mu.RUnlock()
			mu.RUnlock()
		})
	}
	wg.Wait()
}

// The writer comes when the readers have ended.
func TestFixedWriterAfter(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.RLock()
		mu.RLock()
		mu.RUnlock()
		mu.RUnlock()
	})
	wg.Wait()
	go func() { mu.Lock(); mu.Unlock() }()
}

// Both hold another lock.
func TestFixedGate(t *testing.T) {
	var gate sync.Mutex
	var mu sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() {
		gate.Lock()
		defer gate.Unlock()
		mu.RLock()
		mu.RLock()
		mu.RUnlock()
		mu.RUnlock()
	})
	wg.Go(func() {
		gate.Lock()
		defer gate.Unlock()
		mu.Lock()
		mu.Unlock()
	})
	wg.Wait()
}

// The inner read gives up.
func TestFixedTry(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.RLock()
		defer mu.RUnlock()
		if mu.TryRLock() {
			mu.RUnlock()
		}
	})
	wg.Go(func() { mu.Lock(); mu.Unlock() })
	wg.Wait()
}

// One after the other.
func TestFixedReleased(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.RLock()
		mu.RUnlock()
		mu.RLock()
		mu.RUnlock()
	})
	wg.Go(func() { mu.Lock(); mu.Unlock() })
	wg.Wait()
}

// Two locks, in one order.
func TestFixedTwoLocks(t *testing.T) {
	var a, b sync.RWMutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			a.RLock()
			b.RLock()
			b.RUnlock()
			a.RUnlock()
		})
	}
	wg.Go(func() { a.Lock(); a.Unlock() })
	wg.Go(func() { b.Lock(); b.Unlock() })
	wg.Wait()
}

// A reader waits for a message, and who sends it reads before.
func TestFixedMessage(t *testing.T) {
	var mu sync.RWMutex
	c := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.RLock()
		mu.RUnlock()
		c <- 1
	})
	wg.Go(func() {
		n := <-c
		mu.RLock()
		_ = n
		mu.RUnlock()
	})
	wg.Go(func() { mu.Lock(); mu.Unlock() })
	wg.Wait()
}
