package maprace

import (
	"sync"
	"testing"
	"time"
)

func TestIndex(t *testing.T) {
	index := &Index{pages: map[string]int{"go": 1}}
	var authors sync.WaitGroup
	authors.Go(func() {
		index.Put("race", 2)
	})
	authors.Go(func() {
		time.Sleep(5 * time.Millisecond)
		index.Move("go", 3)
	})
	authors.Wait()
	if got, want := index.pages["go"], 3; got != want {
		t.Errorf("go is on page %d, want %d", got, want)
	}
}
