package connectionpool

import (
	"sync"
	"testing"
	"time"
)

func TestPool(t *testing.T) {
	p := New(1)
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			c := p.Get()
			c.Query()
			time.Sleep(time.Millisecond)
			p.Put(c)
		})
	}
	clients.Wait()
	if c := p.Get(); c.queries != 3 {
		t.Errorf("%d queries, want 3", c.queries)
	}
}
