package orders

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestSpinlock(t *testing.T) {
	var lock atomic.Int32
	data := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for !lock.CompareAndSwap(0, 1) {
		}
		lock.Store(0)
		data = 1
	})
	wg.Go(func() {
		data = 2
		for !lock.CompareAndSwap(0, 1) {
		}
		lock.Store(0)
	})
	wg.Wait()
	t.Log(data)
}

type server struct{ requests chan func() }

func (s *server) serve() {
	for f := range s.requests {
		f()
	}
}

func (s *server) do(f func()) {
	done := make(chan bool)
	s.requests <- func() { f(); close(done) }
	<-done
}

func TestServer(t *testing.T) {
	s := &server{make(chan func())}
	go s.serve()
	n, data := 0, 0
	var wg sync.WaitGroup
	wg.Go(func() { s.do(func() { n++ }); data = 1 })
	wg.Go(func() { data = 2; s.do(func() { n++ }) })
	wg.Wait()
	close(s.requests)
	t.Log(data, n)
}

// The number is used, so that the additions may not swap.
func TestNumbers(t *testing.T) {
	var last atomic.Int64
	ids := make([]int64, 2)
	data := 0
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			if i == 1 {
				data = 1
			}
			ids[i] = last.Add(1)
			if i == 0 {
				data = 2
			}
		})
	}
	wg.Wait()
	t.Log(data, ids)
}

func TestMap(t *testing.T) {
	var m sync.Map
	data := 0
	var wg sync.WaitGroup
	wg.Go(func() { m.Store("a", 1); data = 1 })
	wg.Go(func() { data = 2; m.Store("b", 1) })
	wg.Wait()
	t.Log(data)
}

func TestOnce(t *testing.T) {
	var once sync.Once
	data := 0
	var wg sync.WaitGroup
	wg.Go(func() { once.Do(func() {}); data = 1 })
	wg.Go(func() { data = 2; once.Do(func() {}) })
	wg.Wait()
	t.Log(data)
}

func TestFlag(t *testing.T) {
	var ready atomic.Bool
	data := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		if !ready.Load() {
			data = 2
		}
	})
	wg.Go(func() { data = 1; ready.Store(true) })
	wg.Wait()
	t.Log(data)
}

func TestBranch(t *testing.T) {
	var mu sync.Mutex
	started, data := false, 0
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		on := started
		mu.Unlock()
		if !on {
			data = 1
		}
	})
	wg.Go(func() {
		mu.Lock()
		started = true
		mu.Unlock()
		data = 2
	})
	wg.Wait()
	t.Log(data)
}

type registry struct {
	mu sync.Mutex
	m  map[string]*int
}

func (r *registry) add(name string) *int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[name] = new(int)
	return r.m[name]
}

func (r *registry) find(name string) *int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[name]
}

func TestEmptyMap(t *testing.T) {
	r := &registry{m: map[string]*int{}}
	var wg sync.WaitGroup
	wg.Go(func() { *r.add("x") = 1 })
	wg.Go(func() {
		if p := r.find("x"); p != nil {
			*p = 2
		}
	})
	wg.Wait()
	t.Log(*r.find("x"))
}
