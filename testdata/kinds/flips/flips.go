// Package flips has functions that block for ever if a choice is made otherwise.
package flips

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Fetch returns the result of work, unless it is stopped before.
func Fetch(work func() int, stop <-chan bool) (int, bool) {
	result := make(chan int)
	go func() { result <- work() }()
	select {
	case r := <-result:
		return r, true
	case <-stop:
		return 0, false
	}
}

// FetchContext returns the result of work, unless ctx is done before.
func FetchContext(ctx context.Context, work func() int) (int, error) {
	result := make(chan int)
	go func() {
		r := work()
		result <- r
	}()
	select {
	case r := <-result:
		return r, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// FetchSoon returns the result of work, unless that takes too long.
func FetchSoon(work func() int) (int, bool) {
	result := make(chan int)
	go func() {
		r := work()
		result <- r
	}()
	select {
	case r := <-result:
		return r, true
	case <-time.After(50 * time.Millisecond):
		return 0, false
	}
}

var errEmpty = errors.New("empty")

// Two does both parts of some work, until one of them fails.
func Two(first, second func() error) error {
	errs := make(chan error)
	go func() { errs <- first() }()
	go func() { errs <- second() }()
	for range 2 {
		if err := <-errs; err == errEmpty {
			return nil
		}
	}
	return nil
}

// A Box holds one value.
type Box struct {
	mu     sync.Mutex
	filled sync.Cond
	value  int
}

// Put puts the value in.
func (b *Box) Put(v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.value = v
	b.filled.Signal()
}

// Take waits for the value.
func (b *Box) Take() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.filled.Wait()
	return b.value
}

// A Gate is open until it is closed for good.
type Gate struct {
	mu      sync.Mutex
	closed  bool
	drained chan bool
}

// Close closes the gate.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
}

func (g *Gate) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// Enter goes through, or waits until a closed gate is drained.
func (g *Gate) Enter() {
	if g.isClosed() {
		<-g.drained
	}
}

// Pass goes through two gates, which are closed one after the other: if the second one is
// still open it waits until the first one is drained.
func Pass(first, second *Gate) {
	if first.isClosed() && !second.isClosed() {
		<-first.drained
	}
}
