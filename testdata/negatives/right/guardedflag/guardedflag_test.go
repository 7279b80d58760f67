// Package guardedflag reads data only after a flag, guarded by a lock, has
// said that the data is there. The data itself is not under the lock.
package guardedflag

import (
	"sync"
	"testing"
	"time"
)

type box struct {
	data int

	mu    sync.Mutex
	ready bool
}

func (b *box) put(n int) {
	b.data = n
	b.mu.Lock()
	b.ready = true
	b.mu.Unlock()
}

func (b *box) isReady() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ready
}

func TestOnce(t *testing.T) {
	b := &box{}
	go b.put(1)
	time.Sleep(2 * time.Millisecond)
	if b.isReady() && b.data != 1 {
		t.Errorf("data is %d, want 1", b.data)
	}
}

func TestLocalCopy(t *testing.T) {
	b := &box{}
	go b.put(1)
	time.Sleep(2 * time.Millisecond)
	b.mu.Lock()
	ready := b.ready
	b.mu.Unlock()
	if !ready {
		return
	}
	if b.data != 1 {
		t.Errorf("data is %d, want 1", b.data)
	}
}

func TestPoll(t *testing.T) {
	b := &box{}
	go func() {
		time.Sleep(time.Millisecond)
		b.put(1)
	}()
	for !b.isReady() {
		time.Sleep(time.Millisecond)
	}
	if b.data != 1 {
		t.Errorf("data is %d, want 1", b.data)
	}
}

// The flag is the number of elements that may be read.
func TestLength(t *testing.T) {
	var (
		items [4]int
		mu    sync.Mutex
		n     int
	)
	go func() {
		for i := range items {
			items[i] = i
			mu.Lock()
			n = i + 1
			mu.Unlock()
		}
	}()
	time.Sleep(2 * time.Millisecond)
	mu.Lock()
	length := n
	mu.Unlock()
	for i := range length {
		if items[i] != i {
			t.Errorf("items[%d] is %d", i, items[i])
		}
	}
}

// The flag is a pointer: what it points to was written before it was set.
func TestSnapshot(t *testing.T) {
	type config struct{ limit int }
	var mu sync.Mutex
	current := &config{limit: 1}
	go func() {
		next := &config{}
		next.limit = 2
		mu.Lock()
		current = next
		mu.Unlock()
	}()
	time.Sleep(2 * time.Millisecond)
	mu.Lock()
	c := current
	mu.Unlock()
	if c.limit != 1 && c.limit != 2 {
		t.Errorf("the limit is %d, want 1 or 2", c.limit)
	}
}
