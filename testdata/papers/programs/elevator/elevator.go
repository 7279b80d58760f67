// Package elevator is the elevator simulator of ETH: lifts look for calls at
// the floors, each with its lock. It has no bug.
package elevator

import "sync"

// A floor has people who wait, by their destinations.
type floor struct {
	mu      sync.Mutex
	waiting []int // guarded by mu
	claimed bool  // guarded by mu; a lift is on its way
}

// A Building has floors.
type Building struct {
	floors []floor

	mu      sync.Mutex
	arrived int // guarded by mu
	people  int
}

// New returns a building with n floors.
func New(n int) *Building { return &Building{floors: make([]floor, n)} }

// Call lets someone wait at a floor for a lift to another one.
func (b *Building) Call(from, to int) {
	f := &b.floors[from]
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, to)
	b.people++
}

// Run moves one lift up and down until everybody has arrived.
func (b *Building) Run(at int) {
	for up := true; !b.done(); {
		if f := &b.floors[at]; f.claim() {
			b.deliver(f.load())
		}
		switch {
		case at == 0:
			up = true
		case at == len(b.floors)-1:
			up = false
		}
		if up {
			at++
		} else {
			at--
		}
	}
}

func (b *Building) done() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.arrived == b.people
}

func (b *Building) deliver(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived += n
}

// claim reports whether people wait whom no lift has claimed.
func (f *floor) claim() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.claimed || len(f.waiting) == 0 {
		return false
	}
	f.claimed = true
	return true
}

// load takes all in and returns their number.
func (f *floor) load() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.waiting)
	f.waiting, f.claimed = nil, false
	return n
}
