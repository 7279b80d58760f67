package blocking

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// A Once comes back to itself through another one.
//
//want:leak leak
func TestBugOnceAgain(t *testing.T) {
	var a, b sync.Once
	go a.Do(func() {
		b.Do(func() {
			a.Do(func() {})
		})
	})
}

func TestFixedOnceAgain(t *testing.T) {
	var a, b, c sync.Once
	go a.Do(func() {
		b.Do(func() {
			c.Do(func() {})
		})
	})
}

// A Once's function wants the lock that somebody has who waits for the Once.
//
//want:deadlock deadlock
func TestBugOnceUnderLock(t *testing.T) {
	var mu sync.Mutex
	var once sync.Once
	n := 0
	both(func() {
		once.Do(under(&n, &mu))
	}, func() {
		mu.Lock()
		once.Do(func() {})
		mu.Unlock()
	})
}

func TestFixedOnceUnderLock(t *testing.T) {
	var mu sync.Mutex
	var once sync.Once
	n := 0
	both(func() {
		once.Do(under(&n, &mu))
	}, func() {
		once.Do(func() {})
		mu.Lock()
		mu.Unlock()
	})
}

// A weight is acquired twice, and there is one.
//
//want:leak leak
func TestBugWeighted(t *testing.T) { go weighted(semaphore.NewWeighted(1)) }

func TestFixedWeighted(t *testing.T) { go weighted(semaphore.NewWeighted(2)) }

func weighted(s *semaphore.Weighted) {
	s.Acquire(context.Background(), 1)
	s.Acquire(context.Background(), 1)
	s.Release(2)
}

// A flight waits for itself.
//
//want:leak leak
func TestBugFlight(t *testing.T) { go fly("a", "a") }

func TestFixedFlight(t *testing.T) { go fly("a", "b") }

func fly(first, second string) {
	var g singleflight.Group
	g.Do(first, func() (any, error) {
		v, err, _ := g.Do(second, func() (any, error) { return 1, nil })
		return v, err
	})
}

// A context that nobody cancels.
//
//want:leak leak
func TestBugNotCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-ctx.Done()
		cancel()
	}()
}

func TestFixedNotCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-ctx.Done() }()
}

// A receiver goes as its context is cancelled, and the sender stays.
//
//want:leak leak
func TestBugCancelled(t *testing.T) { cancelled(make(chan int)) }

func TestFixedCancelled(t *testing.T) { cancelled(make(chan int, 1)) }

func cancelled(results chan int) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	go func() {
		rest()
		results <- 1
	}()
	select {
	case <-results:
	case <-ctx.Done():
	}
	time.Sleep(10 * time.Millisecond)
}

// A handler's work is left behind when its client goes.
//
//want:leak leak
func TestBugHandler(t *testing.T) { serve(make(chan int)) }

func TestFixedHandler(t *testing.T) { serve(make(chan int, 1)) }

func serve(results chan int) {
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() { results <- 1 }()
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	if r, err := http.NewRequestWithContext(ctx, "GET", server.URL, nil); err == nil {
		http.DefaultClient.Do(r)
	}
}
