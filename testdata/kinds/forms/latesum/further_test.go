package latesum

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// within fails unless f comes to its end in a second or some.
func within(t *testing.T, d time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatal("hangs")
	}
}

func TestHelper(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for range 3 {
		wg.Go(func() { time.Sleep(time.Millisecond); mu.Lock(); n++; mu.Unlock() })
	}
	within(t, time.Second, wg.Wait)
	if n != 3 {
		t.Error(n)
	}
}

// A client gives each request a second.
type client struct{ requests chan chan string }

func (c *client) ask(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	answer := make(chan string, 1)
	select {
	case c.requests <- answer:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	select {
	case s := <-answer:
		return s, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func TestClient(t *testing.T) {
	c := &client{requests: make(chan chan string)}
	go func() {
		for answer := range c.requests {
			time.Sleep(2 * time.Millisecond)
			answer <- "ok"
		}
	}()
	defer close(c.requests)
	time.Sleep(time.Millisecond)
	for range 3 {
		if s, err := c.ask(t.Context()); err != nil || s != "ok" {
			t.Error(s, err)
		}
	}
}

// A watchdog makes the test fail, in a second.
func TestWatchdog(t *testing.T) {
	w := &worker{tick: make(chan time.Time), done: make(chan int, 1), stop: make(chan struct{})}
	ended := make(chan struct{})
	dog := time.AfterFunc(2*time.Second, func() { t.Error("hangs") })
	go func() { w.run(); close(ended) }()
	time.Sleep(3 * time.Millisecond)
	close(w.stop)
	<-ended
	dog.Stop()
}

func TestTries(t *testing.T) {
	w := &worker{done: make(chan int, 1)}
	go func() { time.Sleep(5 * time.Millisecond); w.add() }()
	for tries := 0; ; tries++ {
		w.mu.Lock()
		n := w.n
		w.mu.Unlock()
		if n == 1 {
			return
		}
		if tries == 200 {
			t.Fatal("nothing was added in a second")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestParallel(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(chan string)
			go func() { time.Sleep(time.Millisecond); got <- name }()
			timeout := time.NewTimer(5 * time.Second)
			defer timeout.Stop()
			select {
			case s := <-got:
				if s != name {
					t.Error(s)
				}
			case <-timeout.C:
				t.Error("late")
			}
		})
	}
}

var errLate = errors.New("late")

// A result is there, or errLate is.
type future[T any] struct {
	ready chan struct{}
	value T
}

func (f *future[T]) get(most time.Duration) (T, error) {
	select {
	case <-f.ready:
		return f.value, nil
	case <-time.After(most):
		var none T
		return none, errLate
	}
}

func TestFuture(t *testing.T) {
	f := &future[int]{ready: make(chan struct{})}
	go func() { time.Sleep(time.Millisecond); f.value = 7; close(f.ready) }()
	time.Sleep(2 * time.Millisecond)
	if v, err := f.get(3 * time.Second); err != nil || v != 7 {
		t.Error(v, err)
	}
}

func TestCondWithLimit(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready, late := false, false
	limit := time.AfterFunc(time.Second, func() { mu.Lock(); late = true; mu.Unlock(); c.Broadcast() })
	defer limit.Stop()
	go func() { time.Sleep(time.Millisecond); mu.Lock(); ready = true; mu.Unlock(); c.Broadcast() }()
	mu.Lock()
	defer mu.Unlock()
	for !ready && !late {
		c.Wait()
	}
	if !ready {
		t.Error("late")
	}
}

// This one does rest on three milliseconds.
//
//want:failure test-failure
func TestShort(t *testing.T) {
	done := make(chan bool, 1)
	go func() { done <- true }()
	select {
	case <-done:
	case <-time.After(3 * time.Millisecond):
		t.Error("late")
	}
}
