package openjms

import (
	"sync"
	"testing"
	"time"
)

func TestInvoke(t *testing.T) {
	const clients, destinations = 22, 60
	rounds := 240 // messages that each client sends and takes
	if testing.Short() {
		rounds = 1
	}
	c := new(Connection)
	b := NewBroker(destinations)
	var all sync.WaitGroup
	all.Go(c.SetInvocationHandler)
	for n := range clients {
		all.Go(func() {
			time.Sleep(4 * time.Millisecond)
			for r := range rounds {
				if err := c.Invoke(); err != nil {
					t.Error(err)
				}
				d := b.Destination(n + r)
				d.Put("message")
				if _, ok := d.Take(); !ok {
					t.Errorf("destination %d has no message", (n+r)%destinations)
				}
			}
		})
	}
	all.Wait()
}
