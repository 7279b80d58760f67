package stock

import (
	"sync"
	"testing"
	"time"
)

// Pieces go from each of two places to the other.
func TestMove(t *testing.T) {
	a, b := NewPlace(3), NewPlace(3)
	var wg sync.WaitGroup
	wg.Go(func() { a.Move(b, 1) })
	wg.Go(func() { b.Move(a, 2) })
	wg.Wait()
	if a.count+b.count != 6 {
		t.Errorf("%d and %d pieces, want 6", a.count, b.count)
	}
}

// Who takes waits for who puts.
func TestShelf(t *testing.T) {
	s := NewShelf()
	taken := make(chan struct{})
	go func() {
		defer close(taken)
		s.Take()
	}()
	time.Sleep(5 * time.Millisecond) // it waits by then
	s.Put()
	<-taken
	if !s.empty() {
		t.Error("one was put, and one taken: want none left")
	}
}
