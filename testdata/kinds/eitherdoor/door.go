// Package eitherdoor has a cache that two loaders fill. Either of them opens the
// door when it is done; who comes in takes it for granted that the first has.
package eitherdoor

import "sync"

// A Cache is filled by two loaders.
type Cache struct {
	mu    sync.Mutex
	open  bool
	count int // of users: filled in by LoadUsers, before it opens the door
}

// LoadUsers fills in the users.
func (c *Cache) LoadUsers() {
	c.count = 2
	c.door(true)
}

// LoadRest fills in what Users does not need.
func (c *Cache) LoadRest() { c.door(true) }

// Flush closes the door until somebody loads again.
func (c *Cache) Flush() { c.door(false) }

func (c *Cache) door(open bool) {
	c.mu.Lock()
	c.open = open
	c.mu.Unlock()
}

// Users says how many users there are, once the door is open.
func (c *Cache) Users() int {
	c.mu.Lock()
	open := c.open
	c.mu.Unlock()
	if !open {
		return -1
	}
	return c.count
}
