// Package outlive has goroutines that outlive a test for a while, or that somebody can still end.
package outlive

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Ten attempts, and it is over.
func TestAttempts(t *testing.T) {
	stop := make(chan struct{})
	go func() {
		for range 10 {
			select {
			case <-time.After(time.Millisecond):
			case <-stop:
				return
			}
		}
	}()
}

// Forty, quick ones.
func TestManyAttempts(t *testing.T) {
	stop := make(chan struct{})
	go func() {
		for range 40 {
			select {
			case <-time.After(time.Millisecond):
			case <-stop:
				return
			}
		}
	}()
}

var quit = make(chan struct{})

// A package variable can end it.
func TestGlobal(t *testing.T) {
	go func() {
		for {
			select {
			case <-time.After(time.Millisecond):
			case <-quit:
				return
			}
		}
	}()
}

// A deadline ends it.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	_ = cancel
	go func() {
		tick := time.NewTicker(time.Millisecond)
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
}

// The context of the test ends it.
func TestContext(t *testing.T) {
	ctx := t.Context()
	go func() {
		tick := time.NewTicker(time.Millisecond)
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
}

// A cleanup ends it, and waits.
func TestCleanup(t *testing.T) {
	stop, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop); <-ended })
	go func() {
		defer close(ended)
		for {
			select {
			case <-time.After(time.Millisecond):
			case <-stop:
				return
			}
		}
	}()
}

type handle struct{ stop chan struct{} }

// A finalizer would end it.
func TestFinalizer(t *testing.T) {
	h := &handle{make(chan struct{})}
	runtime.SetFinalizer(h, func(h *handle) { close(h.stop) })
	stop := h.stop
	go func() {
		for {
			select {
			case <-time.After(time.Millisecond):
			case <-stop:
				return
			}
		}
	}()
}

// Another goroutine, which sleeps, will end it.
func TestSleeper(t *testing.T) {
	stop := make(chan struct{})
	go func() {
		time.Sleep(3 * time.Second)
		close(stop)
	}()
	go func() {
		for {
			select {
			case <-time.After(time.Millisecond):
			case <-stop:
				return
			}
		}
	}()
}

// Its own timer ends it.
func TestOwnTimer(t *testing.T) {
	stop := make(chan struct{})
	time.AfterFunc(4*time.Second, func() { close(stop) })
	go func() {
		for {
			select {
			case <-time.After(time.Millisecond):
			case <-stop:
				return
			}
		}
	}()
}

// It watches what another goroutine does, by a lock.
func TestFlag(t *testing.T) {
	var mu sync.Mutex
	done := false
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-time.After(time.Millisecond):
				mu.Lock()
				d := done
				mu.Unlock()
				if d {
					return
				}
			case <-stop:
				return
			}
		}
	}()
	mu.Lock()
	done = true
	mu.Unlock()
}

// A daemon with no way out.
func TestDaemon(t *testing.T) {
	go func() {
		for range time.Tick(time.Millisecond) {
		}
	}()
}

// A context that nobody can cancel.
func TestBackground(t *testing.T) {
	ctx := context.Background()
	go func() {
		for {
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				return
			}
		}
	}()
}

// A select that ends by its time-out.
func TestTimeout(t *testing.T) {
	c := make(chan int, 1)
	go func() {
		select {
		case <-c:
		case <-time.After(5 * time.Second):
		}
	}()
}
