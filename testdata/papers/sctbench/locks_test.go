package sctbench

import (
	"sync"
	"sync/atomic"
	"testing"
)

// deadlock01 counts under two locks.
func deadlock01(second bool) {
	var a, b sync.Mutex
	var n int
	add := func(first, second *sync.Mutex) func() {
		return func() {
			first.Lock()
			second.Lock()
			n++
			second.Unlock()
			first.Unlock()
		}
	}
	if second {
		together(add(&a, &b), add(&a, &b))
	} else {
		together(add(&a, &b), add(&b, &a))
	}
}

//want:deadlock deadlock
func TestDeadlock01(*testing.T)      { deadlock01(false) }
func TestRightDeadlock01(*testing.T) { deadlock01(true) }

// carter01 has two groups of goroutines, each of whose first takes a lock for all of them
// and whose last gives it back; the counts of both are under one lock.
func carter01(right bool) {
	var counts, all sync.Mutex
	var a, b int
	use := func(n *int) func() {
		return func() {
			if right {
				all.Lock()
				counts.Lock()
				*n++
				counts.Unlock()
				all.Unlock()
				return
			}
			counts.Lock()
			if *n++; *n == 1 {
				all.Lock()
			}
			counts.Unlock()
			counts.Lock()
			if *n--; *n == 0 {
				all.Unlock()
			}
			counts.Unlock()
		}
	}
	together(use(&a), use(&b))
}

//want:deadlock deadlock
func TestCarter01(*testing.T)      { carter01(false) }
func TestRightCarter01(*testing.T) { carter01(true) }

// philosophers take the fork on the left, and then the one on the right.
func philosophers(n int, right bool) {
	forks := make([]sync.Mutex, n)
	var eaten atomic.Int32
	var all []func()
	for k := range n {
		first, second := &forks[k], &forks[(k+1)%n]
		if right && k == n-1 {
			first, second = second, first
		}
		all = append(all, func() {
			first.Lock()
			second.Lock()
			eaten.Add(1)
			second.Unlock()
			first.Unlock()
		})
	}
	together(all...)
}

//want:deadlock deadlock
func TestPhilosophers3(*testing.T)      { philosophers(3, false) }
func TestRightPhilosophers3(*testing.T) { philosophers(3, true) }

//want:deadlock deadlock
func TestPhilosophers5(*testing.T)      { philosophers(5, false) }
func TestRightPhilosophers5(*testing.T) { philosophers(5, true) }

// lazy01 adds to what is under a lock, and looks at it under the lock.
func lazy01(t *testing.T, limit int) {
	var data cell
	together(
		func() { data.add(1) },
		func() { data.add(2) },
		func() {
			if data.get() >= limit {
				t.Error("both were first")
			}
		})
}

//want:failure test-failure
func TestLazy01(t *testing.T)      { lazy01(t, 3) }
func TestRightLazy01(t *testing.T) { lazy01(t, 4) }

// wrongLock has one group that guards a number by one lock, and another one that guards it
// by another.
func wrongLock(t *testing.T, others int, right bool) {
	var lock, other sync.Mutex
	var data atomic.Int32
	if right {
		other.Lock() // nobody's
	}
	all := []func(){func() {
		lock.Lock()
		defer lock.Unlock()
		x := data.Load()
		data.Add(1)
		if data.Load() != x+1 {
			t.Error("somebody else was here")
		}
	}}
	for range others {
		all = append(all, func() {
			its := &other
			if right {
				its = &lock
			}
			its.Lock()
			defer its.Unlock()
			data.Add(1)
		})
	}
	together(all...)
}

//want:failure test-failure
func TestWrongLock(t *testing.T)      { wrongLock(t, 1, false) }
func TestRightWrongLock(t *testing.T) { wrongLock(t, 1, true) }

//want:failure test-failure
func TestWrongLock3(t *testing.T)      { wrongLock(t, 3, false) }
func TestRightWrongLock3(t *testing.T) { wrongLock(t, 3, true) }

// twoStage sets a number, and what follows from it in a second step; who reads them may
// come in between.
func twoStage(t *testing.T, writers int, right bool) {
	var first, second cell
	var all []func()
	write := func() {
		if right {
			second.set(2)
			first.set(1)
		} else {
			first.set(1)
			second.set(2)
		}
	}
	for range writers {
		all = append(all, write)
	}
	together(append(all, func() {
		if a := first.get(); a != 0 && second.get() != a+1 {
			t.Error("only the first stage was there")
		}
	})...)
}

//want:failure test-failure
func TestTwoStage(t *testing.T)      { twoStage(t, 1, false) }
func TestRightTwoStage(t *testing.T) { twoStage(t, 1, true) }

//want:failure test-failure
func TestTwoStage10(t *testing.T)      { twoStage(t, 10, false) }
func TestRightTwoStage10(t *testing.T) { twoStage(t, 10, true) }
