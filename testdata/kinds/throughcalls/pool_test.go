package pool

import (
	"sync"
	"testing"
)

func TestProgress(t *testing.T) {
	var p Pool
	var all sync.WaitGroup
	for range 2 {
		all.Go(p.Work)
	}
	all.Wait()
	if got := p.Progress(); got < 50 {
		t.Fatalf("only %d%% are done", got)
	}
}
