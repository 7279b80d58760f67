// Package waitgroup orders accesses by a WaitGroup, and by nothing else.
package waitgroup

import (
	"sync"
	"testing"
)

func TestResults(t *testing.T) {
	var results [3]int
	sum := 0
	var wg sync.WaitGroup
	for i := range results {
		wg.Add(1)
		go func() {
			defer wg.Done()
			results[i] = i + 1
		}()
	}
	wg.Wait()
	for _, r := range results {
		sum += r
	}
	if sum != 6 {
		t.Errorf("the sum is %d, want 6", sum)
	}
}

// Two goroutines wait for the same group and then only read.
func TestTwoWaiters(t *testing.T) {
	data := 0
	var work, readers sync.WaitGroup
	work.Go(func() { data = 1 })
	for range 2 {
		readers.Go(func() {
			work.Wait()
			if data != 1 {
				t.Errorf("data is %d, want 1", data)
			}
		})
	}
	readers.Wait()
	data = 2
}

// A group is used again after its Wait has returned.
func TestReuse(t *testing.T) {
	data := 0
	var wg sync.WaitGroup
	for round := range 3 {
		wg.Go(func() { data += round })
		wg.Wait()
	}
	if data != 3 {
		t.Errorf("data is %d, want 3", data)
	}
}
