// Package cart has what a customer is about to buy.
package cart

import "sync"

// A Cart is safe for use by many goroutines.
type Cart struct {
	mu    sync.Mutex
	items []string
	cents int
}

// Add puts a thing into the cart.
func (c *Cart) Add(name string, cents int) {
	c.mu.Lock()
	c.items = append(c.items, name)
	c.mu.Unlock()
	c.mu.Lock()
	c.cents += cents
	c.mu.Unlock()
}

// Bill returns how many things are in the cart, and what they cost.
func (c *Cart) Bill() (items, cents int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.items), c.cents
}
