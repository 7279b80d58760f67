// Package misordered uses channels, WaitGroups, locks and maps in ways that another order
// does not forgive.
package misordered

import (
	"sync"
	"testing"
	"time"
)

// rest lets other goroutines go on without ordering anything.
func rest() { time.Sleep(2 * time.Millisecond) }

// both runs first in a goroutine of its own, and second after it, which nothing orders.
func both(first, second func()) {
	done := make(chan bool)
	go func() {
		first()
		close(done)
	}()
	rest()
	second()
	<-done
}

// A queue is closed under the lock under which it is filled.
type queue struct {
	mu    sync.Mutex
	items chan int
}

func (q *queue) put(i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items <- i
}

func (q *queue) offer(i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case q.items <- i:
	default:
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	close(q.items)
}

func TestPutAfterClose(t *testing.T) {
	q := &queue{items: make(chan int, 1)}
	both(func() { q.put(1) }, q.close)
}

func TestOfferAfterClose(t *testing.T) {
	q := &queue{items: make(chan int, 1)}
	both(func() { q.offer(1) }, q.close)
}

func TestDoneBeforeAdd(t *testing.T) {
	var wg sync.WaitGroup
	go func() {
		rest()
		wg.Done()
	}()
	wg.Add(1)
	wg.Wait()
}

// The second worker's Done may come before its Add, and take back that of the first.
func TestDoneOfAnother(t *testing.T) {
	var wg sync.WaitGroup
	var once sync.Mutex
	wg.Add(1)
	go func() {
		rest()
		wg.Done()
	}()
	go func() {
		once.Lock()
		defer once.Unlock()
		rest()
		wg.Done()
	}()
	wg.Add(1)
	wg.Wait()
}

// A group starts functions and waits for them.
type group struct{ wg sync.WaitGroup }

func (g *group) start(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		f()
	}()
}

func TestStartWhileWaiting(t *testing.T) {
	g := new(group)
	both(func() {
		g.start(func() {})
	}, func() {
		g.wg.Wait()
	})
}

func TestReadUnlockFirst(t *testing.T) {
	var mu sync.RWMutex
	both(func() {
		mu.RLock()
	}, func() {
		mu.RUnlock()
	})
}

func TestMapReadInWrite(t *testing.T) {
	seen := map[string]int{"a": 1}
	n := 0
	both(func() {
		seen["b"] = 2
	}, func() {
		n = seen["a"]
	})
	if n != 1 {
		t.Error("a was not seen")
	}
}

// A stopper closes a channel once, it thinks.
type stopper struct {
	stopped bool
	done    chan int
}

func (s *stopper) stop() {
	if !s.stopped {
		s.stopped = true
		close(s.done)
	}
}

func TestStopTwice(t *testing.T) {
	s := &stopper{done: make(chan int)}
	both(s.stop, s.stop)
}

func TestCloseOfNil(t *testing.T) {
	s := new(stopper)
	both(func() {
		s.done = make(chan int)
	}, func() {
		close(s.done)
	})
}
