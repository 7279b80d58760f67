package banking

import (
	"sync"
	"testing"
	"time"
)

func TestTellers(t *testing.T) {
	b := New(4, 100)
	var tellers sync.WaitGroup
	for id := range 10 {
		tellers.Go(func() {
			time.Sleep(time.Duration(id) * time.Millisecond)
			Teller{b, id}.Work(3)
		})
	}
	tellers.Wait()
	if sum := b.Total(); sum != 400 {
		t.Errorf("the bank has %d, want 400", sum)
	}
	if b.done+b.Failed() != 30 {
		t.Errorf("%d transfers were done and %d failed, want 30 of both", b.done, b.Failed())
	}
}
