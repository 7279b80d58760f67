// Package pool runs callbacks.
package pool

import "sync"

// A Hub runs one callback, and another if it sees that the first is on its way.
type Hub struct {
	mu sync.Mutex
	wg sync.WaitGroup
	on bool
}

func (h *Hub) First(f func()) {
	h.wg.Go(func() {
		h.mu.Lock()
		h.on = true
		h.mu.Unlock()
		f()
	})
}

func (h *Hub) Second(f func()) {
	h.wg.Go(func() {
		h.mu.Lock()
		on := h.on
		h.mu.Unlock()
		if on {
			f()
		}
	})
}

func (h *Hub) Wait() { h.wg.Wait() }
