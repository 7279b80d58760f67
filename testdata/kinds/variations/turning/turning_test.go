// Package turning has goroutines that timers of their own wake for ever, as nobody can end them any more.
package turning

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type cache struct {
	mu   sync.Mutex
	n    int
	stop chan struct{}
}

func newCache() *cache {
	c := &cache{stop: make(chan struct{})}
	go c.expire(2 * time.Millisecond)
	return c
}

func (c *cache) expire(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.mu.Lock()
			c.n = 0
			c.mu.Unlock()
		case <-c.stop:
			return
		}
	}
}

func (c *cache) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// A janitor with a ticker, and a cache that nobody closes.
func TestJanitor(t *testing.T) {
	newCache().add()
}

// time.After instead of a ticker, and a context whose cancel function is lost.
func TestRetry(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_ = cancel
	dialed := make(chan bool)
	go func() {
		for try := time.Duration(1); ; try++ {
			if try == 1 {
				close(dialed)
			}
			select {
			case <-time.After(try * time.Microsecond):
			case <-ctx.Done():
				return
			}
		}
	}()
	<-dialed
}

// A timer that is set again.
func TestReset(t *testing.T) {
	quit := make(chan int)
	go func() {
		timer := time.NewTimer(time.Millisecond)
		for {
			select {
			case <-timer.C:
				timer.Reset(time.Millisecond)
			case <-quit:
				return
			}
		}
	}()
}

type poller interface{ poll(n *atomic.Int64) bool }

type every struct {
	c    <-chan time.Time
	done chan struct{}
}

func (e every) poll(n *atomic.Int64) bool {
	select {
	case <-e.c:
		n.Add(1)
		return true
	case <-e.done:
		return false
	}
}

func run(p poller, n *atomic.Int64) {
	for p.poll(n) {
	}
}

// The loop is in a helper, behind an interface.
func TestInterface(t *testing.T) {
	var n atomic.Int64
	go run(every{time.Tick(3 * time.Millisecond), make(chan struct{})}, &n)
	if n.Load() < 0 {
		t.Error(n.Load())
	}
}

// Several workers share what would end them.
func TestPool(t *testing.T) {
	done := make(chan struct{})
	var ready sync.WaitGroup
	for range 3 {
		ready.Add(1)
		go func() {
			ready.Done()
			tick := time.NewTicker(time.Millisecond)
			for {
				select {
				case <-done:
					return
				case <-tick.C:
				}
			}
		}()
	}
	ready.Wait()
}

type worker[T any] struct {
	jobs chan T
	sum  func(T)
}

func (w *worker[T]) loop() {
	for {
		select {
		case j, ok := <-w.jobs:
			if !ok {
				return
			}
			w.sum(j)
		case <-time.After(time.Millisecond):
		}
	}
}

// A generic worker, which would also take jobs.
func TestGeneric(t *testing.T) {
	got := make(chan int, 1)
	w := &worker[int]{make(chan int), func(n int) { got <- n }}
	go w.loop()
	w.jobs <- 3
	if n := <-got; n != 3 {
		t.Error(n)
	}
}

// A heartbeat that would send.
func TestHeartbeat(t *testing.T) {
	beats := make(chan int)
	go func() {
		for {
			select {
			case beats <- 1:
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	<-beats
}

// In a subtest, which runs in parallel.
func TestSubtest(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		t.Parallel()
		closed := make(chan struct{})
		go func() {
			for timer := time.NewTimer(time.Millisecond); ; timer.Reset(time.Millisecond) {
				select {
				case <-closed:
					return
				case <-timer.C:
				}
			}
		}()
	})
	t.Run("b", func(t *testing.T) { t.Parallel() })
}

// The close is left out by an early return.
func TestEarlyReturn(t *testing.T) {
	closed, names := make(chan struct{}), make(chan string)
	go func() {
		names <- "first"
		for tick := time.Tick(time.Millisecond); ; {
			select {
			case <-closed:
				return
			case <-tick:
			}
		}
	}()
	if <-names == "first" {
		return
	}
	close(closed)
}

// Two tickers, and an inner select.
func TestTwoTickers(t *testing.T) {
	flush, exit := make(chan struct{}, 1), make(chan struct{})
	go func() {
		a, b := time.NewTicker(time.Millisecond), time.NewTicker(3*time.Millisecond)
		for {
			select {
			case <-a.C:
				select {
				case flush <- struct{}{}:
				default:
				}
			case <-b.C:
			case <-exit:
				return
			}
		}
	}()
	<-flush
}
