package atomics

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func TestCounter(t *testing.T) {
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { n.Add(2) })
	}
	wg.Wait()
	if n.Load() != 10 {
		t.Fatal(n.Load())
	}
}

func TestOldFunctions(t *testing.T) {
	var n int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			atomic.AddInt32(&n, 1)
			wg.Done()
		}()
	}
	wg.Wait()
	if atomic.LoadInt32(&n) != 3 {
		t.Fatal(n)
	}
}

type config struct {
	name string
	opts map[string]string
}

func TestPointerSnapshot(t *testing.T) {
	var p atomic.Pointer[config]
	p.Store(&config{"first", map[string]string{"a": "1"}})
	var wg sync.WaitGroup
	wg.Go(func() { p.Store(&config{"second", map[string]string{"a": "2"}}) })
	for range 2 {
		wg.Go(func() {
			c := p.Load()
			if (c.name == "first") != (c.opts["a"] == "1") {
				t.Error(c)
			}
		})
	}
	wg.Wait()
}

func TestCopyOnWriteMap(t *testing.T) {
	var mu sync.Mutex
	var m atomic.Value
	m.Store(map[string]int{})
	set := func(k string, v int) {
		mu.Lock()
		defer mu.Unlock()
		next := maps.Clone(m.Load().(map[string]int))
		next[k] = v
		m.Store(next)
	}
	var wg sync.WaitGroup
	wg.Go(func() { set("a", 1) })
	wg.Go(func() { set("b", 2) })
	wg.Go(func() {
		if v, ok := m.Load().(map[string]int)["a"]; ok && v != 1 {
			t.Error(v)
		}
	})
	wg.Wait()
	if len(m.Load().(map[string]int)) != 2 {
		t.Fatal()
	}
}

func TestCASLoop(t *testing.T) {
	var max atomic.Int64
	raise := func(v int64) {
		for {
			old := max.Load()
			if old >= v || max.CompareAndSwap(old, v) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	for _, v := range []int64{3, 9, 5} {
		wg.Go(func() { raise(v) })
	}
	wg.Wait()
	if max.Load() != 9 {
		t.Fatal(max.Load())
	}
}

type item[T any] struct {
	val  T
	next *item[T]
}

type stack[T any] struct{ head atomic.Pointer[item[T]] }

func (s *stack[T]) push(v T) {
	n := &item[T]{val: v}
	for {
		n.next = s.head.Load()
		if s.head.CompareAndSwap(n.next, n) {
			return
		}
	}
}

func (s *stack[T]) pop() (v T, ok bool) {
	for {
		n := s.head.Load()
		if n == nil {
			return v, false
		}
		if s.head.CompareAndSwap(n, n.next) {
			return n.val, true
		}
	}
}

func TestTreiberStack(t *testing.T) {
	var s stack[int]
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { s.push(i) })
	}
	wg.Wait()
	var got [3]atomic.Bool
	for range 3 {
		wg.Go(func() {
			v, ok := s.pop()
			if !ok || got[v].Swap(true) {
				t.Error("lost or twice", v, ok)
			}
		})
	}
	wg.Wait()
}

func TestDoubleCheckedPointer(t *testing.T) {
	var mu sync.Mutex
	var p atomic.Pointer[[]int]
	made := 0
	get := func() []int {
		if v := p.Load(); v != nil {
			return *v
		}
		mu.Lock()
		defer mu.Unlock()
		if v := p.Load(); v != nil {
			return *v
		}
		made++
		v := []int{1, 2, 3}
		p.Store(&v)
		return v
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if len(get()) != 3 {
				t.Error("short")
			}
		})
	}
	wg.Wait()
	if made != 1 {
		t.Fatal(made)
	}
}

func TestDoubleCheckedFlag(t *testing.T) {
	var mu sync.Mutex
	var ready atomic.Bool
	var val int
	get := func() int {
		if !ready.Load() {
			mu.Lock()
			if !ready.Load() {
				val = 42
				ready.Store(true)
			}
			mu.Unlock()
		}
		return val
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if get() != 42 {
				t.Error("unset")
			}
		})
	}
	wg.Wait()
}

func TestPublishByFlag(t *testing.T) {
	var data []string
	var ready atomic.Bool
	go func() {
		data = append(data, "x")
		ready.Store(true)
	}()
	for !ready.Load() {
		runtime.Gosched()
	}
	if len(data) != 1 {
		t.Fatal(data)
	}
}

func TestSpinLock(t *testing.T) {
	var l atomic.Int32
	n := 0
	lock := func() {
		for !l.CompareAndSwap(0, 1) {
			runtime.Gosched()
		}
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { lock(); n++; l.Store(0) })
	}
	wg.Wait()
	if n != 3 {
		t.Fatal(n)
	}
}

func TestTicketLock(t *testing.T) {
	var next, serving atomic.Uint32
	var order []uint32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			my := next.Add(1) - 1
			for serving.Load() != my {
				runtime.Gosched()
			}
			order = append(order, my)
			serving.Add(1)
		})
	}
	wg.Wait()
	if !slices.IsSorted(order) || len(order) != 3 {
		t.Fatal(order)
	}
}

func TestSequenceLock(t *testing.T) {
	var seq atomic.Uint64
	var a, b atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range int64(3) {
			seq.Add(1)
			a.Store(i)
			b.Store(i)
			seq.Add(1)
		}
	})
	wg.Go(func() {
		for {
			s := seq.Load()
			x, y := a.Load(), b.Load()
			if s%2 == 0 && seq.Load() == s {
				if x != y {
					t.Error(x, y)
				}
				return
			}
			runtime.Gosched()
		}
	})
	wg.Wait()
}

func TestOnlyOneWins(t *testing.T) {
	var claimed atomic.Bool
	winner := -1
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if claimed.CompareAndSwap(false, true) {
				winner = i
			}
		})
	}
	wg.Wait()
	if winner < 0 {
		t.Fatal("none")
	}
}

func TestLastOneOut(t *testing.T) {
	var left atomic.Int32
	left.Store(3)
	parts := make([]int, 3)
	sum := make(chan int, 1)
	for i := range 3 {
		go func() {
			parts[i] = i + 1
			if left.Add(-1) == 0 {
				sum <- parts[0] + parts[1] + parts[2]
			}
		}()
	}
	if got := <-sum; got != 6 {
		t.Fatal(got)
	}
}

type refcounted struct {
	refs   atomic.Int32
	closed bool
}

func (r *refcounted) release() {
	if r.refs.Add(-1) == 0 {
		r.closed = true
	}
}

func TestRefCount(t *testing.T) {
	r := &refcounted{}
	r.refs.Store(3)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if r.closed {
				t.Error("used after close")
			}
			r.release()
		})
	}
	wg.Wait()
	if !r.closed {
		t.Fatal("open")
	}
}

func TestStopFlag(t *testing.T) {
	var stop atomic.Bool
	var rounds atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			rounds.Add(1)
			runtime.Gosched()
		}
	}()
	stop.Store(true)
	<-done
	if rounds.Load() < 0 {
		t.Fatal()
	}
}

func TestSwapDrains(t *testing.T) {
	var pending atomic.Pointer[[]int]
	add := func(v int) {
		for {
			old := pending.Load()
			var next []int
			if old != nil {
				next = append(next, *old...)
			}
			next = append(next, v)
			if pending.CompareAndSwap(old, &next) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	var drained atomic.Int64
	for i := range 3 {
		wg.Go(func() { add(i) })
		wg.Go(func() {
			if l := pending.Swap(nil); l != nil {
				drained.Add(int64(len(*l)))
			}
		})
	}
	wg.Wait()
	if l := pending.Swap(nil); l != nil {
		drained.Add(int64(len(*l)))
	}
	if drained.Load() != 3 {
		t.Fatal(drained.Load())
	}
}

func TestBitmask(t *testing.T) {
	var bits atomic.Uint32
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if bits.Or(1<<i)&(1<<i) != 0 {
				t.Error("set twice")
			}
		})
	}
	wg.Wait()
	if bits.Load() != 15 {
		t.Fatal(bits.Load())
	}
}

func TestIDs(t *testing.T) {
	var last atomic.Uint64
	ids := make([]uint64, 4)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() { ids[i] = last.Add(1) })
	}
	wg.Wait()
	slices.Sort(ids)
	if !slices.Equal(ids, []uint64{1, 2, 3, 4}) {
		t.Fatal(ids)
	}
}

func TestStatsMayLag(t *testing.T) { // total is read beside parts, and only bounds are asked
	var hits, total atomic.Int64
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { total.Add(1); hits.Add(1) })
	}
	wg.Go(func() {
		h := hits.Load()
		if all := total.Load(); h > all {
			t.Error(h, all)
		}
	})
	wg.Wait()
}
