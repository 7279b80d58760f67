// Package rwmutex guards data with the two sides of an RWMutex.
package rwmutex

import (
	"sync"
	"testing"
	"time"
)

func TestReadersAndWriters(t *testing.T) {
	var mu sync.RWMutex
	data := map[int]int{}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(2*i) * time.Millisecond)
			mu.Lock()
			data[i] = i
			mu.Unlock()
		})
		wg.Go(func() {
			time.Sleep(time.Duration(2*i+1) * time.Millisecond)
			mu.RLock()
			defer mu.RUnlock()
			if len(data) > 2 {
				t.Error("impossible")
			}
		})
	}
	wg.Wait()
}

func TestRLocker(t *testing.T) {
	var mu sync.RWMutex
	data := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		data = 1
		mu.Unlock()
	})
	wg.Go(func() {
		reader := mu.RLocker()
		reader.Lock()
		defer reader.Unlock()
		if data > 1 {
			t.Error("impossible")
		}
	})
	wg.Wait()
}
