// Package collections has lists, sets and trees for one goroutine, and a
// wrapper that makes the methods of one safe for several, as Java's library
// does; but AddAll of the wrapper goes over its argument without the lock of
// that.
package collections

import "sync"

// A Collection holds numbers.
type Collection interface {
	Add(v int)
	Clear()
	Len() int
	Each(f func(v int)) // may not change the collection
}

// A Synced is a collection for several goroutines.
type Synced struct {
	mu sync.Mutex
	Collection
}

// Add adds v.
func (s *Synced) Add(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Collection.Add(v)
}

// Clear takes all out.
func (s *Synced) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Collection.Clear()
}

// Len returns how many there are.
func (s *Synced) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Collection.Len()
}

// AddAll adds what is in o.
func (s *Synced) AddAll(o Collection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Each(s.Collection.Add)
}
