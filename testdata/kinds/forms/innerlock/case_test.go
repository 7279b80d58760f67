// Package innerlock has inner locks that are given up within an outer one, on purpose.
package innerlock

import (
	"sync"
	"testing"
)

// Correct: progress has a lock of its own, which run gives up between steps on purpose.
type job struct {
	run      sync.Mutex
	mu       sync.RWMutex
	done, of int
}

func (j *job) do(n int) {
	j.run.Lock()
	defer j.run.Unlock()
	j.mu.Lock()
	j.done, j.of = 0, n
	j.mu.Unlock()
	for range n {
		j.mu.Lock()
		j.done++
		j.mu.Unlock()
	}
}

func (j *job) progress() (done, of int) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.done, j.of
}

func TestProgress(t *testing.T) {
	j := &job{}
	var wg sync.WaitGroup
	wg.Go(func() { j.do(3) })
	wg.Go(func() { j.do(2) })
	wg.Go(func() {
		if done, of := j.progress(); done > of {
			t.Error(done, of)
		}
	})
	wg.Wait()
}

// Two in a row, and a look that takes both.
func TestTotals(t *testing.T) {
	var run, mu sync.Mutex
	sent, lost := 0, 0
	send := func(n int) {
		run.Lock()
		defer run.Unlock()
		mu.Lock()
		sent += n
		mu.Unlock()
		mu.Lock()
		lost++
		mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(func() { send(1) })
	wg.Go(func() { send(2) })
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if lost > sent {
			t.Error(sent, lost)
		}
	})
	wg.Wait()
}
