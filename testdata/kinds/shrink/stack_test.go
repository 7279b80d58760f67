package stack

import (
	"sync"
	"testing"
	"time"
)

func TestStack(t *testing.T) {
	var s Stack
	s.Push(7)
	var all sync.WaitGroup
	all.Go(func() { s.Top() })
	all.Go(func() {
		time.Sleep(5 * time.Millisecond) // it was looked at by now
		s.Clear()
	})
	all.Wait()
}
