package elevator

import (
	"sync"
	"testing"
)

func TestLifts(t *testing.T) {
	const floors, people, lifts = 10, 40, 3
	b := New(floors)
	for p := range people {
		b.Call(p*3%floors, (p*3+p%7+1)%floors)
	}
	var all sync.WaitGroup
	for n := range lifts {
		all.Go(func() { b.Run(4 * n) })
	}
	all.Wait()
	if b.arrived != people {
		t.Errorf("%d people have arrived, want %d", b.arrived, people)
	}
}
