package late

import (
	"context"
	"sync"
	"testing"
	"time"
)

const lifetime, halfTime = 20 * time.Millisecond, 10 * time.Millisecond

// Wrong: what Reset says is ignored, and the old expiry closes what was refreshed.
type session struct {
	mu    sync.Mutex
	open  bool
	timer *time.Timer
}

func (s *session) expire() { s.mu.Lock(); s.open = false; s.mu.Unlock() }
func (s *session) touch() {
	s.timer.Reset(time.Hour)
	s.mu.Lock()
	s.open = true
	s.mu.Unlock()
}
func (s *session) isOpen() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.open }

func TestTimerReset(t *testing.T) {
	s := &session{open: true}
	s.timer = time.AfterFunc(lifetime, s.expire)
	time.Sleep(halfTime)
	s.touch()
	if !s.isOpen() {
		t.Error("closed")
	}
	s.timer.Stop()
}

// Wrong, by way of an interface.
type stopper interface{ Stop() bool }

type cacheEntry struct {
	mu    sync.Mutex
	value string
	timer stopper
}

func (c *cacheEntry) set(v string, d time.Duration) {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Lock()
	c.value = v
	c.mu.Unlock()
	c.timer = time.AfterFunc(d, func() { c.mu.Lock(); c.value = ""; c.mu.Unlock() })
}
func (c *cacheEntry) get() string { c.mu.Lock(); defer c.mu.Unlock(); return c.value }

func TestTimerInterface(t *testing.T) {
	c := &cacheEntry{}
	c.set("a", lifetime)
	time.Sleep(halfTime)
	c.set("b", time.Hour)
	if c.get() != "b" {
		t.Error("lost")
	}
	c.timer.Stop()
}

// Wrong, with a context's AfterFunc, whose stop is ignored.
func TestTimerContext(t *testing.T) {
	var mu sync.Mutex
	done := false
	ctx, cancel := context.WithTimeout(context.Background(), lifetime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { mu.Lock(); done = true; mu.Unlock() })
	time.Sleep(halfTime)
	stop()
	mu.Lock()
	defer mu.Unlock()
	if done {
		t.Error("done, but stopped")
	}
}

// Wrong, generic, and stopped by another goroutine.
type after[T any] struct {
	mu    sync.Mutex
	items []T
}

func (a *after[T]) in(d time.Duration, item T) (cancel func()) {
	t := time.AfterFunc(d, func() { a.mu.Lock(); a.items = append(a.items, item); a.mu.Unlock() })
	return func() { t.Stop() }
}

func TestTimerGeneric(t *testing.T) {
	a := &after[int]{}
	cancel := a.in(lifetime, 1)
	var wg sync.WaitGroup
	wg.Go(func() { time.Sleep(halfTime); cancel() })
	wg.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.items) > 0 {
		t.Error("called, but cancelled")
	}
}
