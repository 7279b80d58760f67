// Package cache keeps what was loaded for a time.
package cache

import (
	"context"
	"sync"
	"time"
)

// An entry is a value and when it is too old.
type entry[V any] struct {
	value V
	until time.Time
}

// A Cache keeps values by key, each for a time. It is safe for use by many goroutines.
type Cache[K comparable, V any] struct {
	ttl  time.Duration
	load func(context.Context, K) (V, error)

	mu      sync.RWMutex
	entries map[K]entry[V]
	hits    int
}

// New returns a cache of what load returns.
func New[K comparable, V any](ttl time.Duration, load func(context.Context, K) (V, error)) *Cache[K, V] {
	return &Cache[K, V]{ttl: ttl, load: load, entries: make(map[K]entry[V])}
}

// Get returns the value of key, which is loaded if it is not there.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	c.mu.RLock()
	e, ok := c.entries[key]
	if ok && time.Now().Before(e.until) {
		c.hits++
		c.mu.RUnlock()
		return e.value, nil
	}
	c.mu.RUnlock()

	v, err := c.load(ctx, key)
	if err != nil {
		return v, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[key] = entry[V]{v, time.Now().Add(c.ttl)}
	return v, nil
}

// Hits returns how many values were there when they were asked for.
func (c *Cache[K, V]) Hits() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.hits
}
