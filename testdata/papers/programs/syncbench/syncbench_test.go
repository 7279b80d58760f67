package syncbench

import (
	"sync"
	"testing"
)

func TestBench(t *testing.T) {
	const workers, times = 15, 6
	var b Bench
	var all sync.WaitGroup
	for id := range workers {
		all.Go(func() {
			if done := b.Run(id, times); id == 0 && done < times {
				t.Errorf("%d are done, and I have done %d", done, times)
			}
		})
	}
	all.Wait()
	if b.method.n != workers*times || b.block != workers*times {
		t.Errorf("counted %d and %d, want %d", b.method.n, b.block, workers*times)
	}
}
