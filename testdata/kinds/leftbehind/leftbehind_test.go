package leftbehind

import (
	"sync"
	"testing"
)

func TestFirst(t *testing.T) {
	one := func() int { return 1 }
	if n, err := First([]func() int{one, one}); n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestSum(t *testing.T) {
	Sum([]int{1, 2, 3}, func(int) {})
}

func TestFeed(t *testing.T) {
	new(Feed).Start()
}

func TestCounter(t *testing.T) {
	go new(Counter).Add(true)
}

func TestServe(t *testing.T) {
	Serve()
	done := make(chan bool)
	Do(func() { close(done) })
	<-done
}

func TestLog(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		var l Log
		l.Open()
		l.Write("line")
		l.Close()
	})
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		var (
			mu   sync.Mutex
			n    int
			each sync.WaitGroup
		)
		for range 8 {
			each.Go(func() {
				for range 4 {
					mu.Lock()
					n++
					mu.Unlock()
				}
			})
		}
		each.Wait()
	})
}
