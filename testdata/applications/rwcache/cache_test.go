package rwcache

import (
	"sync"
	"testing"
	"time"
)

func TestHits(t *testing.T) {
	cache := &Cache{values: map[string]string{"a": "1"}}
	var users sync.WaitGroup
	users.Go(func() {
		cache.Get("a")
		cache.Set("b", "2")
	})
	users.Go(func() {
		time.Sleep(5 * time.Millisecond)
		cache.Get("a")
	})
	users.Wait()
	if got, want := cache.Hits(), 2; got != want {
		t.Errorf("%d hits, want %d", got, want)
	}
}
