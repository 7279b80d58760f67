package unproven

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// both runs f twice, the second time in general later.
func both(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(func() {
		time.Sleep(20 * time.Millisecond)
		f()
	})
	wg.Wait()
}

func TestSelect(t *testing.T) {
	var mu sync.Mutex
	n, steps := 0, make(chan int, 2)
	steps <- 1
	steps <- 2
	both(func() {
		mu.Lock()
		was := n
		mu.Unlock()
		select {
		case step := <-steps:
			was += step
		default:
		}
		mu.Lock()
		n = was
		mu.Unlock()
	})
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, 3, n)
}

func TestMessages(t *testing.T) {
	var mu sync.Mutex
	n, in, out := 0, make(chan int), make(chan int)
	go func() {
		for x := range in {
			out <- x + 1
		}
	}()
	defer close(in)
	both(func() {
		mu.Lock()
		was := n
		mu.Unlock()
		in <- was
		is := <-out
		mu.Lock()
		n = is
		mu.Unlock()
	})
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, 2, n)
}

func TestOtherBranch(t *testing.T) {
	var mu sync.Mutex
	n := 0
	both(func() {
		mu.Lock()
		was := n
		mu.Unlock()
		if was > 0 {
			was = 10
		}
		mu.Lock()
		n = was + 1
		mu.Unlock()
	})
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, 11, n)
}

func TestContents(t *testing.T) {
	var mu sync.Mutex
	n := new(int)
	both(func() {
		mu.Lock()
		was := n
		mu.Unlock()
		is := new(int)
		*is = *was + 1
		mu.Lock()
		n = is
		mu.Unlock()
	})
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, 2, *n)
}

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

// first counts mine to two if the other one is 0.
func first(mine, other *cell) {
	if other.get() == 0 {
		mine.set(1)
		mine.set(1 + 1)
	} else {
		mine.set(0)
	}
}

// TestFigure11 is the program of Figure 11 of Wang et al.: x and y are equal where both
// goroutines take their first branch, of which no run that passes has more than one.
func TestFigure11(t *testing.T) {
	var x, y cell
	var wg sync.WaitGroup
	wg.Go(func() { first(&x, &y) })
	wg.Go(func() {
		time.Sleep(20 * time.Millisecond)
		first(&y, &x)
	})
	wg.Wait()
	require.NotEqual(t, x.get(), y.get())
}
