package budget

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Time in which several go on counts once, and time in which none does not.
func TestCountdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &countdown{rest: 10 * time.Second}
		c.begin()
		assert.Equal(t, 10*time.Second, c.left())
		time.Sleep(time.Second)
		c.begin()
		assert.Equal(t, 9*time.Second, c.left())
		time.Sleep(2 * time.Second)
		assert.Equal(t, 7*time.Second, c.end())
		time.Sleep(time.Second)
		assert.Equal(t, 6*time.Second, c.left())
		assert.Equal(t, 6*time.Second, c.end())
		time.Sleep(time.Hour)
		c.begin()
		assert.Equal(t, 6*time.Second, c.left())
		time.Sleep(time.Minute)
		assert.Zero(t, c.end())
		assert.Zero(t, c.left())
	})
}
