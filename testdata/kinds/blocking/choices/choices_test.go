// Package choices has what blocks goroutines for ever, and what misuses a channel, only after
// one of them came first that came second in the recorded run: the program does something
// else then, of which no recording has events.
package choices

import (
	"context"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// both runs the first function in a goroutine of its own, and when that is mostly done
// the second one.
func both(first, second func()) {
	var all sync.WaitGroup
	all.Go(first)
	time.Sleep(2 * time.Millisecond)
	all.Go(second)
	all.Wait()
}

// nested returns a function that has both locks at once.
func nested(outer, inner sync.Locker) func() {
	return func() {
		outer.Lock()
		inner.Lock()
		inner.Unlock()
		outer.Unlock()
	}
}

// Two semaphores in two orders.
//
//want:deadlock deadlock
func TestBugSlots(t *testing.T) {
	a, b := make(slot, 1), make(slot, 1)
	both(nested(a, b), nested(b, a))
}

func TestFixedSlots(t *testing.T) {
	a, b := make(slot, 1), make(slot, 1)
	both(nested(a, b), nested(a, b))
}

// A slot is one of a semaphore.
type slot chan bool

func (s slot) Lock()   { s <- true }
func (s slot) Unlock() { <-s }

// Two weights in two orders.
//
//want:deadlock deadlock
func TestBugWeights(t *testing.T) {
	a, b := weight{semaphore.NewWeighted(2)}, weight{semaphore.NewWeighted(2)}
	both(nested(a, b), nested(b, a))
}

func TestFixedWeights(t *testing.T) {
	a, b := weight{semaphore.NewWeighted(2)}, weight{semaphore.NewWeighted(2)}
	both(nested(a, b), nested(a, b))
}

// A weight of two is taken as a whole.
type weight struct{ *semaphore.Weighted }

func (w weight) Lock()   { w.Acquire(context.Background(), 2) }
func (w weight) Unlock() { w.Release(2) }

// Two Onces, each of which runs the other one, if that comes second.
//
//want:deadlock deadlock
func TestBugOnces(t *testing.T) {
	var a, b sync.Once
	both(func() {
		a.Do(func() { b.Do(func() {}) })
	}, func() {
		b.Do(func() { a.Do(func() {}) })
	})
}

func TestFixedOnces(t *testing.T) {
	var a, b sync.Once
	twice := func() {
		a.Do(func() { b.Do(func() {}) })
	}
	both(twice, twice)
}

// A flight needs the lock that somebody has who waits for it.
//
//want:deadlock deadlock
func TestBugFlight(t *testing.T) {
	var mu sync.Mutex
	var g singleflight.Group
	fly := func() {
		g.Do("a", func() (any, error) {
			mu.Lock()
			defer mu.Unlock()
			return 1, nil
		})
	}
	both(fly, func() {
		mu.Lock()
		g.Do("a", func() (any, error) { return 1, nil })
		mu.Unlock()
	})
}

func TestFixedFlight(t *testing.T) {
	var mu sync.Mutex
	var g singleflight.Group
	fly := func() {
		g.Do("a", func() (any, error) {
			mu.Lock()
			defer mu.Unlock()
			return 1, nil
		})
	}
	both(fly, fly)
}

// A stopper closes its channel once.
type stopper struct {
	mu      sync.Mutex
	stopped bool
	done    chan int
}

// isStopped reports whether it was stopped; set says that it is now.
func (s *stopper) isStopped(set bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.stopped
	s.stopped = s.stopped || set
	return was
}

// Whoever looks at the flag sets it when it has closed the channel.
//
//want:channel panic
func TestBugFlag(t *testing.T) {
	s := &stopper{done: make(chan int)}
	stop := func() {
		if !s.isStopped(false) {
			close(s.done)
			s.isStopped(true)
		}
	}
	both(stop, stop)
}

func TestFixedFlag(t *testing.T) {
	s := &stopper{done: make(chan int)}
	stop := func() {
		if !s.isStopped(true) {
			close(s.done)
		}
	}
	both(stop, stop)
}
