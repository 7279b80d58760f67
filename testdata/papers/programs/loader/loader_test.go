package loader

import (
	"sync"
	"testing"
	"time"
)

func TestLoad(t *testing.T) {
	var l Loader
	var all sync.WaitGroup
	all.Go(func() { l.Load("Object") })
	all.Go(func() {
		time.Sleep(4 * time.Millisecond)
		if got := l.Name(); got != "Object" {
			t.Errorf("loaded %s", got)
		}
	})
	all.Go(func() {
		time.Sleep(8 * time.Millisecond)
		if got := l.Methods(); got != 6 {
			t.Errorf("%d methods, want 6", got)
		}
	})
	all.Wait()
}
