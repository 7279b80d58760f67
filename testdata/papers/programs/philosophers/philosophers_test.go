package philosophers

import (
	"sync"
	"testing"
)

func TestDine(t *testing.T) {
	const seats, times = 5, 8
	table := New(seats)
	var philosophers sync.WaitGroup
	for seat := range seats {
		philosophers.Go(func() { table.Dine(seat, times) })
	}
	philosophers.Wait()
	for seat, meals := range table.meals {
		if meals != times {
			t.Errorf("%d has eaten %d times, want %d", seat, meals, times)
		}
	}
}
