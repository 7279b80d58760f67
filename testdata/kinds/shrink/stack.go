// Package stack is a stack of a few readings.
package stack

import "sync/atomic"

// A Stack holds up to eight numbers.
type Stack struct {
	n     atomic.Int32 // how many
	items [8]int
}

// Push puts v on top.
func (s *Stack) Push(v int) {
	s.items[s.n.Load()] = v
	s.n.Add(1)
}

// Top returns the number on top, 0 if there is none.
func (s *Stack) Top() int {
	if s.n.Load() == 0 {
		return 0
	}
	return s.items[s.n.Load()-1]
}

// Clear takes all numbers away.
func (s *Stack) Clear() { s.n.Store(0) }
