package httpserver

import (
	"sync"
	"testing"
	"time"
)

func TestClients(t *testing.T) {
	s := New("a", "b")
	var clients sync.WaitGroup
	for n := range 6 {
		clients.Go(func() {
			time.Sleep(time.Duration(n) * time.Millisecond)
			c := NewClient()
			if p := c.Get(s, []string{"/a", "/b", "/c"}[n%3], func() { time.Sleep(10 * time.Millisecond) }); p.status != []int{200, 200, 404}[n%3] {
				t.Errorf("client %d got %v", n, p)
			}
		})
	}
	clients.Wait()
	if s.served != 6 {
		t.Errorf("%d requests were served, want 6", s.served)
	}
}
