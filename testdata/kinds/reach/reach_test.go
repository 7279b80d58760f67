package reach

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// A cell is a variable under a lock, so that there is no race.
type cell struct {
	mu sync.Mutex
	v  int
}

func (c *cell) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v
}

func (c *cell) set(v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v = v
}

// together runs functions in goroutines and waits for them.
func together(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}

//want:failure test-failure
func TestFlip(t *testing.T) {
	var ready, value cell
	together(
		func() { ready.set(1); value.set(1) },
		func() {
			if ready.get() == 1 && value.get() == 0 {
				t.Error("ready without a value")
			}
		})
}

//want:failure test-failure
func TestTwoFlips(t *testing.T) {
	var a, b, c cell
	together(
		func() {
			a.set(1)
			if b.get() == 1 {
				c.set(1)
			}
		},
		func() {
			if a.get() == 1 {
				b.set(1)
				if c.get() == 1 {
					t.Error("both went on")
				}
			}
		})
}

//want:failure test-failure
func TestThreeFlips(t *testing.T) {
	var a, b cell
	together(
		func() {
			a.set(1)
			if b.get() == 1 {
				a.set(2)
				if b.get() == 2 {
					t.Error("both went on")
				}
			}
		},
		func() {
			if a.get() == 1 {
				b.set(1)
				if a.get() == 2 {
					b.set(2)
				}
			}
		})
}

func TestRightFlips(t *testing.T) {
	var ready, value cell
	together(
		func() { value.set(1); ready.set(1) },
		func() {
			if ready.get() == 1 && value.get() == 0 {
				t.Error("ready without a value")
			}
		})
}

//want:failure test-failure
func TestSelect(t *testing.T) {
	work, stop := make(chan int, 1), make(chan int, 1)
	var state cell
	together(
		func() { work <- 1; stop <- 1; state.set(1) },
		func() {
			select {
			case <-work:
			case <-stop:
				if state.get() == 0 {
					t.Error("stopped too early")
				}
			}
		})
}

func TestRightSelect(t *testing.T) {
	work, stop := make(chan int, 1), make(chan int)
	var state cell
	together(
		func() { work <- 1; state.set(1); close(stop) },
		func() {
			select {
			case <-work:
			case <-stop:
				if state.get() == 0 {
					t.Error("stopped too early")
				}
			}
		})
}

//want:failure test-failure
func TestMessages(t *testing.T) {
	ch := make(chan int, 3)
	together(
		func() { ch <- 1 },
		func() { ch <- 2 },
		func() { ch <- 3 },
		func() {
			if a, b, c := <-ch, <-ch, <-ch; a == 3 && b == 1 && c == 2 {
				t.Error("in this order")
			}
		})
}

//want:failure test-failure
func TestRetry(t *testing.T) {
	var n atomic.Int32
	add := func() {
		for tries := 0; ; tries++ {
			old := n.Load()
			if n.CompareAndSwap(old, old+1) {
				if tries == 2 {
					t.Error("twice in vain")
				}
				return
			}
		}
	}
	together(add, add, add)
}

func TestRightRetry(t *testing.T) {
	var n atomic.Int32
	add := func() {
		for !n.CompareAndSwap(0, 1) && !n.CompareAndSwap(1, 2) {
		}
	}
	together(add, add)
	if n.Load() != 2 {
		t.Error("lost")
	}
}

//want:failure test-failure
func TestFallback(t *testing.T) {
	var owner atomic.Int32
	var slow cell
	take := func() {
		if !owner.CompareAndSwap(0, 1) {
			slow.set(slow.get() + 1) // not one step
		}
	}
	together(take, take, take)
	if slow.get() != 2 {
		t.Error("lost one that took the slow way")
	}
}

//want:failure test-failure
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var done cell
	together(
		func() { cancel(); done.set(1) },
		func() {
			if ctx.Err() == nil && done.get() == 1 {
				t.Error("done, and not canceled a moment before")
			}
		})
}

//want:failure test-failure
func TestDoubleChecked(t *testing.T) {
	var made atomic.Int32
	var mu sync.Mutex
	var value, own cell
	get := func() int {
		if made.Load() == 0 {
			mu.Lock()
			value.set(value.get() + 1) // without the second check
			made.Store(1)
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

// A stack of numbered nodes, which are used again: a number on the top may have gone and
// come back with another one below it.
type stack struct {
	top  atomic.Int32
	next [4]atomic.Int32
}

func (s *stack) push(n int32) {
	for {
		top := s.top.Load()
		s.next[n].Store(top)
		if s.top.CompareAndSwap(top, n) {
			return
		}
	}
}

func (s *stack) pop() int32 {
	for {
		top := s.top.Load()
		if top == 0 {
			return 0
		}
		if next := s.next[top].Load(); s.top.CompareAndSwap(top, next) {
			return top
		}
	}
}

//want:failure test-failure
func TestTreiber(t *testing.T) {
	var s stack
	s.push(1)
	s.push(2)
	var first, second int32
	together(
		func() { first = s.pop() },
		func() {
			a := s.pop()
			second = s.pop()
			if a != 0 {
				s.push(a)
			}
		})
	if last := s.pop(); last != 0 && (last == first || last == second) {
		t.Errorf("%d was there twice", last)
	}
}

// A queue whose tail moves before the element is there.
//
//want:failure test-failure
func TestQueue(t *testing.T) {
	var tail, head atomic.Int32
	var items [4]atomic.Int32
	put := func(v int32) { items[tail.Add(1)].Store(v) }
	together(
		func() { put(7) },
		func() { put(8) },
		func() {
			if tail.Load() > head.Load() && items[head.Add(1)].Load() == 0 {
				t.Error("took what is not there")
			}
		})
}

//want:failure test-failure
func TestBuffer(t *testing.T) {
	var mu sync.Mutex
	full := sync.NewCond(&mu)
	n := 0
	take := func() {
		mu.Lock()
		defer mu.Unlock()
		if n == 0 { // should be for
			full.Wait()
		}
		if n--; n < 0 {
			t.Error("took from an empty buffer")
			n = 0
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

//want:failure test-failure
func TestReorder(t *testing.T) {
	var a, b atomic.Int32
	together(
		func() { a.Store(1); b.Store(-1) },
		func() { a.Add(1) },
		func() {
			if a.Load() == 2 && b.Load() == 0 {
				t.Error("two before minus one")
			}
		})
}
