// Package hangs has tests that get stuck whenever they are run, and one that leaves a
// goroutine behind.
package hangs

import (
	"sync"
	"testing"
)

//want:leak leak
func TestBugLeft(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
}

//want:deadlock deadlock
func TestBugTwice(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}

//want:deadlock deadlock
func TestBugCrossed(t *testing.T) {
	var a, b sync.Mutex
	locked := make(chan bool)
	go func() {
		b.Lock()
		locked <- true
		a.Lock()
	}()
	a.Lock()
	<-locked
	b.Lock()
}

//want:deadlock deadlock
func TestBugReceive(t *testing.T) {
	<-make(chan int)
}

//want:deadlock deadlock
func TestBugWait(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	wg.Wait()
}

//want:deadlock deadlock
func TestBugCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	c.Signal()
	mu.Lock()
	c.Wait()
}

//want:deadlock deadlock
func TestBugOnce(t *testing.T) {
	var once sync.Once
	once.Do(func() { once.Do(func() {}) })
}

// A subtest waits for one that goes on when it is over.
//
//want:deadlock deadlock
func TestBugParallel(t *testing.T) {
	c := make(chan int)
	t.Run("later", func(t *testing.T) {
		t.Parallel()
		close(c)
	})
	t.Run("first", func(t *testing.T) { <-c })
}

func TestFixedParallel(t *testing.T) {
	c := make(chan int)
	t.Run("later", func(t *testing.T) {
		t.Parallel()
		close(c)
	})
	t.Run("first", func(t *testing.T) {
		t.Parallel()
		<-c
	})
}
