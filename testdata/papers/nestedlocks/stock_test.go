package nestedlocks

import (
	"sync"
	"testing"
	"time"
)

func TestCount(t *testing.T) {
	north, south := &Store{goods: 10}, &Store{goods: 20}
	var people sync.WaitGroup
	people.Go(func() {
		Move(north, south, 5)
	})
	people.Go(func() {
		time.Sleep(5 * time.Millisecond)
		if got, want := Count(north, south), 30; got != want {
			t.Errorf("%d goods, want %d", got, want)
		}
	})
	people.Wait()
}
