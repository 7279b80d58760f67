// Package tinylock has mutexes of eight bytes, which share the blocks of the allocator.
package tinylock

import (
	"sync"
	"testing"
)

// Eight bytes without pointers: the allocator puts it beside others into one block of sixteen.
type counter struct{ mu sync.Mutex }

func (c *counter) outer() { c.mu.Lock(); defer c.mu.Unlock(); c.inner() }
func (c *counter) inner() { c.mu.Lock(); defer c.mu.Unlock() }

// Leaves a goroutine that locks twice, for ever: nothing else can reach c.
//
//want:leak leak
func TestLocksTwice(t *testing.T) {
	c := &counter{}
	go c.outer()
}
