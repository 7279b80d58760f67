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
