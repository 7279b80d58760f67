package builtin

import (
	"net"
	"sync"
	"testing"
	"time"
)

// A connection is closed while a goroutine may still write to it.
func TestConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := c.Write([]byte("late")); err != nil {
			t.Error(err)
		}
	})
	time.Sleep(10 * time.Millisecond)
	c.Close()
	all.Wait()
}
