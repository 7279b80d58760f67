package primitives

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestOnce(t *testing.T) {
	var once sync.Once
	var v map[string]int
	get := func() map[string]int {
		once.Do(func() { v = map[string]int{"a": 1} })
		return v
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if get()["a"] != 1 {
				t.Error("not made")
			}
		})
	}
	wg.Wait()
}

func TestOnceFunc(t *testing.T) {
	n := 0
	f := sync.OnceFunc(func() { n++ })
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(f)
	}
	wg.Wait()
	if n != 1 {
		t.Fatal(n)
	}
}

var settings = sync.OnceValue(func() map[string]string { return map[string]string{"mode": "test"} })

func TestOnceValueOfPackage(t *testing.T) {
	for range 3 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if settings()["mode"] != "test" {
				t.Fatal()
			}
		})
	}
}

func TestOnceValues(t *testing.T) {
	load := sync.OnceValues(func() (string, error) { return "", fmt.Errorf("no file") })
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := load(); err == nil {
				t.Error("no error")
			}
		})
	}
	wg.Wait()
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func render(n int) string {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	fmt.Fprintf(b, "value %d", n)
	return b.String()
}

func TestPool(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if s := render(i); s != fmt.Sprint("value ", i) {
				t.Error(s)
			}
		})
	}
	wg.Wait()
}

func TestPoolOfSlices(t *testing.T) {
	p := sync.Pool{New: func() any { s := make([]int, 0, 8); return &s }}
	var total atomic.Int64
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			s := p.Get().(*[]int)
			*s = append((*s)[:0], i, i)
			total.Add(int64((*s)[0] + (*s)[1]))
			p.Put(s)
		})
	}
	wg.Wait()
	if total.Load() != 6 {
		t.Fatal(total.Load())
	}
}

type queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
	done  bool
}

func newQueue() *queue { q := &queue{}; q.cond = sync.NewCond(&q.mu); return q }
func (q *queue) put(v int) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.cond.Signal()
}
func (q *queue) close() { q.mu.Lock(); q.done = true; q.mu.Unlock(); q.cond.Broadcast() }
func (q *queue) get() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.done {
		q.cond.Wait()
	}
	if len(q.items) == 0 {
		return 0, false
	}
	v := q.items[0]
	q.items = q.items[1:]
	return v, true
}

func TestCondQueue(t *testing.T) {
	q := newQueue()
	var sum atomic.Int64
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				v, ok := q.get()
				if !ok {
					return
				}
				sum.Add(int64(v))
			}
		})
	}
	for i := range 3 {
		writers.Go(func() { q.put(i + 1) })
	}
	writers.Wait()
	q.close()
	readers.Wait()
	if sum.Load() != 6 {
		t.Fatal(sum.Load())
	}
}

func TestCondBounded(t *testing.T) {
	var mu sync.Mutex
	notFull, notEmpty := sync.NewCond(&mu), sync.NewCond(&mu)
	var buf []int
	const room = 2
	put := func(v int) {
		mu.Lock()
		for len(buf) == room {
			notFull.Wait()
		}
		buf = append(buf, v)
		mu.Unlock()
		notEmpty.Signal()
	}
	get := func() int {
		mu.Lock()
		defer mu.Unlock()
		for len(buf) == 0 {
			notEmpty.Wait()
		}
		v := buf[0]
		buf = buf[1:]
		notFull.Signal()
		return v
	}
	go func() {
		for i := range 5 {
			put(i)
		}
	}()
	for want := range 5 {
		if v := get(); v != want {
			t.Fatal(v, want)
		}
	}
}

func TestCondGate(t *testing.T) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	open := false
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			mu.Lock()
			for !open {
				cond.Wait()
			}
			mu.Unlock()
		})
	}
	mu.Lock()
	open = true
	cond.Broadcast()
	mu.Unlock()
	wg.Wait()
}

func TestCondReaders(t *testing.T) {
	var rw sync.RWMutex
	cond := sync.NewCond(rw.RLocker())
	val := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			rw.RLock()
			for val == 0 {
				cond.Wait()
			}
			if val != 5 {
				t.Error(val)
			}
			rw.RUnlock()
		})
	}
	rw.Lock()
	val = 5
	rw.Unlock()
	cond.Broadcast()
	wg.Wait()
}

func TestWaitGroupOfRounds(t *testing.T) {
	var wg sync.WaitGroup
	data := make([]int, 3)
	for round := range 3 {
		for i := range data {
			wg.Add(1)
			go func() { defer wg.Done(); data[i] += round }()
		}
		wg.Wait()
	}
	for _, v := range data {
		if v != 3 {
			t.Fatal(data)
		}
	}
}

func TestWaitGroupAddFirst(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(3)
	var n atomic.Int32
	for range 3 {
		go func() { defer wg.Done(); n.Add(1) }()
	}
	wg.Wait()
	if n.Load() != 3 {
		t.Fatal(n.Load())
	}
}

func TestWaitGroupNested(t *testing.T) { // adds while its own count is not zero
	var wg sync.WaitGroup
	var n atomic.Int32
	var walk func(depth int)
	walk = func(depth int) {
		defer wg.Done()
		n.Add(1)
		if depth == 0 {
			return
		}
		for range 2 {
			wg.Add(1)
			go walk(depth - 1)
		}
	}
	wg.Add(1)
	go walk(2)
	wg.Wait()
	if n.Load() != 7 {
		t.Fatal(n.Load())
	}
}

func TestTwoWaiters(t *testing.T) {
	var work, waiters sync.WaitGroup
	n := 0
	work.Add(1)
	for range 2 {
		waiters.Go(func() {
			work.Wait()
			if n != 1 {
				t.Error(n)
			}
		})
	}
	n = 1
	work.Done()
	waiters.Wait()
}

func TestSyncMap(t *testing.T) {
	var m sync.Map
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { m.Store(i%2, i) })
	}
	wg.Wait()
	n := 0
	m.Range(func(k, v any) bool { n++; return true })
	if n != 2 {
		t.Fatal(n)
	}
}

func TestLoadOrStore(t *testing.T) {
	var m sync.Map
	var made, loaded atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, ok := m.LoadOrStore("k", &struct{ n int }{1}); ok {
				loaded.Add(1)
			} else {
				made.Add(1)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 || loaded.Load() != 2 {
		t.Fatal(made.Load(), loaded.Load())
	}
}

func TestLoadAndDelete(t *testing.T) {
	var m sync.Map
	m.Store("job", 1)
	var got atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, ok := m.LoadAndDelete("job"); ok {
				got.Add(1)
			}
		})
	}
	wg.Wait()
	if got.Load() != 1 {
		t.Fatal(got.Load())
	}
}

func TestSyncMapOfOnce(t *testing.T) {
	var m sync.Map
	calls := 0
	get := func(k string) string {
		f, _ := m.LoadOrStore(k, sync.OnceValue(func() string { calls++; return strings.ToUpper(k) }))
		return f.(func() string)()
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if get("a") != "A" {
				t.Error("wrong")
			}
		})
	}
	wg.Wait()
	if calls != 1 {
		t.Fatal(calls)
	}
}

func TestCompareAndSwapMap(t *testing.T) {
	var m sync.Map
	m.Store("n", 0)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				v, _ := m.Load("n")
				if m.CompareAndSwap("n", v, v.(int)+1) {
					return
				}
			}
		})
	}
	wg.Wait()
	if v, _ := m.Load("n"); v != 3 {
		t.Fatal(v)
	}
}

func TestOncePerKey(t *testing.T) {
	type entry struct {
		once sync.Once
		val  int
	}
	var mu sync.Mutex
	entries := map[string]*entry{}
	var calls atomic.Int32
	get := func(k string) int {
		mu.Lock()
		e := entries[k]
		if e == nil {
			e = &entry{}
			entries[k] = e
		}
		mu.Unlock()
		e.once.Do(func() { calls.Add(1); e.val = len(k) })
		return e.val
	}
	var wg sync.WaitGroup
	for _, k := range []string{"a", "bb", "a", "bb"} {
		wg.Go(func() {
			if get(k) != len(k) {
				t.Error(k)
			}
		})
	}
	wg.Wait()
	if calls.Load() != 2 {
		t.Fatal(calls.Load())
	}
}

func TestWaitGroupResults(t *testing.T) {
	in := []string{"a", "b", "c"}
	out := make([]string, len(in))
	errs := make([]error, len(in))
	var wg sync.WaitGroup
	for i, s := range in {
		wg.Go(func() { out[i], errs[i] = s+s, nil })
	}
	wg.Wait()
	if strings.Join(out, "") != "aabbcc" {
		t.Fatal(out)
	}
}

func TestCondSignalEach(t *testing.T) {
	var mu sync.Mutex
	turn := 0
	conds := []*sync.Cond{sync.NewCond(&mu), sync.NewCond(&mu)}
	var got []int
	var wg sync.WaitGroup
	for me := range 2 {
		wg.Go(func() {
			for range 3 {
				mu.Lock()
				for turn != me {
					conds[me].Wait()
				}
				got = append(got, me)
				turn = 1 - me
				conds[1-me].Signal()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if fmt.Sprint(got) != "[0 1 0 1 0 1]" {
		t.Fatal(got)
	}
}
