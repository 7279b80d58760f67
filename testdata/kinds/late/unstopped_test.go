package late

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Wrong: a timer that nobody stops closes what the test looks at.
func TestUnstopped(t *testing.T) {
	var open atomic.Bool
	open.Store(true)
	time.AfterFunc(lifetime, func() { open.Store(false) })
	time.Sleep(halfTime)
	if !open.Load() {
		t.Error("closed")
	}
}

// Wrong: it counts what nobody guards.
func TestUnstoppedCount(t *testing.T) {
	n := 0
	time.AfterFunc(lifetime, func() { n++ })
	n++
	if n != 1 {
		t.Error(n)
	}
}

// Wrong: it sends to nobody.
func TestUnstoppedSend(t *testing.T) {
	ch := make(chan int)
	time.AfterFunc(lifetime, func() { ch <- 1 })
	select {
	case <-ch:
		t.Log("in time")
	case <-time.After(halfTime):
	}
}

// Wrong, by a helper and a method.
type backoff struct {
	mu    sync.Mutex
	tries int
}

func (r *backoff) again() { r.mu.Lock(); r.tries++; r.mu.Unlock() }
func (r *backoff) later() { time.AfterFunc(lifetime, r.again) }

func TestUnstoppedBackoff(t *testing.T) {
	r := &backoff{}
	r.later()
	time.Sleep(halfTime)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tries > 0 {
		t.Error("tried, but not asked for")
	}
}
