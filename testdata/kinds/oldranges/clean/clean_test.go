package clean

import (
	"sync"
	"testing"
)

func spawn(wg *sync.WaitGroup, f func()) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		f()
	}()
}

func TestCopied(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []int{1, 2} {
		v := v
		spawn(&wg, func() { _ = v })
	}
	wg.Wait()
}

func TestWaited(t *testing.T) {
	for _, v := range []int{1, 2} {
		var wg sync.WaitGroup
		spawn(&wg, func() { _ = v })
		wg.Wait()
	}
}

func TestHandedOver(t *testing.T) {
	var wg sync.WaitGroup
	for i, v := range []int{1, 2} {
		wg.Add(1)
		go func(i, v int) {
			defer wg.Done()
			_ = i + v
		}(i, v)
	}
	wg.Wait()
}

func TestCalled(t *testing.T) {
	for _, v := range []int{1, 2} {
		func() { _ = v }()
	}
}

func TestInTurns(t *testing.T) {
	next := make(chan bool)
	for i := 0; i < 2; i++ {
		go func() {
			_ = i
			next <- true
		}()
		<-next
	}
}

type item struct {
	name string
	n    int
}

func TestParallel(t *testing.T) {
	// The subtests go on when the loop has ended.
	for _, v := range []item{{"a", 1}, {"b", 2}} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			_ = v.n
		})
	}
}
