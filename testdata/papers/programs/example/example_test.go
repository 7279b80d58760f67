package example

import (
	"sync"
	"testing"
)

func add(t *testing.T, careful bool) {
	p := New()
	var both sync.WaitGroup
	both.Add(2)
	go func() {
		defer both.Done()
		p.first(func() {
			defer both.Done()
			p.second(careful)
		})
	}()
	both.Wait()
	if p.sum != 3 {
		t.Errorf("the sum is %d", p.sum)
	}
}

func TestRace(t *testing.T) { add(t, false) }

func TestNoRace(t *testing.T) { add(t, true) }
