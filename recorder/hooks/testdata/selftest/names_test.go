package selftest

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"
)

// The first read from crypto/rand starts a timer.
func TestNumbersFirst(t *testing.T) { numbered(t) }

func TestNumbersAgain(t *testing.T) { numbered(t) }

func numbered(t *testing.T) {
	if _, err := rand.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go close(done)
	<-done
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	t.Run("sub", func(t *testing.T) { <-ctx.Done() })
	<-time.After(time.Millisecond) // the timer's goroutine has ended
}

// Two goroutines that say in which order they and their parent run.
func TestOrder(t *testing.T) {
	said := make(chan string, 3)
	for _, name := range []string{"old", "young"} {
		go func() { said <- name }()
	}
	said <- "parent"
	t.Log("order:", <-said, <-said, <-said)
}

// A goroutine that its parent has seen running waits for nothing, and is done before those
// that the parent starts after it, one after the other.
func TestInterrupted(t *testing.T) {
	var mu sync.Mutex
	rounds := 0
	start := func(f func()) {
		var running sync.WaitGroup
		running.Add(1)
		go func() { running.Done(); f() }()
		running.Wait()
	}
	start(func() {
		for range 3 {
			mu.Lock()
			rounds++
			mu.Unlock()
		}
	})
	for range 8 {
		start(func() {})
	}
	mu.Lock()
	t.Log("rounds:", rounds)
	mu.Unlock()
}

func TestOrderByChance(t *testing.T) {
	var n [4]int
	done := make(chan bool)
	for i := range n {
		go func() {
			for range 8 {
				n[i]++
				said := make(chan bool, 1)
				said <- true
			}
			done <- true
		}()
	}
	for range n {
		<-done
	}
}

// A goroutine would be done before a timer is due, if it were let.
func TestBriefTimer(t *testing.T) {
	first := func(d time.Duration) string {
		start := time.Now()
		done := make(chan bool)
		second := time.NewTimer(time.Second)
		go close(done)
		select {
		case <-time.After(d):
			if time.Since(start) < d {
				t.Error("fired after", time.Since(start), "expected", d)
			}
			return "timer"
		case <-done:
			return "done"
		case <-second.C:
			return "second"
		}
	}
	t.Log("long:", first(time.Millisecond), first(time.Second), first(time.Hour))
	t.Log("brief:", first(time.Nanosecond), first(time.Microsecond), first(time.Millisecond-1), first(100*time.Microsecond), first(time.Microsecond))
	fired := make(chan bool)
	go func() {
		time.AfterFunc(time.Microsecond, func() { close(fired) })
		select {
		case <-fired:
		case <-time.After(time.Minute):
			t.Error("a minute has passed")
		}
	}()
	<-fired
}
