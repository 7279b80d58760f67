package sctbench

import (
	"sync"
	"sync/atomic"
	"testing"
)

// boundedBuffer has one place, and one condition for who puts and who takes: a signal may
// come to one who waits for the other thing.
func boundedBuffer(right bool) {
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	n := 0
	tell := changed.Signal
	if right {
		tell = changed.Broadcast
	}
	put := func() {
		mu.Lock()
		defer mu.Unlock()
		for n == 1 {
			changed.Wait()
		}
		n++
		tell()
	}
	take := func() {
		mu.Lock()
		defer mu.Unlock()
		for n == 0 {
			changed.Wait()
		}
		n--
		tell()
	}
	together(put, put, take, take)
}

//want:deadlock deadlock
func TestBoundedBuffer(*testing.T)      { boundedBuffer(false) }
func TestRightBoundedBuffer(*testing.T) { boundedBuffer(true) }

// sync01 waits for what may have been told already.
func sync01(right bool) {
	var mu sync.Mutex
	full := sync.NewCond(&mu)
	n := 0
	together(
		func() {
			mu.Lock()
			n++
			mu.Unlock()
			full.Signal()
		},
		func() {
			mu.Lock()
			defer mu.Unlock()
			if n == 0 || !right {
				full.Wait()
			}
		})
}

//want:deadlock deadlock
func TestSync01(*testing.T)      { sync01(false) }
func TestRightSync01(*testing.T) { sync01(true) }

// sync02 looks whether it is to wait before it has the lock.
func sync02(right bool) {
	var mu sync.Mutex
	full := sync.NewCond(&mu)
	var n atomic.Int32
	together(
		func() {
			mu.Lock()
			n.Add(1)
			full.Broadcast()
			mu.Unlock()
		},
		func() {
			if !right && n.Load() > 0 {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if !right || n.Load() == 0 {
				full.Wait()
			}
		})
}

//want:deadlock deadlock
func TestSync02(*testing.T)      { sync02(false) }
func TestRightSync02(*testing.T) { sync02(true) }

// barrier lets goroutines go once all have come, twice. Who is late at the first finds it
// closed for the second.
func barrier(right bool) {
	const n = 2
	var mu sync.Mutex
	open := sync.NewCond(&mu)
	came, round := 0, 0
	wait := func() {
		mu.Lock()
		defer mu.Unlock()
		its := round
		if came++; came == n {
			came = 0
			round++
			open.Broadcast()
			return
		}
		if right {
			for round == its {
				open.Wait()
			}
			return
		}
		for came != 0 {
			open.Wait()
		}
	}
	twice := func() { wait(); wait() }
	together(twice, twice)
}

//want:deadlock deadlock
func TestBarrier(*testing.T)      { barrier(false) }
func TestRightBarrier(*testing.T) { barrier(true) }

// arithmetic hands the parts of a sum on through one place.
func arithmetic(t *testing.T, right bool) {
	const all = 3
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	place, sum := 0, 0
	together(
		func() {
			for k := range all {
				mu.Lock()
				if place != 0 && !right {
					changed.Wait()
				}
				for place != 0 && right {
					changed.Wait()
				}
				place = k + 1
				changed.Broadcast()
				mu.Unlock()
			}
		},
		func() {
			for range all {
				mu.Lock()
				for place == 0 {
					changed.Wait()
				}
				sum += place
				place = 0
				changed.Broadcast()
				mu.Unlock()
			}
		},
		func() {
			mu.Lock()
			changed.Broadcast()
			mu.Unlock()
		})
	if sum != all*(all+1)/2 {
		t.Error("a part is lost")
	}
}

//want:deadlock deadlock
func TestArithmetic(t *testing.T)      { arithmetic(t, false) }
func TestRightArithmetic(t *testing.T) { arithmetic(t, true) }

// pipeline has several who work on elements, each of which ends the next stage as it is
// done, whoever works yet.
func pipeline(t *testing.T, right bool) {
	in, out := make(chan int, 2), make(chan int, 2)
	in <- 1
	in <- 2
	close(in)
	var working atomic.Int32
	working.Store(2)
	var over atomic.Bool
	work := func() {
		for v := range in {
			if over.Load() {
				t.Error("the next stage is over")
				return
			}
			out <- v
		}
		if working.Add(-1) == 0 || !right {
			over.Store(true)
		}
	}
	together(work, work)
}

//want:failure test-failure
func TestPipeline(t *testing.T)      { pipeline(t, false) }
func TestRightPipeline(t *testing.T) { pipeline(t, true) }

// blocks finds a free block of a file system, and takes it in a second step.
func blocks(t *testing.T, users int, right bool) {
	var mu sync.Mutex
	var busy [4]cell
	var all []func()
	for range users {
		all = append(all, func() {
			if right {
				mu.Lock()
				defer mu.Unlock()
			}
			for k := range busy {
				if busy[k].get() == 0 {
					if busy[k].add(1) > 1 {
						t.Error("two have one block")
					}
					return
				}
			}
		})
	}
	together(all...)
}

//want:failure test-failure
func TestBlocks(t *testing.T)      { blocks(t, 3, false) }
func TestRightBlocks(t *testing.T) { blocks(t, 3, true) }

// pool ends where all of its goroutines have nothing to do; whether there is something is
// asked before that is told.
func pool(right bool) {
	var mu sync.Mutex
	some := sync.NewCond(&mu)
	work, idle, over := 1, 0, false
	const workers = 2
	run := func() {
		for {
			mu.Lock()
			for work == 0 && !over {
				if idle++; idle == workers {
					over = true
					some.Broadcast()
					break
				}
				if !right { // who adds work now wakes nobody
					mu.Unlock()
					mu.Lock()
				}
				some.Wait()
				idle--
			}
			if over {
				mu.Unlock()
				return
			}
			work--
			mu.Unlock()
		}
	}
	together(run, run)
}

//want:deadlock deadlock
func TestPool(*testing.T)      { pool(false) }
func TestRightPool(*testing.T) { pool(true) }

// once initializes what it uses if nobody has done so, in a way that takes two steps.
func once(t *testing.T, right bool) {
	var mu sync.Mutex
	var ready atomic.Bool
	var value atomic.Int32
	use := func() {
		if !ready.Load() {
			mu.Lock()
			if !ready.Load() {
				if right {
					value.Store(7)
					ready.Store(true)
				} else {
					ready.Store(true)
					value.Store(7)
				}
			}
			mu.Unlock()
		}
		if value.Load() != 7 {
			t.Error("used before it is there")
		}
	}
	together(use, use, use)
}

//want:failure test-failure
func TestOnce(t *testing.T)      { once(t, false) }
func TestRightOnce(t *testing.T) { once(t, true) }
