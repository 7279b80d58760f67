package sctbench

import (
	"sync"
	"sync/atomic"
	"testing"
)

// account checks what is left after money came and went. That what is left is less is
// wrong, but seen only once both have happened.
func account(t *testing.T, left int) {
	var mu sync.Mutex
	balance, came, went := 10, false, false
	together(
		func() {
			mu.Lock()
			defer mu.Unlock()
			balance += 5
			came = true
		},
		func() {
			mu.Lock()
			defer mu.Unlock()
			balance -= 3
			went = true
		},
		func() {
			mu.Lock()
			defer mu.Unlock()
			if came && went && balance != left {
				t.Error("expected another balance")
			}
		})
}

//want:failure test-failure
func TestAccount(t *testing.T)      { account(t, 10+5+3) }
func TestRightAccount(t *testing.T) { account(t, 10+5-3) }

// reorder sets two variables one after the other, each time to the same values. Who looks
// may find the first of some setter and the second of none.
func reorder(t *testing.T, setters int, right bool) {
	var a, b atomic.Int32
	var all []func()
	for range setters {
		all = append(all, func() {
			if right {
				b.Store(-1)
			}
			a.Store(1)
			b.Store(-1)
		})
	}
	together(append(all, func() {
		if a.Load() == 1 && b.Load() == 0 {
			t.Error("the first without the second")
		}
	})...)
}

//want:failure test-failure
func TestReorder3(t *testing.T)      { reorder(t, 2, false) }
func TestRightReorder3(t *testing.T) { reorder(t, 2, true) }

//want:failure test-failure
func TestReorder4(t *testing.T)      { reorder(t, 3, false) }
func TestRightReorder4(t *testing.T) { reorder(t, 3, true) }

//want:failure test-failure
func TestReorder5(t *testing.T)      { reorder(t, 4, false) }
func TestRightReorder5(t *testing.T) { reorder(t, 4, true) }

//want:failure test-failure
func TestReorder10(t *testing.T)      { reorder(t, 9, false) }
func TestRightReorder10(t *testing.T) { reorder(t, 9, true) }

//want:failure test-failure
func TestReorder20(t *testing.T)      { reorder(t, 19, false) }
func TestRightReorder20(t *testing.T) { reorder(t, 19, true) }

// tokenRing hands a token on: each goroutine copies what the one before it has. It comes to
// the end if they run in the order of the ring.
func tokenRing(t *testing.T, want int) {
	var x [5]cell
	x[0].set(1)
	var all []func()
	for k := range 4 {
		all = append(all, func() { x[k+1].set(x[k].get()) })
	}
	together(all...)
	if x[4].get() == want {
		t.Error("the token has come round")
	}
}

//want:failure test-failure
func TestTokenRing(t *testing.T)      { tokenRing(t, 1) }
func TestRightTokenRing(t *testing.T) { tokenRing(t, 2) }

// stringBuffer appends a buffer to another one, of which it takes the length first.
func stringBuffer(t *testing.T, right bool) {
	var mu sync.Mutex
	text := []byte("abc")
	length := func() int { mu.Lock(); defer mu.Unlock(); return len(text) }
	chars := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		if n > len(text) {
			t.Error("there are not so many characters any more")
		}
	}
	together(
		func() {
			if right {
				mu.Lock()
				defer mu.Unlock()
				_ = text[:len(text)]
				return
			}
			chars(length())
		},
		func() { mu.Lock(); text = text[:0]; mu.Unlock() })
}

//want:failure test-failure
func TestStringBuffer(t *testing.T)      { stringBuffer(t, false) }
func TestRightStringBuffer(t *testing.T) { stringBuffer(t, true) }

// bluetooth is a driver of which a request may begin while it is stopped: whether it stops
// is asked before the request is counted.
func bluetooth(t *testing.T, right bool) {
	var stopping, stopped atomic.Bool
	var pending atomic.Int32
	pending.Store(1)
	done := make(chan bool, 2) // nobody waits for the second
	leave := func() {
		if pending.Add(-1) == 0 {
			done <- true
		}
	}
	together(
		func() {
			if right {
				pending.Add(1)
				if !stopping.Load() && stopped.Load() {
					t.Error("works on what is stopped")
				}
				leave()
				return
			}
			if stopping.Load() {
				return
			}
			pending.Add(1)
			if stopped.Load() {
				t.Error("works on what is stopped")
			}
			leave()
		},
		func() {
			stopping.Store(true)
			leave()
			<-done
			stopped.Store(true)
		})
}

//want:failure test-failure
func TestBluetooth(t *testing.T)      { bluetooth(t, false) }
func TestRightBluetooth(t *testing.T) { bluetooth(t, true) }

// download counts what its parts have written, together and each for itself; who saves
// that may come in between.
func download(t *testing.T, right bool) {
	var mu sync.Mutex
	var sum cell
	var parts [2]cell
	write := func(k int) func() {
		return func() {
			for range 2 {
				if right {
					mu.Lock()
				}
				parts[k].add(1)
				sum.add(1)
				if right {
					mu.Unlock()
				}
			}
		}
	}
	together(write(0), write(1), func() {
		mu.Lock()
		defer mu.Unlock()
		if all, a, b := sum.get(), parts[0].get(), parts[1].get(); right && all != a+b || a+b == all+2 && a == 2 {
			t.Error("saved what does not fit together")
		}
	})
}

//want:failure test-failure
func TestDownload(t *testing.T)      { download(t, false) }
func TestRightDownload(t *testing.T) { download(t, true) }

// freed has a queue that its owner takes away while who works on it may not have come to
// its end yet.
func freed(right bool) {
	type queue struct{ left atomic.Int32 }
	var q atomic.Pointer[queue]
	q.Store(new(queue))
	q.Load().left.Store(2)
	var over sync.WaitGroup
	over.Add(1)
	together(
		func() {
			defer over.Done()
			for q.Load().left.Add(-1) > 0 {
			}
			if !right {
				_ = q.Load().left.Load()
			}
		},
		func() {
			if right {
				over.Wait()
			}
			if q.Load().left.Load() <= 0 {
				q.Store(nil)
			}
		})
}

//want:failure panic
func TestFreed(*testing.T)      { freed(false) }
func TestRightFreed(*testing.T) { freed(true) }
