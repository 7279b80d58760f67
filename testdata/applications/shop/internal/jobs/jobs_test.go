package jobs

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// Somebody submits while the pool is closed.
func TestSubmit(t *testing.T) {
	p := NewPool(2)
	var done atomic.Int64
	submitted := make(chan struct{})
	go func() {
		defer close(submitted)
		p.Submit(func() { done.Add(1) })
	}()
	time.Sleep(5 * time.Millisecond) // it will have come by then
	p.Close()
	<-submitted
	if n := done.Load(); n > 1 {
		t.Errorf("%d jobs done of 1", n)
	}
}

// Who asks gives up at some time.
func TestAsk(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		time.Sleep(5 * time.Millisecond)
		cancel()
	}()
	if n, err := Ask(ctx, func() int { return 42 }); err == nil && n != 42 {
		t.Errorf("got %d, want 42", n)
	}
}
