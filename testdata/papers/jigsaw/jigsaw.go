// Package jigsaw is the bug of the web server Jigsaw in Figure 7 of the PECAN
// paper: threads take events from a queue of which each method has a lock, in
// three steps.
package jigsaw

import (
	"runtime"
	"sync"
)

// A Vector is a list for several goroutines.
type Vector struct {
	mu    sync.Mutex
	items []int // guarded by mu
}

// Add adds an element at the end.
func (v *Vector) Add(e int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.items = append(v.items, e)
}

// Size returns how many elements there are.
func (v *Vector) Size() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.items)
}

// ElementAt returns element k.
func (v *Vector) ElementAt(k int) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.items[k]
}

// RemoveElementAt takes element k out.
func (v *Vector) RemoveElementAt(k int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.items = append(v.items[:k:k], v.items[k+1:]...)
}

// An EventManager hands out events.
type EventManager struct {
	queue Vector
}

// NextEvent waits for an event and takes it.
//
//gopredict:atomic
func (m *EventManager) NextEvent() int {
	for m.queue.Size() == 0 {
		runtime.Gosched()
	}
	e := m.queue.ElementAt(0)
	m.queue.RemoveElementAt(0)
	return e
}
