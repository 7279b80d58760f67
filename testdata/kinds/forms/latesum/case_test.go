// Package latesum has tests that wait for a second to see a hang, which nobody is late by.
package latesum

import (
	"sync"
	"testing"
	"time"
)

type worker struct {
	mu   sync.Mutex
	n    int
	tick chan time.Time
	stop chan struct{}
	done chan int
}

func (w *worker) run() {
	for {
		select {
		case <-w.tick:
			w.flush()
		case <-w.stop:
			return
		}
	}
}

func (w *worker) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n == 0 {
		return
	}
	w.done <- w.n
	w.n = 0
}

func (w *worker) add() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
}

// The worker is right; only who is late by a second makes this fail.
func TestWithSleep(t *testing.T) {
	w := &worker{tick: make(chan time.Time), done: make(chan int, 1), stop: make(chan struct{})}
	go w.run()
	time.Sleep(time.Millisecond)
	w.add()
	w.add()
	w.tick <- time.Now()
	select {
	case n := <-w.done:
		if n != 2 {
			t.Errorf("%d", n)
		}
	case <-time.After(time.Second):
		t.Error("nothing done")
	}
	close(w.stop)
}
