package jigsaw

import (
	"sync"
	"testing"
	"time"
)

func TestEvents(t *testing.T) {
	const threads = 11
	var m EventManager
	for e := range threads {
		m.queue.Add(e)
	}
	var mu sync.Mutex
	seen := make(map[int]bool)
	var all sync.WaitGroup
	for n := range threads {
		all.Go(func() {
			time.Sleep(time.Duration(2*n) * time.Millisecond)
			e := m.NextEvent()
			mu.Lock()
			defer mu.Unlock()
			if seen[e] {
				t.Errorf("event %d was taken twice", e)
			}
			seen[e] = true
		})
	}
	all.Wait()
}
