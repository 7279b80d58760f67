package deeporder

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A door is opened, shut and opened again by three goroutines; only one order lets somebody in.
type door struct {
	state atomic.Int32
}

// Compare-and-swaps instead of a lock.
//
//want:failure test-failure
func TestSwaps(t *testing.T) {
	var d door
	var wg sync.WaitGroup
	wg.Go(func() { d.state.CompareAndSwap(0, 1) })
	wg.Go(func() {
		time.Sleep(2 * time.Millisecond)
		if d.state.CompareAndSwap(0, 5) && d.state.CompareAndSwap(1, 9) {
			t.Error("got in")
		}
	})
	wg.Go(func() { time.Sleep(4 * time.Millisecond); d.state.CompareAndSwap(5, 1) })
	wg.Wait()
}

// An account is closed between two withdrawals of one customer.
type account struct {
	mu      sync.Mutex
	balance int
	frozen  bool
}

func (a *account) withdraw(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.frozen || a.balance < n {
		return false
	}
	a.balance -= n
	return true
}

func (a *account) with(f func(*account)) { a.mu.Lock(); defer a.mu.Unlock(); f(a) }

// The money has to be there before it is frozen, and the second freeze comes in between.
//
//want:failure test-failure
func TestAccount(t *testing.T) {
	a := &account{}
	var wg sync.WaitGroup
	wg.Go(func() {
		if a.withdraw(10) && !a.withdraw(10) {
			t.Error("half of it")
		}
	})
	wg.Go(func() { time.Sleep(time.Millisecond); a.with(func(a *account) { a.balance = 20 }) })
	wg.Go(func() { time.Sleep(2 * time.Millisecond); a.with(func(a *account) { a.frozen = true }) })
	wg.Wait()
}

// An event is what a queue of requests and answers brings.
type event struct {
	from string
	n    int
}

// Behind a channel of events: the answer of the second comes before that of the first, twice.
//
//want:failure test-failure
func TestEvents(t *testing.T) {
	events := make(chan event, 4)
	for i, name := range []string{"a", "b"} {
		go func() {
			for n := range 2 {
				time.Sleep(time.Duration(i+1) * time.Millisecond)
				events <- event{name, n}
			}
		}()
	}
	var got [4]event
	for i := range got {
		got[i] = <-events
	}
	if got[0].from == "b" && got[1].from == "a" && got[2].from == "b" {
		t.Error(got)
	}
}

// A shape is behind an interface, and another goroutine exchanges it.
type shape interface{ area() int }

type square int

func (s square) area() int { return int(s * s) }

type nothing struct{}

func (nothing) area() int { panic("no area") }

type canvas struct {
	mu  sync.RWMutex
	all []shape
}

func (c *canvas) add(s shape) { c.mu.Lock(); defer c.mu.Unlock(); c.all = append(c.all, s) }
func (c *canvas) len() int    { c.mu.RLock(); defer c.mu.RUnlock(); return len(c.all) }
func (c *canvas) last() shape { c.mu.RLock(); defer c.mu.RUnlock(); return c.all[len(c.all)-1] }

// Two are there, and the last of them is none.
//
//want:failure panic
func TestShapes(t *testing.T) {
	c := &canvas{}
	var wg sync.WaitGroup
	wg.Go(func() {
		if c.len() == 1 {
			if s := c.last(); c.len() == 2 {
				_ = s
				c.last().area()
			}
		}
	})
	wg.Go(func() { time.Sleep(time.Millisecond); c.add(square(1)) })
	wg.Go(func() { time.Sleep(2 * time.Millisecond); c.add(nothing{}) })
	wg.Wait()
}

// Subtests that run in parallel, over one map.
//
//want:failure test-failure
func TestParallel(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	mark := func(k string) int { mu.Lock(); defer mu.Unlock(); seen[k]++; return len(seen) }
	t.Run("group", func(t *testing.T) {
		t.Run("a", func(t *testing.T) { t.Parallel(); mark("a") })
		t.Run("b", func(t *testing.T) {
			t.Parallel()
			if mark("b") == 1 && mark("bb") == 3 && mark("bbb") == 5 {
				t.Error("both in between")
			}
		})
		t.Run("c", func(t *testing.T) { t.Parallel(); mark("c") })
	})
}

// A generic cell with a version.
type cell[T any] struct {
	mu      sync.Mutex
	v       T
	version int
}

func (c *cell[T]) load() (T, int) { c.mu.Lock(); defer c.mu.Unlock(); return c.v, c.version }

func (c *cell[T]) store(v T, version int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		return false
	}
	c.v, c.version = v, version+1
	return true
}

// Two attempts in vain.
//
//want:failure test-failure
func TestVersions(t *testing.T) {
	c := &cell[string]{}
	var wg sync.WaitGroup
	set := func(v string, most int) {
		for try := 0; ; try++ {
			if try == most {
				t.Error("gave up")
				return
			}
			if _, version := c.load(); c.store(v, version) {
				return
			}
		}
	}
	wg.Go(func() { set("a", 3) })
	wg.Go(func() { set("b", 2) })
	wg.Go(func() { set("c", 3) })
	wg.Wait()
}

// A select whose second choice is only there once the first was taken elsewhere.
//
//want:failure test-failure
func TestSelects(t *testing.T) {
	tokens, late := make(chan int, 1), make(chan int, 1)
	tokens <- 1
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-tokens:
		default:
			select {
			case <-late:
				t.Error("late")
			default:
			}
		}
	})
	wg.Go(func() {
		time.Sleep(time.Millisecond)
		select {
		case <-tokens:
			late <- 1
		default:
		}
	})
	wg.Wait()
}

// A condition: who is woken first finds what the other has left.
//
//want:failure test-failure
func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	var turns []string
	open := 0
	var wg sync.WaitGroup
	for i, name := range []string{"a", "b", "c"} {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			for open == 0 {
				c.Wait()
			}
			turns = append(turns, name)
		})
	}
	time.Sleep(10 * time.Millisecond)
	mu.Lock()
	open = 1
	mu.Unlock()
	c.Broadcast()
	wg.Wait()
	if turns[0] == "b" && turns[1] == "a" {
		t.Error(turns)
	}
}

// A pipeline of two stages, whose second one looks at the first.
//
//want:assertion test-failure
func TestStages(t *testing.T) {
	var first, second atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() { first.Store(1); second.Store(1) })
	wg.Go(func() {
		time.Sleep(time.Millisecond)
		if second.Load() == 0 && first.Load() == 1 && second.Load() == 1 {
			t.Error("in between")
		}
	})
	wg.Wait()
}

// A queue without a lock around both of its steps, used by three.
type queue struct {
	mu   sync.Mutex
	jobs []int
}

func (q *queue) len() int { q.mu.Lock(); defer q.mu.Unlock(); return len(q.jobs) }
func (q *queue) pop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	return j
}

// The last job is taken between the look and the step, after a first one was taken.
//
//want:failure panic
func TestQueue(t *testing.T) {
	q := &queue{jobs: []int{1, 2}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			for q.len() > 0 {
				q.pop()
			}
		})
	}
	wg.Wait()
}

// Right: no order leads there.
func TestRight(t *testing.T) {
	m := &machine{}
	var wg sync.WaitGroup
	wg.Go(func() { m.step(0, 1) })
	wg.Go(func() {
		if m.step(0, 5) && m.step(1, 9) {
			t.Error("got to 9")
		}
	})
	wg.Go(func() { m.step(6, 1) })
	wg.Wait()
}
