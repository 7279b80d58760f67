// Package jigsaw is the bug of the web server Jigsaw in Figure 7 of the PECAN
// paper: threads take events from a queue of which each method has a lock, in
// three steps.
package jigsaw

import (
	"runtime"
	"sync"
)

// A Vector is Java's: a list for several goroutines, of an array and of how many
// of its elements count.
type Vector struct {
	mu    sync.Mutex
	array []int // guarded by mu
	count int   // guarded by mu
}

// Add adds an element at the end.
func (v *Vector) Add(e int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.count == len(v.array) {
		v.array = append(v.array, make([]int, 10)...)
	}
	v.array[v.count] = e
	v.count++
}

// Size returns how many elements there are.
func (v *Vector) Size() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.count
}

// ElementAt returns element k.
func (v *Vector) ElementAt(k int) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if k >= v.count {
		panic("index out of bounds")
	}
	return v.array[k]
}

// RemoveElementAt takes element k out.
func (v *Vector) RemoveElementAt(k int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if k >= v.count {
		panic("index out of bounds")
	}
	copy(v.array[k:], v.array[k+1:])
	v.count--
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
