// Package cond is a bounded queue that waits by sync.Cond.
package cond

import (
	"sync"
	"testing"
)

type queue struct {
	mu       sync.Mutex
	notEmpty *sync.Cond
	notFull  *sync.Cond
	items    []*item
}

type item struct{ n int }

func newQueue() *queue {
	q := &queue{}
	q.notEmpty = sync.NewCond(&q.mu)
	q.notFull = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(i *item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 2 {
		q.notFull.Wait()
	}
	q.items = append(q.items, i)
	q.notEmpty.Signal()
}

func (q *queue) take() *item {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.notEmpty.Wait()
	}
	i := q.items[0]
	q.items = q.items[1:]
	q.notFull.Signal()
	return i
}

func TestQueue(t *testing.T) {
	q := newQueue()
	go func() {
		for n := range 5 {
			i := &item{}
			i.n = n
			q.put(i)
		}
	}()
	for want := range 5 {
		if got := q.take(); got.n != want {
			t.Errorf("took %d, want %d", got.n, want)
		}
	}
}

func TestBroadcast(t *testing.T) {
	var mu sync.Mutex
	start := sync.NewCond(&mu)
	started, data := false, 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			for !started {
				start.Wait()
			}
			mu.Unlock()
			if data != 1 {
				t.Errorf("data is %d, want 1", data)
			}
		})
	}
	data = 1
	mu.Lock()
	started = true
	start.Broadcast()
	mu.Unlock()
	wg.Wait()
}
