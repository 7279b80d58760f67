package reach

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Most of these are like those of reach_test.go, without the bug.

func TestRightMoreFlips(t *testing.T) {
	var a, b, c cell
	together(
		func() {
			a.set(1)
			if b.get() == 1 {
				c.set(1)
			}
		},
		func() {
			if c.get() == 1 && b.get() == 0 {
				t.Error("went on too early")
			}
			if a.get() == 1 {
				b.set(1)
			}
		})
}

func TestRightMessages(t *testing.T) {
	ch := make(chan int, 2)
	together(
		func() { ch <- 1 },
		func() { ch <- 2 },
		func() {
			if a, b := <-ch, <-ch; a+b != 3 {
				t.Error("lost")
			}
		})
}

func TestRightFallback(t *testing.T) {
	var owner, slow atomic.Int32
	take := func() {
		if !owner.CompareAndSwap(0, 1) {
			slow.Add(1)
		}
	}
	together(take, take, take)
	if slow.Load() != 2 {
		t.Error("lost one that took the slow way")
	}
}

func TestRightContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var done cell
	together(
		func() { done.set(1); cancel() },
		func() {
			if ctx.Err() != nil && done.get() == 0 {
				t.Error("canceled, and not done")
			}
		})
}

func TestRightDoubleChecked(t *testing.T) {
	var made atomic.Int32
	var mu sync.Mutex
	var value, own cell
	get := func() int {
		if made.Load() == 0 {
			mu.Lock()
			if made.Load() == 0 {
				value.set(value.get() + 1)
				made.Store(1)
			}
			mu.Unlock()
		}
		return value.get()
	}
	var first, second int
	together(
		func() {
			for k := range 4 { // it comes later, as a rule
				own.set(k)
			}
			second = get()
		},
		func() { first = get() })
	if first != second {
		t.Error("one has what was replaced")
	}
}

// A number on the top says how often it was there, so that none comes back.
func TestRightTreiber(t *testing.T) {
	var top atomic.Int32 // the node, and behind it how often the top has changed
	var next [3]atomic.Int32
	top.Store(20)
	next[2].Store(1)
	pop := func() {
		for {
			at := top.Load()
			if at/10 == 0 || top.CompareAndSwap(at, next[at/10].Load()*10+at%10+1) {
				return
			}
		}
	}
	together(pop, pop)
	if top.Load() != 2 {
		t.Error("one was there twice")
	}
}

func TestRightQueue(t *testing.T) {
	var tail atomic.Int32
	var items [3]atomic.Int32
	together(
		func() { items[1].Store(7); tail.Add(1) },
		func() {
			if tail.Load() > 0 && items[1].Load() == 0 {
				t.Error("took what is not there")
			}
		})
}

func TestRightBuffer(t *testing.T) {
	var mu sync.Mutex
	full := sync.NewCond(&mu)
	n := 0
	take := func() {
		mu.Lock()
		defer mu.Unlock()
		for n == 0 {
			full.Wait()
		}
		if n--; n < 0 {
			t.Error("took from an empty buffer")
		}
	}
	together(take, take, func() {
		for range 2 {
			mu.Lock()
			n++
			full.Broadcast()
			mu.Unlock()
		}
	})
}

func TestRightReorder(t *testing.T) {
	var a, b atomic.Int32
	together(
		func() { b.Store(-1); a.Store(1) },
		func() { a.CompareAndSwap(1, 2) },
		func() {
			if a.Load() > 0 && b.Load() == 0 {
				t.Error("one before minus one")
			}
		})
}

// While the writer waits for the first reader, the second waits for the writer.
func readers(second bool) {
	var mu sync.RWMutex
	n := 0
	together(
		func() {
			mu.RLock()
			if second {
				mu.RLock()
				_ = n
				mu.RUnlock()
			}
			mu.RUnlock()
		},
		func() { mu.Lock(); n++; mu.Unlock() })
}

//want:deadlock deadlock
func TestReaders(*testing.T)      { readers(true) }
func TestRightReaders(*testing.T) { readers(false) }

// Nobody waits for what looks at what the other one has left.
//
//want:failure panic
func TestTurn(t *testing.T) {
	var begun, closed cell
	go func() {
		begun.set(1)
		if closed.get() == 1 {
			panic("used what is closed")
		}
	}()
	if begun.get() == 1 {
		closed.set(1)
	}
}

func TestRightTurn(t *testing.T) {
	var begun, closed cell
	go func() {
		begun.set(1)
		if begun.get() == 0 && closed.get() == 1 {
			panic("used what is closed")
		}
	}()
	if begun.get() == 1 {
		closed.set(1)
	}
}

// When a time-out comes is for the clock to say, so that nobody knows whether that was all.
//
//want:failure test-failure
func TestOpenTimeout(t *testing.T) {
	work := make(chan int, 1)
	var state cell
	together(
		func() { state.set(1); work <- 1 },
		func() {
			select {
			case <-work:
			case <-time.After(50 * time.Millisecond):
				if state.get() == 1 {
					t.Error("gave up what was done")
				}
			}
		})
}

func TestOpenRightTimeout(t *testing.T) {
	work := make(chan int, 1)
	var state cell
	together(
		func() { work <- 1 },
		func() {
			select {
			case <-work:
				state.set(1)
			case <-time.After(50 * time.Millisecond):
				if state.get() == 1 {
					t.Error("gave up what was there")
				}
			}
		})
}
