// Package mutex guards data with a lock, in each way of holding one.
package mutex

import (
	"sync"
	"testing"
	"time"
)

type counter struct {
	sync.Mutex
	n int
	m map[string]int
}

func (c *counter) add(n int) {
	c.Lock()
	defer c.Unlock()
	c.n += n
	c.m["n"] = c.n
}

func TestGuarded(t *testing.T) {
	c := counter{m: map[string]int{}}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			c.add(1)
		})
	}
	wg.Wait()
	if c.n != 3 || c.m["n"] != 3 {
		t.Errorf("counted %d and %d, want 3", c.n, c.m["n"])
	}
}

func TestTryLock(t *testing.T) {
	var mu sync.Mutex
	data := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for !mu.TryLock() {
				time.Sleep(time.Millisecond)
			}
			data++
			mu.Unlock()
		})
	}
	wg.Wait()
	if data != 2 {
		t.Errorf("data is %d, want 2", data)
	}
}

// Two locks, of which every writer holds both and each reader another one.
func TestTwoLocks(t *testing.T) {
	var a, b sync.Mutex
	data := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Lock()
		b.Lock()
		data = 1
		b.Unlock()
		a.Unlock()
	})
	for _, lock := range []sync.Locker{&a, &b} {
		wg.Go(func() {
			time.Sleep(time.Millisecond)
			lock.Lock()
			defer lock.Unlock()
			if data > 1 {
				t.Error("impossible")
			}
		})
	}
	wg.Wait()
}
