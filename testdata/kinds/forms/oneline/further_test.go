package oneline

import (
	"sync"
	"testing"
)

func both(a, b func()) {
	var wg sync.WaitGroup
	wg.Go(a)
	wg.Go(b)
	wg.Wait()
}

// With defers.
//
//want:deadlock deadlock of 0.1 0.2
func TestDefers(t *testing.T) {
	a, b := &acct{}, &acct{}
	both(
		func() { a.mu.Lock(); defer a.mu.Unlock(); b.mu.Lock(); defer b.mu.Unlock() },
		func() { b.mu.Lock(); defer b.mu.Unlock(); a.mu.Lock(); defer a.mu.Unlock() })
}

// Both on the same line of the file.
//
//want:deadlock deadlock of 0.1 0.2
func TestSameLine(t *testing.T) {
	var a, b sync.Mutex
	both(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() }, func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
}

// One function with parameters.
//
//want:deadlock deadlock of 0.1 0.2
func TestParameters(t *testing.T) {
	a, b := &acct{}, &acct{}
	move := func(x, y *acct) { x.mu.Lock(); y.mu.Lock(); y.mu.Unlock(); x.mu.Unlock() }
	both(func() { move(a, b) }, func() { move(b, a) })
}

type embedded struct {
	sync.Mutex
	other *embedded
}

func (e *embedded) swap() { e.Lock(); e.other.Lock(); e.other.Unlock(); e.Unlock() }

// Embedded, and of one object's fields.
//
//want:deadlock deadlock of 0.1 0.2
func TestEmbedded(t *testing.T) {
	a := &embedded{}
	b := &embedded{other: a}
	a.other = b
	both(a.swap, b.swap)
}

// Lockers.
//
//want:deadlock deadlock of 0.1 0.2
func TestLockers(t *testing.T) {
	var a, b sync.Locker = new(sync.Mutex), new(sync.Mutex)
	nest := func(x, y sync.Locker) func() {
		return func() { x.Lock(); y.Lock(); y.Unlock(); x.Unlock() }
	}
	both(nest(a, b), nest(b, a))
}

// Writers of two RWMutexes: they hold them, and do not only wait.
//
//want:deadlock deadlock of 0.1 0.2
func TestWriters(t *testing.T) {
	var a, b sync.RWMutex
	both(
		func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() },
		func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
}

// A writer and a reader of each other's lock.
//
//want:deadlock deadlock of 0.1 0.2
func TestReaders(t *testing.T) {
	var a, b sync.RWMutex
	both(
		func() { a.RLock(); b.Lock(); b.Unlock(); a.RUnlock() },
		func() { b.RLock(); a.Lock(); a.Unlock(); b.RUnlock() })
}

type shelf[T any] struct {
	l [2]sync.Mutex
	v [2]T
}

func (s *shelf[T]) nest(i, j int) { s.l[i].Lock(); s.l[j].Lock(); s.l[j].Unlock(); s.l[i].Unlock() }

// Generic, locks of an array.
//
//want:deadlock deadlock of 0.1 0.2
func TestGeneric(t *testing.T) {
	s := &shelf[string]{}
	both(func() { s.nest(0, 1) }, func() { s.nest(1, 0) })
}

// Three in a cycle.
//
//want:deadlock deadlock of 0.1 0.2 0.3
func TestThree(t *testing.T) {
	var m [3]sync.Mutex
	var wg sync.WaitGroup
	for i := range m {
		wg.Go(func() { m[i].Lock(); m[(i+1)%3].Lock(); m[(i+1)%3].Unlock(); m[i].Unlock() })
	}
	wg.Wait()
}

// Parallel subtests.
//
//want:deadlock deadlock of 0.1.1 0.1.2
func TestParallel(t *testing.T) {
	a, b := &acct{}, &acct{}
	t.Run("group", func(t *testing.T) {
		t.Run("ab", func(t *testing.T) { t.Parallel(); a.mu.Lock(); b.mu.Lock(); b.mu.Unlock(); a.mu.Unlock() })
		t.Run("ba", func(t *testing.T) { t.Parallel(); b.mu.Lock(); a.mu.Lock(); a.mu.Unlock(); b.mu.Unlock() })
	})
}

// Right: in one order.
func TestOneOrder(t *testing.T) {
	var a, b sync.Mutex
	both(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() }, func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
}
