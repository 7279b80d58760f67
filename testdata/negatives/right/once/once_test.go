// Package once initializes data by sync.Once and its relatives.
package once

import (
	"sync"
	"testing"
)

func TestOnce(t *testing.T) {
	var once sync.Once
	data := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			once.Do(func() { data = 1 })
			if data != 1 {
				t.Errorf("data is %d, want 1", data)
			}
		})
	}
	wg.Wait()
}

func TestOnceValue(t *testing.T) {
	calls := 0
	value := sync.OnceValue(func() int {
		calls++
		return calls
	})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if got := value(); got != 1 || calls != 1 {
				t.Errorf("got %d after %d calls, want 1 after 1", got, calls)
			}
		})
	}
	wg.Wait()
}
