package sctbench

import (
	"sync"
	"sync/atomic"
	"testing"
)

// circularBuffer has one who fills a ring and one who empties it. Whether there is room is
// asked under the lock, but what is written is not.
func circularBuffer(t *testing.T, right bool) {
	const size, all = 2, 3
	var mu sync.Mutex
	var ring [size]atomic.Int32
	in, out := 0, 0
	room := func() bool { mu.Lock(); defer mu.Unlock(); return in-out < size }
	filled := func() { mu.Lock(); in++; mu.Unlock() }
	together(
		func() {
			for k := range all {
				for tries := 0; !room(); tries++ {
					if tries == 3 {
						return
					}
				}
				if !right {
					filled()
				}
				ring[k%size].Store(int32(k + 1))
				if right {
					filled()
				}
			}
		},
		func() {
			for k := range all {
				mu.Lock()
				some := in > out
				mu.Unlock()
				if !some {
					return
				}
				if ring[k%size].Load() != int32(k+1) {
					t.Error("took another element")
				}
				mu.Lock()
				out++
				mu.Unlock()
			}
		})
}

//want:failure test-failure
func TestCircularBuffer(t *testing.T)      { circularBuffer(t, false) }
func TestRightCircularBuffer(t *testing.T) { circularBuffer(t, true) }

// emptied asks whether a queue has elements, and takes one, which is not one step.
func emptied(t *testing.T, right bool) {
	var mu sync.Mutex
	queue := []int{1}
	empty := func() bool { mu.Lock(); defer mu.Unlock(); return len(queue) == 0 }
	take := func() {
		mu.Lock()
		defer mu.Unlock()
		if len(queue) == 0 {
			if !right {
				t.Error("took from an empty queue")
			}
			return
		}
		queue = queue[1:]
	}
	use := func() {
		if !empty() {
			take()
		}
	}
	together(use, use, func() { mu.Lock(); queue = append(queue, 2); mu.Unlock() })
}

//want:failure test-failure
func TestEmptied(t *testing.T)      { emptied(t, false) }
func TestRightEmptied(t *testing.T) { emptied(t, true) }

// underflow has one who pushes to a stack and one who pops. That there was one element is
// taken to mean that all are there.
func underflow(t *testing.T, right bool) {
	const all = 3
	var mu sync.Mutex
	top, some := 0, atomic.Bool{}
	together(
		func() {
			for k := range all {
				mu.Lock()
				top++
				mu.Unlock()
				if !right || k == all-1 {
					some.Store(true)
				}
			}
		},
		func() {
			for range all {
				if some.Load() {
					mu.Lock()
					if top == 0 {
						t.Error("popped from an empty stack")
					} else {
						top--
					}
					mu.Unlock()
				}
			}
		})
}

//want:failure test-failure
func TestUnderflow(t *testing.T)      { underflow(t, false) }
func TestRightUnderflow(t *testing.T) { underflow(t, true) }

// A deque is that of a work-stealing scheduler (Frigo, Leiserson and Randall, The
// Implementation of the Cilk-5 Multithreaded Language, PLDI 1998): its owner works at the
// tail, thieves at the head, and where both are after the last one, a lock decides.
type deque struct {
	mu         sync.Mutex
	head, tail atomic.Int32
	right      bool
}

func (d *deque) pop() bool {
	tail := d.tail.Add(-1)
	if d.head.Load() <= tail {
		return true
	}
	d.tail.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	tail = d.tail.Add(-1)
	if d.head.Load() <= tail {
		return true
	}
	d.tail.Add(1)
	return false
}

func (d *deque) steal() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.right { // looks before it has said that it comes
		if d.head.Load() < d.tail.Load() {
			d.head.Add(1)
			return true
		}
		return false
	}
	head := d.head.Add(1) - 1
	if head < d.tail.Load() {
		return true
	}
	d.head.Add(-1)
	return false
}

func workStealing(t *testing.T, thieves, elements int, right bool) {
	d := &deque{right: right}
	d.tail.Store(int32(elements))
	var taken atomic.Int32
	all := []func(){func() {
		for range elements {
			if d.pop() {
				taken.Add(1)
			}
		}
	}}
	for range thieves {
		all = append(all, func() {
			if d.steal() {
				taken.Add(1)
			}
		})
	}
	together(all...)
	if int(taken.Load()) > elements {
		t.Error("one was taken twice")
	}
}

//want:failure test-failure
func TestWorkStealing(t *testing.T)      { workStealing(t, 1, 1, false) }
func TestRightWorkStealing(t *testing.T) { workStealing(t, 1, 1, true) }

//want:failure test-failure
func TestWorkStealing2(t *testing.T)      { workStealing(t, 2, 2, false) }
func TestRightWorkStealing2(t *testing.T) { workStealing(t, 2, 2, true) }

// linked is a queue of M. Michael and M. Scott, Simple, Fast, and Practical Non-Blocking and
// Blocking Concurrent Queue Algorithms, PODC 1996, with numbers for nodes: 0 is none. An
// element is linked to the last one; with a plain store, two can be linked to the same.
func linked(t *testing.T, right bool) {
	var next [4]atomic.Int32
	var head, tail atomic.Int32
	head.Store(1)
	tail.Store(1)
	put := func(n int32) {
		for {
			last := tail.Load()
			if after := next[last].Load(); after != 0 {
				tail.CompareAndSwap(last, after)
				continue
			}
			if !right {
				next[last].Store(n)
			} else if !next[last].CompareAndSwap(0, n) {
				continue
			}
			tail.CompareAndSwap(last, n)
			return
		}
	}
	together(func() { put(2) }, func() { put(3) })
	n := 0
	for at := next[head.Load()].Load(); at != 0; at = next[at].Load() {
		n++
	}
	if n != 2 {
		t.Error("one is lost")
	}
}

//want:failure test-failure
func TestLinked(t *testing.T)      { linked(t, false) }
func TestRightLinked(t *testing.T) { linked(t, true) }

// safeStack is a stack of numbers that was believed to be right: whoever pops one takes its
// link away first, so that no other one can pop it, too. Three goroutines must come in each
// other's way several times until it hands one out twice.
func safeStack(t *testing.T, workers, rounds int) {
	const none = -1
	var next, owner [3]atomic.Int32
	var head, count atomic.Int32
	count.Store(int32(len(next)))
	for k := range next {
		next[k].Store(int32(k + 1))
	}
	next[len(next)-1].Store(none)
	pop := func() int32 {
		for count.Load() > 1 {
			top := head.Load()
			if below := next[top].Swap(none); below >= 0 {
				if head.CompareAndSwap(top, below) {
					count.Add(-1)
					return top
				}
				next[top].Swap(below)
			}
		}
		return none
	}
	push := func(k int32) {
		top := head.Load()
		next[k].Store(top)
		for !head.CompareAndSwap(top, k) {
			top = head.Load()
			next[k].Store(top)
		}
		count.Add(1)
	}
	var all []func()
	for me := range workers {
		all = append(all, func() {
			for range rounds {
				k := pop()
				if k == none {
					continue
				}
				owner[k].Store(int32(me))
				if owner[k].Load() != int32(me) {
					t.Error("somebody else has it")
				}
				push(k)
			}
		})
	}
	together(all...)
}

//want:failure test-failure
func TestSafeStack(t *testing.T)      { safeStack(t, 3, 2) }
func TestRightSafeStack(t *testing.T) { safeStack(t, 1, 2) }
