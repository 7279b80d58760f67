// Package syncbench is the synchronization benchmark of the Java Grande Forum:
// goroutines count in a method with a lock, and in a block of one; the first of
// them looks at the count without it, to see how far they are.
package syncbench

import "sync"

// A Counter counts for many goroutines.
type Counter struct {
	mu sync.Mutex
	n  int // guarded by mu
}

// Add counts one.
func (c *Counter) Add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// A Bench is what the goroutines share.
type Bench struct {
	method Counter

	mu    sync.Mutex
	block int // guarded by mu
}

// Run counts times times in either way. Goroutine 0 returns how much of method was
// done in between.
func (b *Bench) Run(id, times int) (done int) {
	for range times {
		b.method.Add()
	}
	if id == 0 {
		done = b.method.n
	}
	for range times {
		b.mu.Lock()
		b.block++
		b.mu.Unlock()
	}
	return done
}
