package cthread

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestSelect(t *testing.T) {
	Start(300_000)
	select {
	case v := <-ch:
		if v != 7 {
			t.Error(v)
		}
	case <-time.After(20 * time.Second):
		t.Error("late")
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	Start(200_000)
	go func() { <-ch; cancel() }()
	<-ctx.Done()
}

func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ok := false
	Start(200_000)
	go func() { <-ch; mu.Lock(); ok = true; mu.Unlock(); c.Broadcast() }()
	mu.Lock()
	for !ok {
		c.Wait()
	}
	mu.Unlock()
}

func TestGroup(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		Start(150_000)
		wg.Go(func() { <-ch })
	}
	wg.Wait()
}

func TestTicks(t *testing.T) {
	StartSetter(200_000)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 0; !Flag(); n++ {
		if n > 2000 {
			t.Fatal("the clock runs ahead")
		}
		<-tick.C
	}
}

func TestDeadline(t *testing.T) {
	StartSetter(300_000)
	for begun := time.Now(); !Flag(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatal("the clock runs ahead")
		}
	}
}

func TestMutex(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	Start(200_000)
	go func() { <-ch; mu.Unlock() }()
	mu.Lock()
}

// C has run, and has no threads any more: a deadlock is one.
//
//want:deadlock deadlock
func TestDeadlock(t *testing.T) {
	Flag()
	var a, b sync.Mutex
	done := make(chan bool, 2)
	go func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock(); done <- true }()
	time.Sleep(time.Millisecond)
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
	<-done
}
