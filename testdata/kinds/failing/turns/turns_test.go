// Package turns has a test that goes on until its time is over.
package turns

import (
	"sync"
	"testing"
	"time"
)

type worker struct {
	mu      sync.Mutex
	running bool
}

func (w *worker) set(running bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = running
}

func (w *worker) isRunning() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running
}

// The worker is stopped before it has begun. It looks again and again, which ends nothing: only
// the test could, and that waits for it.
//
//want:deadlock deadlock
func TestStop(t *testing.T) {
	w, done := new(worker), make(chan bool)
	go func() {
		for w.set(true); w.isRunning(); {
			time.Sleep(50 * time.Millisecond)
		}
		close(done)
	}()
	go w.set(false)
	<-done
}

//want:deadlock deadlock
func TestForever(t *testing.T) {
	w, done := new(worker), make(chan bool)
	go func() {
		for w.set(true); w.isRunning(); {
			time.Sleep(50 * time.Millisecond)
		}
		close(done)
	}()
	<-done
}
