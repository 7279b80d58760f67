// Package chance has tests that fail by chance, or by the order of tests: no order of goroutines
// leads there, but none was proved not to.
package chance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

type store struct {
	mu sync.Mutex
	m  map[string]int
}

func (s *store) put(k string, v int) { s.mu.Lock(); s.m[k] = v; s.mu.Unlock() }
func (s *store) get(k string) int    { s.mu.Lock(); defer s.mu.Unlock(); return s.m[k] }
func (s *store) refreshLater()       { go func() { time.Sleep(time.Millisecond); s.put("a", 1) }() }

// Sleeps 20ms and expects that the goroutine is done.
//
//want:assertion test-failure
func TestAsyncWait(t *testing.T) {
	s := &store{m: map[string]int{}}
	s.refreshLater()
	time.Sleep(20 * time.Millisecond)
	if got := s.get("a"); got != 1 {
		t.Fatalf("a = %d, want 1", got)
	}
}

func join(m map[string]int) string {
	var out []string
	for k, v := range m {
		out = append(out, fmt.Sprint(k, v))
	}
	return strings.Join(out, ",")
}

// Passes half of the time.
//
//want:chance the order of a map
func TestMapOrder(t *testing.T) {
	if got := join(map[string]int{"a": 1, "b": 2}); got != "a1,b2" {
		t.Fatalf("got %s", got)
	}
}

func pick(n int) int { return rand.IntN(n) }

// Fails one of 50 times.
//
//want:chance random numbers
func TestRandom(t *testing.T) {
	if pick(50) == 7 {
		t.Fatal("unlucky")
	}
}

var global int

func TestSetsGlobal(t *testing.T) { global = 1 }

// Passes only after TestSetsGlobal.
//
//want:chance what earlier tests have left
func TestNeedsGlobal(t *testing.T) {
	if global != 1 {
		t.Fatal("global not set")
	}
}

// Two cases are ready.
//
//want:failure test-failure
func TestSelect(t *testing.T) {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	var got int
	select {
	case got = <-a:
	case got = <-b:
	}
	if got == 2 {
		t.Fatal("b came first")
	}
}

// The context is shorter than the work, under load.
//
//want:failure test-failure
func TestDeadline(t *testing.T) {
	done := make(chan struct{})
	go func() {
		x := 0
		for i := 0; i < 1000; i++ {
			x += i
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(50 * time.Millisecond):
		t.Fatal("too slow")
	}
}
