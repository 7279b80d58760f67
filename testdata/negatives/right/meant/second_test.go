package meant

import (
	"context"
	"sync"
	"testing"
	"time"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add()     { c.mu.Lock(); c.n++; c.mu.Unlock() }
func (c *counter) get() int { c.mu.Lock(); defer c.mu.Unlock(); return c.n }

// Right: who waits for a second, after a short sleep, wants to see what hangs.
func TestSecondChannel(t *testing.T) {
	c, done := &counter{}, make(chan bool, 1)
	go func() { c.add(); done <- true }()
	time.Sleep(time.Millisecond)
	select {
	case <-done:
	case <-time.After(time.Second):
		t.Error("hangs")
	}
}

func TestSecondContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	c, done := &counter{}, make(chan int)
	go func() {
		time.Sleep(2 * time.Millisecond)
		c.add()
		select {
		case done <- c.get():
		case <-ctx.Done():
		}
	}()
	time.Sleep(time.Millisecond)
	select {
	case n := <-done:
		if n != 1 {
			t.Error(n)
		}
	case <-ctx.Done():
		t.Error(ctx.Err())
	}
}

func eventually(t *testing.T, most time.Duration, is func() bool) {
	t.Helper()
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Error("never")
}

func TestSecondPoll(t *testing.T) {
	c := &counter{}
	go func() { time.Sleep(3 * time.Millisecond); c.add() }()
	time.Sleep(time.Millisecond)
	eventually(t, time.Second, func() bool { return c.get() == 1 })
}

func TestSecondTimer(t *testing.T) {
	c, in, out := &counter{}, make(chan int), make(chan int, 1)
	go func() {
		for range in {
			c.add()
			out <- c.get()
		}
	}()
	time.Sleep(time.Millisecond)
	in <- 1
	timer := time.NewTimer(3 * time.Second)
	defer timer.Stop()
	select {
	case <-out:
	case <-timer.C:
		t.Fatal("hangs")
	}
	close(in)
}
