package link

import (
	"sync"
	"testing"
	"time"
)

func TestLink(t *testing.T) {
	l := Open()
	var all sync.WaitGroup
	all.Go(func() { l.Send() })
	all.Go(func() {
		time.Sleep(5 * time.Millisecond) // it is sent by now
		l.Close()
	})
	all.Wait()
}
