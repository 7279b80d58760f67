package meant

import (
	"sync"
	"testing"
)

// Right: each has an outer lock for whole runs, and an inner one for what others look at meanwhile.
type task struct {
	run     sync.Mutex
	mu      sync.Mutex
	state   string
	percent int
}

func (t *task) set(state string, percent int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state, t.percent = state, percent
}
func (t *task) look() (string, int) { t.mu.Lock(); defer t.mu.Unlock(); return t.state, t.percent }
func (t *task) do() {
	t.run.Lock()
	defer t.run.Unlock()
	t.set("starts", 0)
	t.set("runs", 50)
	t.set("done", 100)
}

func both(a, b func()) {
	var wg sync.WaitGroup
	wg.Go(a)
	wg.Go(b)
	wg.Wait()
}

func TestInnerState(t *testing.T) {
	x := &task{}
	both(x.do, func() {
		if s, p := x.look(); s == "done" && p != 100 {
			t.Error(s, p)
		}
	})
}

type sizer interface{ add(n int) }

type meter struct {
	sync.RWMutex
	total, max int
}

func (m *meter) add(n int) { m.Lock(); m.total += n; m.max = max(m.max, m.total); m.Unlock() }
func (m *meter) read() (int, int) {
	m.RLock()
	defer m.RUnlock()
	return m.total, m.max
}

func TestInnerInterface(t *testing.T) {
	var batch sync.Mutex
	m := &meter{}
	var s sizer = m
	both(func() {
		batch.Lock()
		defer batch.Unlock()
		for range 3 {
			s.add(1)
		}
	}, func() {
		if total, most := m.read(); total > most {
			t.Error(total, most)
		}
	})
}

type guarded[T any] struct {
	mu sync.Mutex
	v  T
}

func (g *guarded[T]) do(f func(*T)) { g.mu.Lock(); defer g.mu.Unlock(); f(&g.v) }

func TestInnerGeneric(t *testing.T) {
	var outer sync.Mutex
	g := &guarded[[2]int]{}
	both(func() {
		outer.Lock()
		defer outer.Unlock()
		g.do(func(v *[2]int) { v[0] = 1 })
		g.do(func(v *[2]int) { v[1] = 1 })
	}, func() {
		g.do(func(v *[2]int) {
			if v[1] > v[0] {
				t.Error(v)
			}
		})
	})
}

// Right: two inner locks.
func TestInnerTwoInner(t *testing.T) {
	var outer, a, b sync.Mutex
	x, y := 0, 0
	both(func() {
		outer.Lock()
		defer outer.Unlock()
		a.Lock()
		x = 1
		a.Unlock()
		b.Lock()
		y = 1
		b.Unlock()
	}, func() {
		b.Lock()
		seen := y
		b.Unlock()
		a.Lock()
		defer a.Unlock()
		if seen > x {
			t.Error(seen, x)
		}
	})
}

// Right: the outer lock is a RWMutex, and the inner one is in a map of counters.
func TestInnerMap(t *testing.T) {
	var outer sync.RWMutex
	var mu sync.Mutex
	n := map[string]int{}
	count := func(k string) { mu.Lock(); n[k]++; mu.Unlock() }
	both(func() {
		outer.RLock()
		defer outer.RUnlock()
		count("a")
		count("b")
	}, func() {
		mu.Lock()
		defer mu.Unlock()
		if n["b"] > n["a"] {
			t.Error(n)
		}
	})
}
