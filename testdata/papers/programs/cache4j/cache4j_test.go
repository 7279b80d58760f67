package cache4j

import (
	"sync"
	"testing"
	"time"
)

func TestCache(t *testing.T) {
	const most = 4
	rounds := 8
	if testing.Short() {
		rounds = 4
	}
	cache := &Cache{most: most}
	cleaner := &Cleaner{cache: cache, every: 5 * time.Millisecond, wake: make(chan bool, 1)}
	var users, background sync.WaitGroup
	background.Go(cleaner.Run)
	for n := range 3 {
		users.Go(func() {
			for r := range rounds {
				key := (n + r) % (most + 2)
				value, ok := cache.Get(key)
				time.Sleep(time.Millisecond)
				if !ok {
					cache.Put(key, key*key)
				} else if value != key*key {
					t.Errorf("%d for %d", value, key)
				}
				if r%3 == n {
					cleaner.Wake()
				}
			}
		})
	}
	users.Wait()
	cleaner.Close()
	background.Wait()
	if n := len(cache.objects); n > most {
		t.Errorf("%d objects, and there can be %d", n, most)
	}
}
