package circles

import (
	"sync"
	"testing"
	"time"
)

// later runs f in a goroutine of its own when the others are mostly done.
func later(wg *sync.WaitGroup, f func()) {
	wg.Go(func() {
		time.Sleep(5 * time.Millisecond)
		f()
	})
}

// both does something under two locks.
func both(first, second sync.Locker, n *int) {
	first.Lock()
	defer first.Unlock()
	second.Lock()
	defer second.Unlock()
	*n++
}

// Two locks in two orders.
func TestTwoLocks(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() {
		a.Lock()
		b.Lock()
		n++
		b.Unlock()
		a.Unlock()
	})
	later(&wg, func() {
		b.Lock()
		a.Lock()
		n++
		a.Unlock()
		b.Unlock()
	})
	wg.Wait()
}

// Three goroutines, each of which has what the one before wants.
func TestThreeLocks(t *testing.T) {
	var a, b, c sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
	later(&wg, func() {
		b.Lock()
		c.Lock()
		c.Unlock()
		b.Unlock()
	})
	later(&wg, func() {
		time.Sleep(5 * time.Millisecond)
		c.Lock()
		a.Lock()
		a.Unlock()
		c.Unlock()
	})
	wg.Wait()
}

// A reader that comes back for more finds a writer that waits for it.
func TestReadsAgain(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() {
		mu.RLock()
		mu.RLock()
		_ = n
		mu.RUnlock()
		mu.RUnlock()
	})
	later(&wg, func() {
		mu.Lock()
		n++
		mu.Unlock()
	})
	wg.Wait()
}

// Whoever wants both has to have the gate first.
func TestGate(t *testing.T) {
	var gate, a, b sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() {
		gate.Lock()
		defer gate.Unlock()
		both(&a, &b, &n)
	})
	later(&wg, func() {
		gate.Lock()
		defer gate.Unlock()
		both(&b, &a, &n)
	})
	wg.Wait()
}

// One goroutine does it in both orders, in turn.
func TestInTurn(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() {
		both(&a, &b, &n)
		both(&b, &a, &n)
	})
	wg.Wait()
}

// One is over when the other begins.
func TestJoined(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() { both(&a, &b, &n) })
	wg.Wait()
	wg.Go(func() { both(&b, &a, &n) })
	wg.Wait()
}

// Likewise, by a message.
func TestTold(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	n := 0
	over := make(chan struct{})
	wg.Go(func() {
		both(&a, &b, &n)
		close(over)
	})
	wg.Go(func() {
		<-over
		both(&b, &a, &n)
	})
	wg.Wait()
}

// Readers do not keep each other out.
func TestOnlyReaders(t *testing.T) {
	var a, b sync.RWMutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() { both(a.RLocker(), b.RLocker(), new(int)) })
	later(&wg, func() { both(b.RLocker(), a.RLocker(), &n) })
	wg.Wait()
}

// Who does not get the second lock gives the first one back.
func TestTries(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Lock()
		if b.TryLock() {
			b.Unlock()
		}
		a.Unlock()
	})
	later(&wg, func() {
		b.Lock()
		if a.TryLock() {
			a.Unlock()
		}
		b.Unlock()
	})
	wg.Wait()
}

// The receiver needs the lock that is held while it is sent to.
func TestSendsUnderLock(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	c := make(chan int)
	n := 0
	wg.Go(func() {
		mu.Lock()
		n++
		mu.Unlock()
		<-c
	})
	later(&wg, func() {
		mu.Lock()
		c <- 1
		mu.Unlock()
	})
	wg.Wait()
}

// A slot of a semaphore first and a lock then, and the other way round.
func TestSemaphore(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, 1)
	wg.Go(func() {
		slots <- struct{}{}
		mu.Lock()
		mu.Unlock()
		<-slots
	})
	later(&wg, func() {
		mu.Lock()
		slots <- struct{}{}
		<-slots
		mu.Unlock()
	})
	wg.Wait()
}

// Each of the two slots is one's who wants the lock.
func TestTwoSlots(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for range 2 {
		wg.Go(func() {
			slots <- struct{}{}
			mu.Lock()
			mu.Unlock()
			<-slots
		})
	}
	later(&wg, func() {
		mu.Lock()
		slots <- struct{}{}
		<-slots
		mu.Unlock()
	})
	wg.Wait()
}

// Who waits for the others holds what one of them needs to come to its end.
func TestWaitsUnderLock(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() {
		mu.Lock()
		n++
		mu.Unlock()
	})
	time.Sleep(5 * time.Millisecond)
	mu.Lock()
	wg.Wait()
	mu.Unlock()
}

// Somebody else receives.
func TestOthersReceive(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	c := make(chan int)
	wg.Go(func() {
		mu.Lock()
		mu.Unlock()
	})
	wg.Go(func() { <-c })
	later(&wg, func() {
		mu.Lock()
		c <- 1
		mu.Unlock()
	})
	wg.Wait()
}
