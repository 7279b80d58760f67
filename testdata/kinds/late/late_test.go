package late

import (
	"sync"
	"testing"
	"time"
)

// A counter is locked in each access.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *counter) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

func (c *counter) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// The goroutine has 15 ms.
func TestSleep(t *testing.T) {
	var c counter
	go c.add()
	time.Sleep(15 * time.Millisecond)
	if got := c.get(); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}

// A tick of a ticker.
func TestTick(t *testing.T) {
	var c counter
	go c.add()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	<-tick.C
	if got := c.get(); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}

// The goroutine sleeps itself, for less.
func TestSleepers(t *testing.T) {
	var c counter
	go func() {
		time.Sleep(time.Millisecond)
		c.add()
	}()
	time.Sleep(20 * time.Millisecond)
	if got := c.get(); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}

// The test has waited before, while nobody was late.
func TestTwice(t *testing.T) {
	var c counter
	done := make(chan bool)
	go func() {
		time.Sleep(time.Millisecond)
		close(done)
	}()
	time.Sleep(2 * time.Millisecond)
	<-done
	go c.add()
	time.Sleep(3 * time.Millisecond)
	if got := c.get(); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}

// No goroutine waits for the timer.
func TestTimer(t *testing.T) {
	var c counter
	done := make(chan bool)
	go c.add()
	time.AfterFunc(5*time.Millisecond, func() {
		defer close(done)
		if got := c.get(); got != 1 {
			t.Errorf("got %d, want 1", got)
		}
	})
	<-done
}

// An update is lost, whoever sleeps.
func TestLost(t *testing.T) {
	var c counter
	var all sync.WaitGroup
	time.Sleep(time.Millisecond)
	for range 2 {
		all.Go(func() { c.set(c.get() + 1) })
	}
	time.Sleep(time.Millisecond)
	all.Wait()
	if got := c.get(); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}

// Beside that, another goroutine waits for ticks.
func TestBystander(t *testing.T) {
	var c counter
	var all sync.WaitGroup
	stop := make(chan bool)
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.get()
			case <-stop:
				return
			}
		}
	}()
	for range 2 {
		all.Go(func() { c.set(c.get() + 1) })
	}
	all.Wait()
	if got := c.get(); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
	close(stop)
}

// The goroutine may be fast.
func TestFast(t *testing.T) {
	var c counter
	done := make(chan bool)
	go func() {
		c.add()
		done <- true
	}()
	if got := c.get(); got != 0 {
		t.Errorf("got %d, want 0", got)
	}
	<-done
	time.Sleep(time.Millisecond)
}

// A race is one, however long the sleep.
func TestRace(t *testing.T) {
	n := 0
	go func() { n = 1 }()
	time.Sleep(15 * time.Millisecond)
	if n != 1 {
		t.Errorf("got %d, want 1", n)
	}
}
