// Package tickers has workers with a ticker that never come to their ends: the ticker ends no hang.
package tickers

import (
	"sync"
	"testing"
	"time"
)

type worker struct {
	mu   sync.Mutex
	done chan struct{}
	wg   sync.WaitGroup
	jobs chan int
	n    int
}

func (w *worker) closing() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done
}

func (w *worker) run() {
	defer w.wg.Done()
	t := time.NewTicker(time.Hour)
	defer t.Stop()
	for {
		select {
		case <-w.closing():
			return
		case j := <-w.jobs:
			w.mu.Lock()
			w.n += j
			w.mu.Unlock()
		case <-t.C:
		}
	}
}

func (w *worker) close() {
	w.mu.Lock()
	close(w.done)
	w.done = nil
	w.mu.Unlock()
	w.wg.Wait()
}

// The ticker is of an hour.
//
//want:deadlock deadlock
func TestClose(t *testing.T) {
	w := &worker{done: make(chan struct{}), jobs: make(chan int)}
	w.wg.Add(1)
	go w.run()
	w.jobs <- 1
	w.close()
}
