package cycles

import (
	"context"
	"sync"
	"testing"
	"time"
)

// The sender's lock, a state behind an interface, two connections with a channel of one name.
type link interface {
	send()
	monitor()
}

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

func newConn() *conn {
	return &conn{reset: make(chan int), stop: make(chan struct{}), done: make(chan struct{})}
}

//want:deadlock deadlock of 0.3 0.4
func TestBugTwoConns(t *testing.T) {
	a, b := newConn(), newConn()
	for _, l := range []link{a, b} {
		go l.monitor()
		go l.send()
	}
	time.Sleep(time.Millisecond)
	close(a.stop)
	close(b.stop)
	<-a.done
	<-b.done
}

// A select sends under a read lock; the receiver writes.
type bus struct {
	mu     sync.RWMutex
	subs   []chan string
	closed bool
}

func (b *bus) publish(s string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, c := range b.subs {
		select {
		case c <- s:
		}
	}
}

func (b *bus) drop() { b.mu.Lock(); b.subs = nil; b.mu.Unlock() }

//want:deadlock deadlock of 0.1 0.2
func TestBugBus(t *testing.T) {
	b, c := &bus{}, make(chan string)
	b.subs = append(b.subs, c)
	quit, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-c:
			case <-quit:
				b.drop()
				return
			}
		}
	}()
	go func() { b.publish("x") }()
	go func() { quit <- true }()
	<-ended
}

// Two that send to each other.
//
//want:deadlock deadlock of 0.1 0.2
func TestBugBothSend(t *testing.T) {
	a, b := make(chan int), make(chan int)
	var wg sync.WaitGroup
	ready := make(chan bool, 2)
	wg.Go(func() {
		select {
		case <-ready:
			a <- 1
			<-b
		default:
			<-b
			a <- 1
		}
	})
	wg.Go(func() {
		ready <- true
		<-a
		b <- 1
	})
	wg.Wait()
}

// A group is waited for under a lock that a worker wants.
//
//want:deadlock deadlock of 0.1 0.2
func TestBugGroup(t *testing.T) {
	var mu sync.Mutex
	var jobs sync.WaitGroup
	ended := make(chan bool)
	n := 0
	jobs.Go(func() {
		mu.Lock()
		n++
		mu.Unlock()
	})
	go func() {
		defer close(ended)
		mu.Lock()
		jobs.Wait()
		mu.Unlock()
	}()
	<-ended
}

// A pool whose results are collected under the lock that a worker takes to report.
type pool struct {
	mu      sync.Mutex
	results chan int
	failed  bool
}

func (p *pool) work(n int, fail bool) {
	if fail {
		p.mu.Lock()
		p.failed = true
		p.mu.Unlock()
	}
	p.results <- n
}

func (p *pool) collect() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return <-p.results
}

//want:deadlock deadlock of 0.1 0.2
func TestBugPool(t *testing.T) {
	p := &pool{results: make(chan int)}
	done := make(chan int)
	go p.work(1, true)
	go func() { done <- p.collect() }()
	<-done
}

// A condition's signaller wants what the waiting goroutine holds beside.
//
//want:deadlock deadlock of 0.1
func TestBugCond(t *testing.T) {
	var outer, inner sync.Mutex
	c := sync.NewCond(&inner)
	ready := false
	var wg sync.WaitGroup
	wg.Go(func() {
		outer.Lock()
		defer outer.Unlock()
		inner.Lock()
		for !ready {
			c.Wait()
		}
		inner.Unlock()
	})
	wg.Go(func() {
		outer.Lock()
		defer outer.Unlock()
		inner.Lock()
		ready = true
		c.Signal()
		inner.Unlock()
	})
	wg.Wait()
}

// A context is cancelled by who waits for a lock of the one that waits for it.
//
//want:deadlock deadlock of 0.1
func TestBugContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	started := make(chan bool, 1)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		mu.Lock()
		defer mu.Unlock()
		started <- true
		<-ctx.Done()
	}()
	select {
	case <-started:
		mu.Lock()
		mu.Unlock()
	default:
	}
	cancel()
	<-ended
}

// A full buffer, and its consumer wants the lock; generic.
type queue[T any] struct {
	mu sync.Mutex
	c  chan T
	n  int
}

func (q *queue[T]) put(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.c <- v
	q.n++
}

func (q *queue[T]) get() T {
	v := <-q.c
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n--
	return v
}

//want:deadlock deadlock of 0.1 0.2
func TestBugQueue(t *testing.T) {
	q := &queue[int]{c: make(chan int, 1)}
	var wg sync.WaitGroup
	wg.Go(func() { q.put(1); q.put(2); q.put(3) })
	wg.Go(func() { q.get(); q.get(); q.get() })
	wg.Wait()
}

// Three in a circle: a lock, a channel and a group.
//
//want:deadlock deadlock of 0.1 0.2 0.3
func TestBugThree(t *testing.T) {
	var mu sync.Mutex
	var g sync.WaitGroup
	c := make(chan int)
	g.Add(1)
	ended := make(chan bool, 3)
	go func() { mu.Lock(); c <- 1; mu.Unlock(); ended <- true }()
	go func() { g.Wait(); <-c; ended <- true }()
	go func() { mu.Lock(); mu.Unlock(); g.Done(); ended <- true }()
	for range 3 {
		<-ended
	}
}

// Parallel subtests that wait for each other's channel under one lock.
//
//want:deadlock deadlock of 0.1 0.2
func TestBugSubtests(t *testing.T) {
	var mu sync.Mutex
	c := make(chan int)
	t.Run("send", func(t *testing.T) {
		t.Parallel()
		mu.Lock()
		defer mu.Unlock()
		c <- 1
	})
	t.Run("receive", func(t *testing.T) {
		t.Parallel()
		select {
		case <-c:
		case <-time.After(time.Millisecond):
			mu.Lock()
			mu.Unlock()
			<-c
		}
	})
}
