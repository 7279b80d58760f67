// Package stock counts what lies in which place.
package stock

import "sync"

// A Place has pieces of one kind.
type Place struct {
	mu    sync.Mutex
	count int
}

// NewPlace returns a place with n pieces.
func NewPlace(n int) *Place {
	return &Place{count: n}
}

// Move brings n pieces to another place.
func (p *Place) Move(to *Place, n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	if p.count < n {
		return false
	}
	p.count -= n
	to.count += n
	return true
}

// A Shelf has room for some pieces; who takes one from an empty shelf waits.
type Shelf struct {
	mu    sync.Mutex
	more  *sync.Cond
	count int
}

// NewShelf returns an empty shelf.
func NewShelf() *Shelf {
	s := new(Shelf)
	s.more = sync.NewCond(&s.mu)
	return s
}

// Put puts a piece onto the shelf.
func (s *Shelf) Put() {
	s.mu.Lock()
	s.count++
	s.mu.Unlock()
	s.more.Signal()
}

// empty says that nothing is on the shelf.
func (s *Shelf) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count == 0
}

// Take takes a piece, once one is there.
func (s *Shelf) Take() {
	if s.empty() {
		s.mu.Lock()
		s.more.Wait() // until there is one
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.count--
	s.mu.Unlock()
}
