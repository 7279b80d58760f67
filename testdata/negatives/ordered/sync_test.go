// Package ordered hands plain variables from goroutine to goroutine, in each
// way that the Go memory model and the documentation of the standard library
// allow.
package ordered

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestMutex(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	x := 0
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			x++
		})
	}
	wg.Wait()
	x++
}

func TestTryLock(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	x := 0
	for range 2 {
		wg.Go(func() {
			for !mu.TryLock() {
				runtime.Gosched()
			}
			x++
			mu.Unlock()
		})
	}
	wg.Wait()
}

func TestRWMutex(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	x := 0
	for range 2 {
		wg.Go(func() {
			mu.RLock()
			_ = x + 1
			mu.RUnlock()
			mu.Lock()
			x++
			mu.Unlock()
			if l := mu.RLocker(); mu.TryRLock() {
				_ = x + 1
				l.Unlock()
			}
		})
	}
	wg.Wait()
}

func TestWaitGroup(t *testing.T) {
	var wg sync.WaitGroup
	x := make([]int, 3)
	for round := range 2 {
		wg.Add(2)
		go func() {
			defer wg.Done()
			wg.Add(1) // the counter is not zero
			go func() { x[0] = round; wg.Done() }()
			x[1] = round
		}()
		go func() { x[2] = round; wg.Done() }()
		wg.Wait()
		x[0], x[1], x[2] = x[1], x[2], x[0]
	}
}

func TestOnce(t *testing.T) {
	x := 0
	once := func() func() int { return sync.OnceValue(func() int { x++; return x }) }()
	pair := sync.OnceValues(func() (int, error) { return once() + x, nil })
	both := sync.OnceFunc(func() { pair() })
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			both()
			_ = x + once()
		})
	}
	wg.Wait()
}

func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	x, ready := 0, 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			for ready == 0 {
				c.Wait()
			}
			mu.Unlock()
			_ = x + 1
		})
	}
	x++
	mu.Lock()
	ready++
	mu.Unlock()
	c.Signal()
	c.Broadcast()
	wg.Wait()
}

func TestPool(t *testing.T) {
	pool := sync.Pool{New: func() any { return new([8]int) }}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			p := pool.Get().(*[8]int)
			p[0]++
			pool.Put(p)
		})
	}
	wg.Wait()
}

func TestMap(t *testing.T) {
	var m sync.Map
	x := 0
	go func() {
		x++
		m.Store("x", true)
	}()
	for {
		if _, ok := m.Load("x"); ok {
			break
		}
		runtime.Gosched()
	}
	x++
}

type box struct{ n int }

func TestAtomics(t *testing.T) {
	var (
		i atomic.Int32
		u atomic.Uint64
		b atomic.Bool
		p atomic.Pointer[box]
		v atomic.Value
		f int64
		g uint32
	)
	for _, way := range []struct {
		publish func(*box)
		seen    func() bool
	}{
		{func(*box) { i.Store(1) }, func() bool { return i.Load() == 1 }},
		{func(*box) { u.Add(2) }, func() bool { return u.CompareAndSwap(2, 3) }},
		{func(*box) { u.Or(4) }, func() bool { return u.And(7) == 7 }},
		{func(*box) { b.Swap(true) }, func() bool { return b.Load() }},
		{func(x *box) { p.Store(x) }, func() bool { return p.Load() != nil }},
		{func(x *box) { v.Store(x) }, func() bool { return v.Load() != nil }},
		{func(*box) { atomic.AddInt64(&f, 1) }, func() bool { return atomic.LoadInt64(&f) == 1 }},
		{func(*box) { atomic.OrUint32(&g, 1) }, func() bool { return atomic.CompareAndSwapUint32(&g, 1, 2) }},
	} {
		x := new(box)
		go func() {
			x.n++
			way.publish(x)
		}()
		for !way.seen() {
			runtime.Gosched()
		}
		x.n++
	}
}
