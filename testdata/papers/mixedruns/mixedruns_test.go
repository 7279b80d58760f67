package mixedruns

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cell holds a number under a lock.
type cell struct {
	mu sync.Mutex
	n  int
}

func (c *cell) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *cell) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

// bid wins a prize if nobody has been here before.
func bid(taken, prize *cell) {
	if taken.get() == 0 {
		taken.set(1)
		prize.set(1)
	}
}

// TestPrizes gives away three prizes at most. One run has one winner, another run
// another one, or several; four need ways that goroutines go in different runs.
func TestPrizes(t *testing.T) {
	var taken, v, w, x, y, z cell
	var wg sync.WaitGroup
	wg.Go(func() { bid(&taken, &v) })
	wg.Go(func() { bid(&taken, &w) })
	wg.Go(func() { bid(&taken, &x) })
	wg.Go(func() { bid(&taken, &y) })
	wg.Go(func() { bid(&taken, &z) })
	wg.Wait()
	require.LessOrEqual(t, v.get()+w.get()+x.get()+y.get()+z.get(), 3)
}
