package atom002

import (
	"sync"
	"testing"
	"time"
)

func TestRotate(t *testing.T) {
	l := New()
	var all sync.WaitGroup
	all.Go(func() {
		time.Sleep(20 * time.Millisecond) // it was written by then
		l.Rotate()
	})
	all.Go(l.Write)
	all.Wait()
	if got := l.Lines(); got != 1 {
		t.Errorf("%d lines, want 1", got)
	}
}
