package httpclient

import (
	"sync"
	"testing"
	"time"
)

func TestClients(t *testing.T) {
	s := new(Server)
	var clients sync.WaitGroup
	for n := range 6 {
		clients.Go(func() {
			time.Sleep(time.Duration(n) * time.Millisecond)
			NewClient().Run(s, func() { time.Sleep(10 * time.Millisecond) })
		})
	}
	clients.Wait()
	if len(s.suspended) != 0 {
		t.Errorf("%d clients are suspended", len(s.suspended))
	}
}
