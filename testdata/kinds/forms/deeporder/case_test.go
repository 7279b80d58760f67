// Package deeporder has bugs that two orders lead to together: the second is only there after the first.
package deeporder

import (
	"sync"
	"testing"
	"time"
)

type machine struct {
	mu    sync.Mutex
	state int
	log   []string
}

func (m *machine) step(from, to int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state != from {
		return false
	}
	m.state = to
	return true
}

// Only start, stop, start, resume gets to 9: two orders must differ from the recorded ones, the
// second within what only the first makes happen.
//
//want:failure panic
func TestMachine(t *testing.T) {
	m := &machine{}
	var wg sync.WaitGroup
	wg.Go(func() { m.step(0, 1) })
	wg.Go(func() {
		time.Sleep(2 * time.Millisecond)
		if m.step(0, 5) {
			if m.step(1, 9) {
				m.mu.Lock()
				m.log = m.log[:1] // out of range
				m.mu.Unlock()
			}
		}
	})
	wg.Go(func() { time.Sleep(4 * time.Millisecond); m.step(5, 1) })
	wg.Wait()
}

// Fails only if the answers come in the order 3, 1, 2.
//
//want:failure test-failure
func TestAnswers(t *testing.T) {
	answers := make(chan int, 3)
	for i := 1; i <= 3; i++ {
		go func() { time.Sleep(time.Duration(i) * time.Millisecond); answers <- i }()
	}
	var got []int
	for range 3 {
		got = append(got, <-answers)
	}
	if got[0] == 3 && got[1] == 1 {
		t.Fatalf("order %v", got)
	}
}
