// Package hangs has tests that block for ever.
package hangs

import (
	"sync"
	"testing"
	"time"
)

// The signal comes before the wait.
//
//want:deadlock deadlock
func TestDeadlock(t *testing.T) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	done := make(chan bool)
	go func() {
		mu.Lock()
		cond.Wait()
		mu.Unlock()
		close(done)
	}()
	go func() {
		mu.Lock()
		cond.Signal()
		mu.Unlock()
	}()
	<-done
}

// Nobody waits yet for what is offered once. The ticker goes on, and leads nowhere.
//
//want:deadlock deadlock
func TestHang(t *testing.T) {
	beat := time.NewTicker(100 * time.Millisecond)
	defer beat.Stop()
	beats, quit := 0, make(chan bool)
	go func() {
		for {
			select {
			case <-beat.C:
				beats++
			case <-quit:
				return
			}
		}
	}()
	offer, taken := make(chan int), make(chan int)
	go func() { taken <- <-offer }()
	go func() {
		select {
		case offer <- 1:
		default:
		}
	}()
	<-taken
	close(quit)
}
