package lazyinit

import (
	"sync"
	"testing"
	"time"
)

func TestGet(t *testing.T) {
	var settings Settings
	var users sync.WaitGroup
	users.Go(func() {
		settings.Get()
	})
	users.Go(func() {
		time.Sleep(5 * time.Millisecond)
		if got, want := settings.Get().Name, "gopher"; got != want {
			t.Errorf("the name is %q, want %q", got, want)
		}
	})
	users.Wait()
}
