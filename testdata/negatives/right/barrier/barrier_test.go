// Package barrier lets goroutines work in phases, by a barrier made of atomics.
package barrier

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// A barrier holds n goroutines until the last of them has come.
type barrier struct {
	n       int32
	arrived atomic.Int32
	phase   atomic.Int32
}

func (b *barrier) wait() {
	phase := b.phase.Load()
	if b.arrived.Add(1) == b.n {
		b.arrived.Store(0)
		b.phase.Add(1)
		return
	}
	for b.phase.Load() == phase {
		runtime.Gosched()
	}
}

// Each goroutine writes its own cell in the first phase and reads the next
// one's in the second.
func TestPhases(t *testing.T) {
	const n = 3
	b := &barrier{n: n}
	var cells [n]int
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			cells[i] = i + 1
			b.wait()
			next := (i + 1) % n
			if cells[next] != next+1 {
				t.Errorf("cell %d is %d", next, cells[next])
			}
		})
	}
	wg.Wait()
}
