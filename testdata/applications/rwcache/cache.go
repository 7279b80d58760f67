// Package rwcache is a cache that counts its hits under the reader's lock.
package rwcache

import "sync"

// A Cache maps keys to values.
type Cache struct {
	mu     sync.RWMutex
	values map[string]string
	hits   int
}

// Get returns the value of key.
func (c *Cache) Get(key string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	hits := c.hits
	c.hits = hits + 1
	return c.values[key]
}

// Set sets the value of key.
func (c *Cache) Set(key, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] = value
}

// Hits returns how often Get was called.
func (c *Cache) Hits() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits
}
