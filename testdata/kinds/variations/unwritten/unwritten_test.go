// Package unwritten has tests that fail when a value is read before its first
// write, though each access is guarded.
package unwritten

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Two locks, two variables that are zero at first, and a branch on the first.
func TestTwoLocks(t *testing.T) {
	var mu1, mu2 sync.Mutex
	x, y := 0, 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		mu1.Lock()
		x = 1
		mu1.Unlock()
		mu2.Lock()
		y = 1
		mu2.Unlock()
	}()
	mu1.Lock()
	v := x
	mu1.Unlock()
	if v > 0 {
		mu2.Lock()
		w := y
		mu2.Unlock()
		if w != 1 {
			t.Errorf("x is %d, y is %d", v, w)
		}
	}
	<-done
}

type pair struct {
	mu       sync.Mutex
	lo, hi   int
	revision int
}

func (p *pair) setLo(v int) { p.mu.Lock(); p.lo = v; p.mu.Unlock() }
func (p *pair) setHi(v int) { p.mu.Lock(); p.hi = v; p.mu.Unlock() }
func (p *pair) get() (lo, hi int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lo, p.hi
}

// The fields of a composite literal, set one after another under one lock.
func TestCompositeLiteral(t *testing.T) {
	p := &pair{lo: 1, hi: 2}
	var wg sync.WaitGroup
	wg.Go(func() {
		p.setLo(5)
		p.setHi(6)
	})
	wg.Go(func() {
		if lo, hi := p.get(); lo > hi {
			t.Errorf("lo %d is above hi %d", lo, hi)
		}
	})
	wg.Wait()
}

// The zero value of a struct, whose second field is set later.
func TestZeroStruct(t *testing.T) {
	var p pair
	done := make(chan struct{})
	go func() {
		p.setLo(-1)
		p.setHi(1)
		close(done)
	}()
	lo, hi := p.get()
	if lo != 0 && hi == 0 {
		t.Error("half of the pair is set")
	}
	<-done
}

// A nil pointer is published by a flag that comes too early.
func TestNilPointer(t *testing.T) {
	var mu sync.Mutex
	var conf *pair
	started := false
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		mu.Lock()
		started = true
		mu.Unlock()
		mu.Lock()
		conf = &pair{revision: 1}
		mu.Unlock()
	}()
	go func() {
		defer wg.Done()
		mu.Lock()
		on, c := started, conf
		mu.Unlock()
		if on && c == nil {
			t.Error("started without a configuration")
		}
	}()
	wg.Wait()
}

// Booleans of sync/atomic, false at first, are set in the wrong order.
func TestAtomicBools(t *testing.T) {
	var ready, loaded atomic.Bool
	done := make(chan struct{})
	go func() {
		ready.Store(true)
		loaded.Store(true)
		close(done)
	}()
	if ready.Load() {
		if !loaded.Load() {
			t.Error("ready, and not loaded")
		}
	}
	<-done
}

// An element of an array that nobody has written yet.
func TestArrayElement(t *testing.T) {
	var mu sync.RWMutex
	var slots [2]int
	n := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		n++
		mu.Unlock()
		mu.Lock()
		slots[0] = 7
		mu.Unlock()
	})
	wg.Go(func() {
		mu.RLock()
		filled, first := n, slots[0]
		mu.RUnlock()
		if filled == 1 && first != 7 {
			t.Errorf("slot 0 holds %d", first)
		}
	})
	wg.Wait()
}

// A slice element made by make.
func TestMadeSlice(t *testing.T) {
	var mu sync.Mutex
	done := make([]bool, 2)
	finish := func(i int) {
		mu.Lock()
		defer mu.Unlock()
		done[i] = true
	}
	var wg sync.WaitGroup
	wg.Go(func() { finish(0); finish(1) })
	mu.Lock()
	first, second := done[0], done[1]
	mu.Unlock()
	if first && !second {
		t.Error("only the first is done")
	}
	wg.Wait()
}

type stack[T any] struct {
	mu    sync.Mutex
	items []T
	count int
}

func (s *stack[T]) push(v T) {
	s.mu.Lock()
	s.count++
	s.mu.Unlock()
	s.mu.Lock()
	s.items = append(s.items, v)
	s.mu.Unlock()
}

func (s *stack[T]) lens() (int, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count, len(s.items)
}

// A generic stack counts before it appends to a nil slice.
func TestNilSlice(t *testing.T) {
	var s stack[string]
	done := make(chan struct{})
	go func() { s.push("a"); close(done) }()
	if count, n := s.lens(); count > n {
		t.Errorf("count %d, %d items", count, n)
	}
	<-done
}

// A string that is empty until it is set.
func TestEmptyString(t *testing.T) {
	var mu sync.Mutex
	var name string
	var id int
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		mu.Lock()
		id = 4
		mu.Unlock()
		mu.Lock()
		name = "four"
		mu.Unlock()
	}()
	mu.Lock()
	i, s := id, name
	mu.Unlock()
	if i == 4 {
		if s == "" {
			t.Error("4 has no name")
		}
	}
	wg.Wait()
}

// A package's variables are zero at first.
var global struct {
	sync.Mutex
	opened, closed int
}

// Package state that no test has written yet.
func TestGlobal(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		global.Lock()
		global.opened = 1
		global.Unlock()
		global.Lock()
		global.closed = 1
		global.Unlock()
	}()
	global.Lock()
	open := global.opened - global.closed
	global.Unlock()
	if open != 0 {
		t.Errorf("%d left open", open)
	}
	<-done
	global.opened, global.closed = 0, 0
}

// A value behind two branches, in parallel subtests.
func TestSubtests(t *testing.T) {
	var mu sync.Mutex
	var a, b, c int
	set := func(p *int) {
		mu.Lock()
		*p = 1
		mu.Unlock()
	}
	get := func(p *int) int {
		mu.Lock()
		defer mu.Unlock()
		return *p
	}
	t.Run("writer", func(t *testing.T) {
		t.Parallel()
		set(&a)
		set(&b)
		set(&c)
	})
	t.Run("reader", func(t *testing.T) {
		t.Parallel()
		if get(&a) == 1 {
			if get(&b) == 1 {
				if get(&c) != 1 {
					t.Error("a and b, and not c")
				}
			}
		}
	})
}

// A counter goes up and down again, and is seen in between.
func TestSeenInBetween(t *testing.T) {
	var active atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		active.Add(1)
		active.Add(-1)
	})
	wg.Go(func() {
		if n := active.Load(); n != 0 {
			t.Errorf("%d active", n)
		}
	})
	wg.Wait()
}
