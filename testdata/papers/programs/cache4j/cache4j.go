// Package cache4j is the cache of objects of that name: one lock for all objects,
// a bound on how many there are, and a cleaner that sleeps, takes out what is too
// old, and can be woken. As there, whether it sleeps is asked without a lock.
package cache4j

import (
	"slices"
	"sync"
	"time"
)

// An object is what the cache has for a key.
type object struct {
	key, value int
	used       int // when it was used last, in uses of the cache
}

// A Cache has at most so many objects.
type Cache struct {
	most int

	mu      sync.Mutex
	objects []*object // guarded by mu; the one that was used last is the last
	uses    int       // guarded by mu

	hits, misses int
}

// use takes object k out of its place and puts it last.
func (c *Cache) use(k int) *object {
	o := c.objects[k]
	c.objects = append(slices.Delete(c.objects, k, k+1), o)
	c.uses++
	o.used = c.uses
	return o
}

// find returns where the object for a key is, or -1.
func (c *Cache) find(key int) int {
	return slices.IndexFunc(c.objects, func(o *object) bool { return o.key == key })
}

// Put sets the value of a key.
func (c *Cache) Put(key, value int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.find(key)
	if k < 0 {
		k = len(c.objects)
		c.objects = append(c.objects, &object{key: key})
	}
	c.use(k).value = value
	if len(c.objects) > c.most {
		c.objects = c.objects[1:]
	}
}

// Get returns the value of a key.
func (c *Cache) Get(key int) (value int, ok bool) {
	if value, ok = c.get(key); ok {
		c.hits++
	} else {
		c.misses++
	}
	return value, ok
}

func (c *Cache) get(key int) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.find(key)
	if k < 0 {
		return 0, false
	}
	return c.use(k).value, true
}

// clean takes out what was not used for as many uses as there can be objects.
func (c *Cache) clean() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects = slices.DeleteFunc(c.objects, func(o *object) bool { return o.used < c.uses-c.most })
}

// A Cleaner cleans a cache from time to time.
type Cleaner struct {
	cache  *Cache
	every  time.Duration
	wake   chan bool // with room for one
	asleep bool
	closed bool
}

// Run cleans until the cleaner is closed.
func (c *Cleaner) Run() {
	for !c.closed {
		c.asleep = true
		select {
		case <-c.wake:
		case <-time.After(c.every):
		}
		c.asleep = false
		c.cache.clean()
	}
}

// Wake lets the cleaner clean at once.
func (c *Cleaner) Wake() {
	if c.asleep {
		select {
		case c.wake <- true:
		default: // somebody else has
		}
	}
}

// Close ends the cleaner.
func (c *Cleaner) Close() {
	c.closed = true
	c.Wake()
}
