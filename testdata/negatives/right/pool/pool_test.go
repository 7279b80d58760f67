// Package pool hands objects over through sync.Pool and sync.Map.
package pool

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type buffer struct{ n int }

func TestPool(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(buffer) }}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			b := pool.Get().(*buffer)
			b.n = i
			if b.n != i {
				t.Errorf("n is %d, want %d", b.n, i)
			}
			pool.Put(b)
		})
	}
	wg.Wait()
}

func TestMap(t *testing.T) {
	var m sync.Map
	go func() {
		b := &buffer{}
		b.n = 1
		m.Store("key", b)
	}()
	for {
		if v, ok := m.Load("key"); ok {
			if b := v.(*buffer); b.n != 1 {
				t.Errorf("n is %d, want 1", b.n)
			}
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestLoadOrStore(t *testing.T) {
	var m sync.Map
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			b := &buffer{}
			b.n = 1
			v, _ := m.LoadOrStore("key", b)
			if v.(*buffer).n != 1 {
				t.Error("n is not 1")
			}
		})
	}
	wg.Wait()
}

// A lease is given back while others still ask whether it is theirs.
type lease struct {
	mu    sync.Mutex
	term  int
	asked atomic.Int32
}

func (l *lease) is(term int) bool {
	l.asked.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.term == term
}

func TestStale(t *testing.T) {
	leases := sync.Pool{New: func() any { return new(lease) }}
	l := leases.Get().(*lease)
	var wg sync.WaitGroup
	wg.Go(func() {
		l.mu.Lock()
		l.term++
		l.mu.Unlock()
		leases.Put(l)
	})
	wg.Go(func() { l.is(0) })
	wg.Wait()
}
