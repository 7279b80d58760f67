package selftest

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"predictrt"
)

// worker is a goroutine that writes to a variable of its own, and to nothing else,
// each time that it is told to, and ends when it is to.
type worker struct {
	box  box
	work chan bool
	done chan bool
}

func newWorker() *worker {
	w := &worker{work: make(chan bool), done: make(chan bool)}
	go func() {
		defer close(w.done)
		for range w.work {
			for i := range 10 {
				predictrt.Store(&w.box.n, siteWrite).Set(i)
			}
			w.done <- true
		}
	}()
	return w
}

// leftBehind are the workers that TestBeforeMany has started.
var leftBehind []*worker

func leaveBehind() {
	for range 100 {
		leftBehind = append(leftBehind, newWorker())
	}
}

// workBeside has the workers work and end while other goroutines, of the running test,
// take locks, begin and end.
func workBeside() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	lockMany()
	for _, w := range leftBehind {
		wg.Go(func() {
			w.work <- true
			mu.Lock()
			<-w.done
			mu.Unlock()
			close(w.work)
			for range 3 {
				mu.Lock()
				runtime.Gosched()
				mu.Unlock()
			}
			<-w.done
		})
		wg.Wait()
	}
}

// TestWorkBesidePoll has a goroutine work while another one polls.
func TestWorkBesidePoll(t *testing.T) {
	if os.Getenv("WHOSE") == "" {
		return
	}
	var one, both atomic.Bool
	b := &box{}
	go func() {
		for i := range 1000 {
			predictrt.Store(&b.n, siteWrite).Set(i)
			runtime.Gosched()
		}
		one.Store(true)
		both.Store(true)
	}()
	for !one.Load() {
		runtime.Gosched()
		both.Load()
	}
}
