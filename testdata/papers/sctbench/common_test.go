package sctbench

import "sync"

// A cell is a variable under a lock, so that there is no race.
type cell struct {
	mu sync.Mutex
	v  int
}

func (c *cell) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v
}

func (c *cell) set(v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v = v
}

func (c *cell) add(d int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v += d
	return c.v
}

// together runs functions in goroutines and waits for them.
func together(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}
