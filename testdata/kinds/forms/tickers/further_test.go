package tickers

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A poll with a default case and a sleep, of a flag that the worker sets itself when it begins.
//
//want:deadlock deadlock
func TestPolls(t *testing.T) {
	var running atomic.Bool
	jobs := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() {
		for running.Store(true); running.Load(); {
			select {
			case <-jobs:
			default:
				time.Sleep(5 * time.Millisecond)
			}
		}
	})
	time.Sleep(8 * time.Millisecond)
	running.Store(false)
	wg.Wait()
}

// A clock is a ticker behind an interface.
type clock interface {
	ticks(every time.Duration) (<-chan time.Time, func())
}

type realClock struct{}

func (realClock) ticks(every time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(every)
	return t.C, t.Stop
}

// A ticker behind an interface, in a goroutine per subtest.
//
//want:deadlock deadlock
func TestClocks(t *testing.T) {
	var c clock = realClock{}
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			w := &worker{done: make(chan struct{})}
			w.wg.Go(func() {
				ticks, stop := c.ticks(10 * time.Millisecond)
				defer stop()
				for {
					select {
					case <-ticks:
					case <-w.closing():
						return
					}
				}
			})
			time.Sleep(time.Millisecond)
			w.close()
		})
	}
}

// A timer's function sets the timer again until a flag is set, which another function takes back.
//
//want:deadlock deadlock
func TestSetsItselfAgain(t *testing.T) {
	var stopped atomic.Bool
	ended := make(chan struct{})
	var beat func()
	beat = func() {
		if stopped.Load() {
			close(ended)
			return
		}
		time.AfterFunc(10*time.Millisecond, beat)
	}
	time.AfterFunc(10*time.Millisecond, beat)
	start := func() { stopped.Store(false) }
	stop := func() { stopped.Store(true) }
	go start()
	time.Sleep(time.Millisecond)
	stop()
	<-ended
}

// A keeper renews what it keeps by a context's deadline, over and over.
type keeper[K comparable] struct {
	mu     sync.Mutex
	cancel map[K]context.CancelFunc
	kept   sync.WaitGroup
}

func (k *keeper[K]) keep(ctx context.Context, key K) {
	ctx, cancel := context.WithCancel(ctx)
	k.mu.Lock()
	k.cancel[key] = cancel
	k.mu.Unlock()
	for ctx.Err() == nil {
		step, end := context.WithTimeout(ctx, 15*time.Millisecond)
		<-step.Done()
		end()
	}
}

func (k *keeper[K]) drop(key K) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if cancel := k.cancel[key]; cancel != nil {
		cancel()
	}
}

// What is dropped before it is kept is kept for ever.
//
//want:deadlock deadlock
func TestKeeper(t *testing.T) {
	k := &keeper[string]{cancel: make(map[string]context.CancelFunc)}
	k.kept.Go(func() { k.keep(t.Context(), "a") })
	time.Sleep(20 * time.Millisecond)
	k.drop("a")
	k.kept.Wait()
}

// The end is kept: whoever looks later sees it, too.
func TestKept(t *testing.T) {
	w := &worker{done: make(chan struct{})}
	w.wg.Go(func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-w.closing():
				return
			case <-ticker.C:
			}
		}
	})
	time.Sleep(time.Millisecond)
	close(w.done)
	w.wg.Wait()
}
