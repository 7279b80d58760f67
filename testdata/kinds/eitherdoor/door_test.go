package eitherdoor

import (
	"sync"
	"testing"
	"time"
)

func TestUsers(t *testing.T) {
	c := new(Cache)
	var wg sync.WaitGroup
	users := func() { c.Users() }
	for k, f := range []func(){c.LoadRest, c.Flush, c.LoadUsers, users} {
		wg.Go(func() {
			time.Sleep(time.Duration(k) * 20 * time.Millisecond)
			f()
		})
	}
	wg.Wait()
}
