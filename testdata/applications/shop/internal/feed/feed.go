// Package feed tells who listens what is new.
package feed

import "sync"

// A Feed has listeners. It is safe for use by many goroutines.
type Feed[T any] struct {
	mu        sync.Mutex
	listeners []chan T
}

// Listen returns a channel of what is told from now on.
func (f *Feed[T]) Listen() <-chan T {
	c := make(chan T)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners = append(f.listeners, c)
	return c
}

// Tell tells v to all that listen.
func (f *Feed[T]) Tell(v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.listeners {
		c <- v
	}
}

// Listeners returns how many listen.
func (f *Feed[T]) Listeners() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.listeners)
}
