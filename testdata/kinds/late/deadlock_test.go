package late

import (
	"context"
	"sync"
	"testing"
	"time"
)

// The signal is lost on a goroutine that comes later than in 20 ms.
func TestSignal(t *testing.T) {
	var mu sync.Mutex
	signal := sync.NewCond(&mu)
	done := make(chan bool)
	go func() {
		mu.Lock()
		signal.Wait()
		mu.Unlock()
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	mu.Lock()
	signal.Signal()
	mu.Unlock()
	<-done
}

// The function of the timer takes the locks in another order than the test, which has them for
// no time.
func TestLocks(t *testing.T) {
	var a, b sync.Mutex
	done := make(chan bool)
	time.AfterFunc(30*time.Millisecond, func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		close(done)
	})
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
	<-done
}

// A clock stands still until the test moves it on.
type clock struct {
	mu     sync.Mutex
	now    int
	alarms map[int]chan bool
}

func (c *clock) after(n int) <-chan bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	alarm := make(chan bool, 1)
	c.alarms[c.now+n] = alarm
	return alarm
}

// add moves the clock on, once others have had a moment to wait for that.
func (c *clock) add(n int) {
	time.Sleep(time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += n
	for at, alarm := range c.alarms {
		if at <= c.now {
			alarm <- true
			delete(c.alarms, at)
		}
	}
}

// Who waits for the clock when it has been moved on waits for ever.
func TestClock(t *testing.T) {
	c := &clock{alarms: make(map[int]chan bool)}
	done := make(chan bool)
	go func() {
		<-c.after(3)
		close(done)
	}()
	c.add(5)
	<-done
}

// Whose locks have two orders waits for ever, and a timer is none of it.
func TestOrders(t *testing.T) {
	var a, b sync.Mutex
	var all sync.WaitGroup
	time.Sleep(time.Millisecond)
	all.Go(func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
	all.Go(func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	all.Wait()
}

// The answer has half a millisecond, which a goroutine can lose between two lines.
func TestAnswer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond/2)
	defer cancel()
	answer := make(chan int, 1)
	go func() { answer <- 1 }()
	select {
	case <-answer:
	case <-ctx.Done():
		t.Error("no answer")
	}
}

// Nobody keeps the locks for the second that the timer takes, but they have two orders.
func TestLocksForLong(t *testing.T) {
	var a, b sync.Mutex
	done := make(chan bool)
	time.AfterFunc(time.Second, func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		close(done)
	})
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
	<-done
}
