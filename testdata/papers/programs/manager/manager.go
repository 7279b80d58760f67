// Package manager is the memory manager of the ConTest suite: clients take and
// give back chunks without a lock, while a goroutine of the manager counts them.
package manager

import (
	"fmt"
	"sync/atomic"
	"time"
)

// A Manager lends chunks of memory.
type Manager struct {
	chunks int // all that there are
	free   int
	lent   int
	closed atomic.Bool
}

// Take takes a chunk, if one is free.
func (m *Manager) Take() bool {
	if m.free == 0 {
		return false
	}
	m.free--
	m.lent++
	return true
}

// Give gives a chunk back.
func (m *Manager) Give() {
	m.lent--
	m.free++
}

// Run looks after the chunks until the manager is closed.
func (m *Manager) Run() {
	for !m.closed.Load() {
		if m.free > m.chunks {
			panic(fmt.Sprintf("%d chunks are free, and there are %d", m.free, m.chunks))
		}
		time.Sleep(2 * time.Millisecond)
	}
}
