package reach

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The tests of this file tell objects apart that are alike, or come to be at one address:
// which of them an operation is on follows from what goroutines have found before.

// put returns what makes an object, and puts it where none is yet.
func put(slots *[2]atomic.Pointer[cell], n *atomic.Int32, v int) func() {
	return func() {
		c := new(cell)
		slots[n.Add(1)-1].Store(c)
		c.set(v)
	}
}

//want:failure test-failure
func TestAlike(t *testing.T) {
	var slots [2]atomic.Pointer[cell]
	var n atomic.Int32
	together(put(&slots, &n, 1), put(&slots, &n, 2), func() {
		if a, b := slots[0].Load(), slots[1].Load(); b != nil && a.get() == 2 && b.get() == 0 {
			t.Error("the second is first, and the other not filled")
		}
	})
}

func TestRightAlike(t *testing.T) {
	var slots [2]atomic.Pointer[cell]
	var n atomic.Int32
	together(put(&slots, &n, 1), put(&slots, &n, 2))
	if slots[0].Load().get()+slots[1].Load().get() != 3 {
		t.Error("mixed up")
	}
}

// A free list hands out items again.
type free struct {
	mu   sync.Mutex
	head *item
}

type item struct {
	next *item
	v    atomic.Int32
}

func (l *free) get() *item {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.head
	if i == nil {
		return new(item)
	}
	l.head = i.next
	return i
}

func (l *free) put(i *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i.next, l.head = l.head, i
}

//want:failure test-failure
func TestFree(t *testing.T) {
	var l free
	together(
		func() {
			i := l.get()
			i.v.Store(1)
			l.put(i)
			if i.v.Load() != 1 {
				t.Error("somebody else has it")
			}
		},
		func() { i := l.get(); i.v.Store(2); l.put(i) })
}

func TestRightFree(t *testing.T) {
	var l free
	together(
		func() {
			i := l.get()
			i.v.Store(1)
			if i.v.Load() != 1 {
				t.Error("somebody else has it")
			}
			l.put(i)
		},
		func() { i := l.get(); i.v.Store(2); l.put(i) })
}

//want:failure test-failure
func TestKeys(t *testing.T) {
	var mu sync.Mutex
	of := make(map[*cell]int)
	var last atomic.Pointer[cell]
	add := func() {
		c := new(cell)
		mu.Lock()
		of[c] = len(of)
		mu.Unlock()
		last.Store(c)
	}
	together(add, add)
	if of[last.Load()] == 0 {
		t.Error("the last was the first")
	}
}

func TestRightKeys(t *testing.T) {
	var mu sync.Mutex
	of := make(map[*cell]int)
	var last *cell
	add := func() {
		c := new(cell)
		mu.Lock()
		of[c], last = len(of), c
		mu.Unlock()
	}
	together(add, add)
	if of[last] == 0 {
		t.Error("the last was the first")
	}
}

// served returns what two clients get of a server, each through a channel of its own.
func served() (got *[2]atomic.Int32) {
	got = new([2]atomic.Int32)
	ask := make(chan chan int)
	client := func(k int) func() {
		return func() { c := make(chan int, 1); ask <- c; got[k].Store(int32(<-c)) }
	}
	together(client(0), client(1), func() {
		for n := range 2 {
			c := <-ask
			c <- n + 1
		}
	})
	return got
}

//want:failure test-failure
func TestChannels(t *testing.T) {
	if got := served(); got[1].Load() == 1 {
		t.Error("the second was served first")
	}
}

func TestRightChannels(t *testing.T) {
	if got := served(); got[0].Load()+got[1].Load() != 3 {
		t.Error("served twice")
	}
}

// started returns in which order goroutines have come that another one has started.
func started() (order *[3]atomic.Int32) {
	order = new([3]atomic.Int32)
	var n atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() {
		for k := range order {
			wg.Go(func() { order[k].Store(n.Add(1)) })
		}
	})
	wg.Wait()
	return order
}

//want:failure test-failure
func TestStarted(t *testing.T) {
	if order := started(); order[0].Load() == 1 && order[2].Load() == 2 {
		t.Error("first, third, second")
	}
}

func TestRightStarted(t *testing.T) {
	if order := started(); order[0].Load()+order[1].Load()+order[2].Load() != 6 {
		t.Error("two in one place")
	}
}

// No event tells of the length of a channel, so that nobody knows whether that was all.
//
//want:failure test-failure
func TestOpenLength(t *testing.T) {
	ch := make(chan int, 2)
	together(func() { ch <- 1 }, func() { ch <- 2 }, func() {
		if len(ch) == 1 {
			t.Error("one of two")
		}
	})
}

// What no event tells of may be otherwise in another run.
func TestOpenClock(t *testing.T) {
	start := time.Now()
	together(func() {}, func() {
		if time.Since(start) > time.Hour {
			t.Error("slow")
		}
	})
}

func TestOpenGoroutines(t *testing.T) {
	together(func() {}, func() {
		if runtime.NumGoroutine() > 1000 {
			t.Error("many")
		}
	})
}

func TestOpenResult(t *testing.T) {
	together(func() {}, func() {
		if t.Failed() {
			t.Log("failed")
		}
	})
}
