package atom001

import (
	"sync"
	"testing"
	"time"
)

func TestShow(t *testing.T) {
	var c Conn
	c.Begin("query")
	var all sync.WaitGroup
	all.Go(func() {
		time.Sleep(20 * time.Millisecond) // it was shown by then
		c.End()
	})
	all.Go(func() {
		if got := c.Show(); got != "query" && got != "idle" {
			t.Error(got)
		}
	})
	all.Wait()
}
