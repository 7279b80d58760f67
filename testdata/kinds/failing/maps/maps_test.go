// Package maps has a test that the runtime ends as two goroutines write to a map at once.
package maps

import (
	"sync"
	"testing"
)

type counts struct {
	mu     sync.Mutex
	shared bool
	of     map[string]int
}

func (c *counts) share() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shared = true
}

// add locks only once it is told that it is not alone.
func (c *counts) add(word string) {
	c.mu.Lock()
	shared := c.shared
	c.mu.Unlock()
	if !shared {
		c.of[word]++
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[word]++
}

//want:race panic
func TestMapWrites(t *testing.T) {
	c := &counts{of: make(map[string]int)}
	var wg sync.WaitGroup
	wg.Go(c.share)
	wg.Go(func() { c.add("a") })
	wg.Go(func() { c.add("b") })
	wg.Wait()
}
