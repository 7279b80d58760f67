package openjms

import (
	"sync"
	"testing"
	"time"
)

func TestInvoke(t *testing.T) {
	c := new(Connection)
	var all sync.WaitGroup
	all.Go(c.SetInvocationHandler)
	for range 22 {
		all.Go(func() {
			time.Sleep(4 * time.Millisecond)
			if err := c.Invoke(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
