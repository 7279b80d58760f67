// Package jobs does work in the background.
package jobs

import (
	"context"
	"sync"
)

// A Pool has some workers. It is safe for use by many goroutines.
type Pool struct {
	jobs chan func()
	wg   sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// NewPool starts n workers.
func NewPool(n int) *Pool {
	p := &Pool{jobs: make(chan func(), n)}
	for range n {
		p.wg.Go(p.work)
	}
	return p
}

func (p *Pool) work() {
	for job := range p.jobs {
		job()
	}
}

// Submit has f run by a worker; it does nothing once the pool is closed.
func (p *Pool) Submit(f func()) {
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return
	}
	p.jobs <- f
}

// Close waits until all that was submitted is done.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	close(p.jobs)
	p.wg.Wait()
}

// Ask has f run in a goroutine of its own and waits for its result, or for ctx.
func Ask[T any](ctx context.Context, f func() T) (T, error) {
	result := make(chan T)
	go func() { result <- f() }()
	select {
	case v := <-result:
		return v, nil
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
