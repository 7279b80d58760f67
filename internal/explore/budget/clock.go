package budget

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// ErrTimeOver is the error of a replay that was not run, or not to its end, because no time
// was left.
var ErrTimeOver = errors.New("the time for replays was over")

// A Clock is the time that the user gives to the replays of all packages together. It runs
// while any of them uses it. Without such a time there is no bound by the clock.
type Clock struct {
	timeout time.Duration // the user's; 0: no bound

	mu    sync.Mutex
	rest  time.Duration // that was left when the first of the users began
	users int
	since time.Time // when the first of the users began
}

// NewClock returns a clock for replays that has not started. If timeout is 0, it never ends.
func NewClock(timeout time.Duration) *Clock {
	return &Clock{rest: timeout, timeout: timeout}
}

// Left returns the time that is left; 0 if it is over.
func (c *Clock) Left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left()
}

func (c *Clock) left() time.Duration {
	switch {
	case c.timeout == 0:
		return math.MaxInt64
	case c.users == 0:
		return c.rest
	}
	return max(0, c.rest-time.Since(c.since))
}

// Begin makes the clock run for one more user.
func (c *Clock) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == 0 {
		c.since = time.Now()
	}
	c.users++
}

// End stops the clock for one user. It reports whether all time is used up.
func (c *Clock) End() (over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.left()
	if c.users--; c.users == 0 {
		c.rest = left
	}
	return left == 0
}

// Limit returns a context for replays. It ends with cause [ErrTimeOver] when no time is left.
// The caller must call the function to release it.
func (c *Clock) Limit(ctx context.Context) (context.Context, func()) {
	if c.timeout == 0 {
		return context.WithCancel(ctx)
	}
	left := c.Left()
	if left == 0 {
		limit, end := context.WithCancelCause(ctx)
		end(ErrTimeOver)
		return limit, func() {}
	}
	return context.WithTimeoutCause(ctx, left, ErrTimeOver)
}

// TimeOverText names the time that is over, for a message.
func (c *Clock) TimeOverText() string {
	return fmt.Sprintf("the time for replays, -predict.timeout=%v, was over", c.timeout)
}
