// Package critical is the program of that name of the ConTest suite: a critical
// section that is entered by testing and setting a flag, in two steps.
package critical

import "runtime"

// A Section is for one goroutine at a time.
type Section struct {
	busy bool
}

// Do calls f when nobody else is in the section.
func (s *Section) Do(f func()) {
	for s.busy {
		runtime.Gosched()
	}
	s.busy = true
	f()
	s.busy = false
}
