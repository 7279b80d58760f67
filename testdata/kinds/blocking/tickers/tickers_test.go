// Package tickers has workers that their timers wake, again and again, and that never come to their
// ends: a hang of who waits for them.
package tickers

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A flag that its owner forgets: who looks later than that never sees the end.
type flag struct {
	mu   sync.Mutex
	done chan struct{}
}

func newFlag() *flag { return &flag{done: make(chan struct{})} }
func (f *flag) end() {
	f.mu.Lock()
	close(f.done)
	f.done = nil
	f.mu.Unlock()
}
func (f *flag) get() <-chan struct{} { f.mu.Lock(); defer f.mu.Unlock(); return f.done }

//want:deadlock deadlock
func TestTick(t *testing.T) {
	f := newFlag()
	var wg sync.WaitGroup
	wg.Go(func() {
		for tick := time.Tick(10 * time.Millisecond); ; {
			select {
			case <-f.get():
				return
			case <-tick:
			}
		}
	})
	time.Sleep(15 * time.Millisecond)
	f.end()
	wg.Wait()
}

//want:deadlock deadlock
func TestTimerReset(t *testing.T) {
	f := newFlag()
	left := make(chan bool)
	go func() {
		defer close(left)
		timer := time.NewTimer(time.Minute)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
				timer.Reset(time.Minute)
			case <-f.get():
				return
			}
		}
	}()
	time.Sleep(time.Millisecond)
	f.end()
	<-left
}

//want:deadlock deadlock
func TestAfter(t *testing.T) {
	f := newFlag()
	left := make(chan bool)
	go func() {
		for {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-f.get():
				left <- true
				return
			}
		}
	}()
	time.Sleep(time.Millisecond)
	f.end()
	<-left
}

//want:deadlock deadlock
func TestContexts(t *testing.T) {
	f := newFlag()
	var wg sync.WaitGroup
	wg.Add(1)
	wait := func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		select {
		case <-f.get():
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer wg.Done()
		for !wait() {
		}
	}()
	time.Sleep(time.Millisecond)
	f.end()
	wg.Wait()
}

type loop[T any] struct {
	stop atomic.Pointer[chan T]
	wg   sync.WaitGroup
}

func (l *loop[T]) run(every time.Duration, each func()) {
	defer l.wg.Done()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		var stop chan T
		if p := l.stop.Load(); p != nil {
			stop = *p
		}
		select {
		case <-stop:
			return
		case <-tick.C:
			each()
		}
	}
}

//want:deadlock deadlock
func TestGeneric(t *testing.T) {
	l := &loop[int]{}
	stop := make(chan int)
	l.stop.Store(&stop)
	l.wg.Add(1)
	go l.run(25*time.Millisecond, func() {})
	time.Sleep(time.Millisecond)
	l.stop.Store(nil)
	close(stop)
	l.wg.Wait()
}

//want:deadlock deadlock
func TestTwoTickers(t *testing.T) {
	f := newFlag()
	var wg sync.WaitGroup
	for _, every := range []time.Duration{10 * time.Millisecond, 15 * time.Millisecond} {
		wg.Go(func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for {
				select {
				case <-f.get():
					return
				case <-tick.C:
				}
			}
		})
	}
	time.Sleep(time.Millisecond)
	f.end()
	wg.Wait()
}

//want:deadlock deadlock
func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	over, n := false, 0
	go func() { // only counts
		for range time.Tick(20 * time.Millisecond) {
			mu.Lock()
			n++
			mu.Unlock()
		}
	}()
	go func() {
		mu.Lock()
		over = true
		mu.Unlock()
		c.Signal()
	}()
	mu.Lock()
	ok := over
	mu.Unlock()
	if !ok {
		mu.Lock()
		c.Wait() // the signal may have come
		mu.Unlock()
	}
}

// Correct ones come to their end, after as many rounds as they like.
func TestRight(t *testing.T) {
	done := make(chan int)
	go func() {
		n := 0
		for ; n < 6000; n++ {
			time.Sleep(100 * time.Microsecond)
		}
		done <- n
	}()
	if n := <-done; n != 6000 {
		t.Error(n)
	}
}

func TestRightAnswer(t *testing.T) {
	f := newFlag()
	stop := f.done
	var wg sync.WaitGroup
	wg.Go(func() {
		for tick := time.Tick(10 * time.Millisecond); ; {
			select {
			case <-stop:
				return
			case <-tick:
			}
		}
	})
	time.Sleep(15 * time.Millisecond)
	f.end()
	wg.Wait()
}
