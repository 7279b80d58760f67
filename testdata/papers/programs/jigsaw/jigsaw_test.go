package jigsaw

import (
	"sync"
	"testing"
	"time"
)

func TestEvents(t *testing.T) {
	const threads, pages = 11, 100
	rounds, apart := 468, 10*time.Millisecond // how many events each thread takes, and when
	if testing.Short() {
		rounds, apart = 1, 2*time.Millisecond
	}
	var m EventManager
	for e := range threads * rounds {
		m.queue.Add(e)
	}
	store := NewStore(pages)
	var mu sync.Mutex
	seen := make(map[int]bool)
	serve := func() {
		e := m.NextEvent()
		store.Serve(e)
		mu.Lock()
		defer mu.Unlock()
		if seen[e] {
			t.Errorf("event %d was taken twice", e)
		}
		seen[e] = true
	}
	var all sync.WaitGroup
	for n := range threads {
		all.Go(func() {
			time.Sleep(time.Duration(n) * apart)
			for range rounds {
				serve()
			}
		})
	}
	all.Wait()
	if got, want := store.Hits(), threads*rounds; got != want {
		t.Errorf("%d hits, want %d", got, want)
	}
}
