package budget

import (
	"sync"
	"time"
)

// A countdown is a time that concurrent users share. It runs while any of them is active.
type countdown struct {
	mu   sync.Mutex
	rest time.Duration // at since
	// When the first of the active users began.
	since  time.Time
	active int
}

// begin starts the countdown for one more user.
func (c *countdown) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active == 0 {
		c.since = time.Now()
	}
	c.active++
}

// end stops the countdown for one user and returns the time that is left.
func (c *countdown) end() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.now()
	if c.active--; c.active == 0 {
		c.rest = left
	}
	return left
}

// left returns the time that is left; 0 if it is over.
func (c *countdown) left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *countdown) now() time.Duration {
	if c.active == 0 {
		return c.rest
	}
	return max(0, c.rest-time.Since(c.since))
}
