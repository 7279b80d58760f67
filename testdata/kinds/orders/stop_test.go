package orders

import (
	"sync"
	"testing"
)

// Whoever stops first closes the channel, if nobody else looks before it has.
func TestStopTwice(t *testing.T) {
	stopped := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			select {
			case <-stopped:
			default:
				close(stopped)
			}
		})
	}
	all.Wait()
}
