package budget

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Without a time of the user nothing ends by the clock.
func TestNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock(0)
		c.Begin()
		limit, end := c.Limit(t.Context())
		defer end()
		time.Sleep(1000 * time.Hour)
		assert.NoError(t, limit.Err())
		assert.Positive(t, c.Left())
		assert.False(t, c.End())
	})
}

// Replays end with the user's time, and none begins after it.
func TestLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock(10 * time.Second)
		c.Begin()
		limit, end := c.Limit(t.Context())
		defer end()
		time.Sleep(9 * time.Second)
		synctest.Wait()
		assert.NoError(t, limit.Err())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, ErrTimeOver, context.Cause(limit))
		over, _ := c.Limit(t.Context())
		assert.Equal(t, ErrTimeOver, context.Cause(over), "at once")
		assert.Contains(t, c.TimeOverText(), "-predict.timeout=10s")
	})
}

// Time in which several use the clock counts once, and time in which none does not.
func TestUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock(10 * time.Second)
		c.Begin()
		assert.Equal(t, 10*time.Second, c.Left())
		time.Sleep(time.Second)
		c.Begin()
		assert.Equal(t, 9*time.Second, c.Left())
		time.Sleep(2 * time.Second)
		assert.False(t, c.End())
		time.Sleep(time.Second)
		assert.Equal(t, 6*time.Second, c.Left())
		assert.False(t, c.End())
		time.Sleep(time.Hour)
		c.Begin()
		assert.Equal(t, 6*time.Second, c.Left())
		time.Sleep(time.Minute)
		assert.True(t, c.End())
		assert.Zero(t, c.Left())
	})
}
