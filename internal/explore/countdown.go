package explore

import (
	"sync"
	"time"
)

// A countdown is of the time that something may take which several do beside each other: it goes on
// while one of them does.
type countdown struct {
	mu    sync.Mutex
	rest  time.Duration // when the last one began that was alone
	since time.Time     // that was then
	doing int
}

// begin goes on with the countdown, for what begins.
func (c *countdown) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.doing == 0 {
		c.since = time.Now()
	}
	c.doing++
}

// end returns the time that is left after what ends.
func (c *countdown) end() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.now()
	if c.doing--; c.doing == 0 {
		c.rest = left
	}
	return left
}

// left is the time that is left; 0 once there is none.
func (c *countdown) left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *countdown) now() time.Duration {
	if c.doing == 0 {
		return c.rest
	}
	return max(0, c.rest-time.Since(c.since))
}
