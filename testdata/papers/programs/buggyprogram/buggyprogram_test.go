package buggyprogram

import (
	"sync"
	"testing"
	"time"
)

func TestUsers(t *testing.T) {
	p := &Program{seed: 1}
	var users sync.WaitGroup
	for n := range 3 {
		users.Go(func() {
			time.Sleep(time.Duration(3*n) * time.Millisecond)
			p.Use(4, func(drawn, presented uint32) {
				if drawn != presented {
					t.Errorf("user %d has drawn %d and presents %d", n, drawn, presented)
				}
			})
		})
	}
	users.Wait()
	if p.turns != 12 || len(p.history) != 12 {
		t.Errorf("%d numbers presented, %d recorded, want 12", p.turns, len(p.history))
	}
}
