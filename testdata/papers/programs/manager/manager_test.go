package manager

import (
	"sync"
	"testing"
	"time"
)

func TestClients(t *testing.T) {
	m := &Manager{chunks: 2, free: 2}
	var clients, manager sync.WaitGroup
	manager.Go(m.Run)
	for n := range 3 {
		clients.Go(func() {
			time.Sleep(time.Duration(3*n+1) * time.Millisecond)
			if m.Take() {
				m.Give()
			}
		})
	}
	clients.Wait()
	m.closed.Store(true)
	manager.Wait()
	if m.free != 2 || m.lent != 0 {
		t.Errorf("%d chunks are free, %d lent, want 2 and 0", m.free, m.lent)
	}
}
