// Package circle has goroutines that wait for each other by a lock and a message, beside others that only
// wait for these.
package circle

import (
	"sync"
	"testing"
	"time"
)

// The circle is of send (holds mu, waits for monitor to receive) and monitor (waits for mu).
// The test only waits for monitor's end.
type conn struct {
	mu    sync.Mutex
	reset chan int
	stop  chan struct{}
	done  chan struct{}
}

func (c *conn) monitor() {
	defer close(c.done)
	for {
		select {
		case <-c.reset:
		case <-c.stop:
			c.mu.Lock()
			c.reset = nil
			c.mu.Unlock()
			return
		}
	}
}

func (c *conn) send() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reset != nil {
		c.reset <- 1
	}
}

//want:deadlock deadlock of 0.1 0.2
func TestStop(t *testing.T) {
	c := &conn{reset: make(chan int), stop: make(chan struct{}), done: make(chan struct{})}
	go c.monitor()
	go c.send()
	time.Sleep(time.Millisecond)
	close(c.stop)
	<-c.done
}
