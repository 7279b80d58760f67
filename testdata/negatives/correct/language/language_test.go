package language

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"
)

func TestPull(t *testing.T) {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := range 3 {
			if !yield(i) {
				return
			}
		}
	})
	defer stop()
	for want := range 2 {
		if v, ok := next(); !ok || v != want {
			t.Fatal(v, ok)
		}
	}
}

func TestPullBesideGoroutine(t *testing.T) {
	var mu sync.Mutex
	list := []int{1, 2}
	seq := func(yield func(int) bool) {
		mu.Lock()
		snapshot := slices.Clone(list)
		mu.Unlock()
		for _, v := range snapshot {
			if !yield(v) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); list = append(list, 3); mu.Unlock() })
	next, stop := iter.Pull(seq)
	n := 0
	for _, ok := next(); ok; _, ok = next() {
		n++
	}
	stop()
	wg.Wait()
	if n < 2 || n > 3 {
		t.Fatal(n)
	}
}

func parallel[T, R any](in iter.Seq[T], f func(T) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		var results []chan R
		for v := range in {
			c := make(chan R, 1)
			results = append(results, c)
			go func() { c <- f(v) }()
		}
		for _, c := range results {
			if !yield(<-c) {
				return
			}
		}
	}
}

func TestParallelSeq(t *testing.T) {
	got := slices.Collect(parallel(slices.Values([]int{1, 2, 3}), func(v int) string { return fmt.Sprint(v * 2) }))
	if strings.Join(got, ",") != "2,4,6" {
		t.Fatal(got)
	}
}

func TestSeqOverChannel(t *testing.T) {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range 3 {
			c <- i
		}
	}()
	all := func(yield func(int) bool) {
		for v := range c {
			if !yield(v) {
				return
			}
		}
	}
	sum := 0
	for v := range all {
		sum += v
	}
	if sum != 3 {
		t.Fatal(sum)
	}
}

func TestLockedIterator(t *testing.T) {
	var mu sync.RWMutex
	m := map[string]int{"a": 1, "b": 2}
	all := func(yield func(string, int) bool) {
		mu.RLock()
		defer mu.RUnlock()
		for k, v := range m {
			if !yield(k, v) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); m["c"] = 3; mu.Unlock() })
	wg.Go(func() {
		n := 0
		for range all {
			n++
		}
		if n < 2 {
			t.Error(n)
		}
	})
	wg.Wait()
}

type safe[T any] struct {
	mu sync.Mutex
	v  T
}

func (s *safe[T]) with(f func(*T)) { s.mu.Lock(); defer s.mu.Unlock(); f(&s.v) }

func TestGenericGuard(t *testing.T) {
	s := &safe[map[string]int]{v: map[string]int{}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { s.with(func(m *map[string]int) { (*m)["n"]++ }) })
	}
	wg.Wait()
	s.with(func(m *map[string]int) {
		if (*m)["n"] != 3 {
			t.Error(*m)
		}
	})
}

func TestGenericNumbers(t *testing.T) {
	sum := sumAll(1, 2, 3) + int(sumAll(0.5, 0.5))
	if sum != 7 {
		t.Fatal(sum)
	}
}

func sumAll[T int | float64](vs ...T) (s T) {
	c := make(chan T, len(vs))
	for _, v := range vs {
		go func() { c <- v }()
	}
	for range vs {
		s += <-c
	}
	return s
}

func TestClosureState(t *testing.T) {
	newCounter := func() (inc func(), get func() int) {
		var mu sync.Mutex
		n := 0
		return func() { mu.Lock(); n++; mu.Unlock() }, func() int { mu.Lock(); defer mu.Unlock(); return n }
	}
	inc, get := newCounter()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(inc)
	}
	wg.Wait()
	if get() != 3 {
		t.Fatal(get())
	}
}

func TestMethodValue(t *testing.T) {
	var n atomic.Int32
	add := n.Add
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { add(2) })
	}
	wg.Wait()
	if n.Load() != 6 {
		t.Fatal()
	}
}

func TestCopiesByValue(t *testing.T) {
	type point struct{ x, y int }
	p := point{1, 2}
	c := make(chan point)
	go func(q point) { q.x = 9; c <- q }(p)
	p.x = 5
	if q := <-c; q.x != 9 || p.x != 5 {
		t.Fatal(q, p)
	}
}

func TestDisjointFields(t *testing.T) {
	var s struct{ a, b, c int }
	var wg sync.WaitGroup
	wg.Go(func() { s.a = 1 })
	wg.Go(func() { s.b = 2 })
	wg.Go(func() { s.c = 3 })
	wg.Wait()
	if s.a+s.b+s.c != 6 {
		t.Fatal(s)
	}
}

func TestDisjointSlices(t *testing.T) {
	s := make([]int, 6)
	var wg sync.WaitGroup
	for chunk := range slices.Chunk(s, 2) {
		wg.Go(func() {
			for i := range chunk {
				chunk[i] = 1
			}
		})
	}
	wg.Wait()
	if slices.Contains(s, 0) {
		t.Fatal(s)
	}
}

func TestDisjointBytes(t *testing.T) {
	b := make([]byte, 8)
	var wg sync.WaitGroup
	for i := range b {
		wg.Go(func() { b[i] = 'a' + byte(i) })
	}
	wg.Wait()
	if string(b) != "abcdefgh" {
		t.Fatal(string(b))
	}
}

func TestCopyBetweenHalves(t *testing.T) {
	b := []byte("hello.....")
	var wg sync.WaitGroup
	wg.Go(func() { copy(b[5:], "world") })
	wg.Go(func() {
		if string(b[:5]) != "hello" {
			t.Error(string(b[:5]))
		}
	})
	wg.Wait()
	if string(b) != "helloworld" {
		t.Fatal(string(b))
	}
}

func TestReadOnlyMap(t *testing.T) {
	m := map[string][]int{"a": {1, 2}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for k := range maps.Keys(m) {
				if len(m[k]) != 2 {
					t.Error(k)
				}
			}
		})
	}
	wg.Wait()
}

func TestPerGoroutineMaps(t *testing.T) {
	ms := make([]map[int]int, 3)
	var wg sync.WaitGroup
	for i := range ms {
		wg.Go(func() { ms[i] = map[int]int{i: i} })
	}
	wg.Wait()
	for i, m := range ms {
		if m[i] != i {
			t.Fatal(ms)
		}
	}
}

type resource struct{ id int }

func TestCleanup(t *testing.T) {
	cleaned := make(chan int, 1)
	func() {
		r := &resource{1}
		runtime.AddCleanup(r, func(id int) { cleaned <- id }, r.id)
		runtime.KeepAlive(r)
	}()
	for range 100 {
		runtime.GC()
		select {
		case id := <-cleaned:
			if id != 1 {
				t.Fatal(id)
			}
			return
		default:
			runtime.Gosched()
		}
	}
	t.Skip("not collected")
}

func TestFinalizer(t *testing.T) {
	var n atomic.Int32
	func() {
		r := &resource{2}
		runtime.SetFinalizer(r, func(r *resource) { n.Add(1) })
	}()
	runtime.GC()
	if n.Load() > 1 {
		t.Fatal(n.Load())
	}
}

func TestWeakCache(t *testing.T) {
	var mu sync.Mutex
	cache := map[int]weak.Pointer[resource]{}
	get := func(id int) *resource {
		mu.Lock()
		defer mu.Unlock()
		if p, ok := cache[id]; ok {
			if r := p.Value(); r != nil {
				return r
			}
		}
		r := &resource{id}
		cache[id] = weak.Make(r)
		return r
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if r := get(1); r.id != 1 {
				t.Error(r.id)
			}
		})
	}
	wg.Wait()
}

func TestGosched(t *testing.T) {
	var n atomic.Int32
	for range 3 {
		go n.Add(1)
	}
	for n.Load() < 3 {
		runtime.Gosched()
	}
}

func TestDeferredUnlock(t *testing.T) {
	var mu sync.Mutex
	n := 0
	step := func(fail bool) (err error) {
		mu.Lock()
		defer mu.Unlock()
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%v", r)
			}
		}()
		n++
		if fail {
			panic("fail")
		}
		return nil
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			if err := step(i == 1); (err != nil) != (i == 1) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n != 3 {
		t.Fatal(n)
	}
}

func TestReflectSelect(t *testing.T) {
	a, b := make(chan int, 1), make(chan int, 1)
	go func() { a <- 1 }()
	go func() { b <- 2 }()
	cases := []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a)}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(b)}}
	sum := 0
	for range 2 {
		_, v, ok := reflect.Select(cases)
		if !ok {
			t.Fatal()
		}
		sum += int(v.Int())
	}
	if sum != 3 {
		t.Fatal(sum)
	}
}

func TestLogger(t *testing.T) {
	var b strings.Builder
	l := log.New(&b, "", 0)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { l.Print(i) })
	}
	wg.Wait()
	if len(strings.Fields(b.String())) != 3 {
		t.Fatal(b.String())
	}
}

func TestRandomPerGoroutine(t *testing.T) {
	out := make([]int, 3)
	var wg sync.WaitGroup
	for i := range out {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			out[i] = r.IntN(10)
		})
	}
	wg.Wait()
	for _, v := range out {
		if v < 0 || v > 9 {
			t.Fatal(out)
		}
	}
}

func TestGlobalRandom(t *testing.T) {
	var wg sync.WaitGroup
	var sum atomic.Int64
	for range 3 {
		wg.Go(func() { sum.Add(int64(rand.IntN(3))) })
	}
	wg.Wait()
	if s := sum.Load(); s < 0 || s > 6 {
		t.Fatal(s)
	}
}

func TestMapOrderDoesNotMatter(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	c := make(chan int, len(m))
	for _, v := range m {
		go func() { c <- v }()
	}
	sum := 0
	for range m {
		sum += <-c
	}
	if sum != 6 {
		t.Fatal(sum)
	}
}

func TestErrorsAs(t *testing.T) {
	errc := make(chan error, 2)
	go func() { errc <- fmt.Errorf("wrapped: %w", io.EOF) }()
	go func() { errc <- context.Canceled }()
	var eofs int
	for range 2 {
		if errors.Is(<-errc, io.EOF) {
			eofs++
		}
	}
	if eofs != 1 {
		t.Fatal(eofs)
	}
}

type shape interface{ area() int }
type sq struct{ a int }
type rect struct{ a, b int }

func (s sq) area() int    { return s.a * s.a }
func (r *rect) area() int { return r.a * r.b }

func TestInterfaces(t *testing.T) {
	shapes := []shape{sq{2}, &rect{2, 3}, sq{1}}
	areas := make([]int, len(shapes))
	var wg sync.WaitGroup
	for i, s := range shapes {
		wg.Go(func() { areas[i] = s.area() })
	}
	wg.Wait()
	if fmt.Sprint(areas) != "[4 6 1]" {
		t.Fatal(areas)
	}
}

type embedded struct {
	sync.Mutex
	list []int
}

func TestEmbeddedMutex(t *testing.T) {
	var e embedded
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { e.Lock(); defer e.Unlock(); e.list = append(e.list, i) })
	}
	wg.Wait()
	slices.Sort(e.list)
	if fmt.Sprint(e.list) != "[0 1 2]" {
		t.Fatal(e.list)
	}
}

func TestStringsShared(t *testing.T) {
	s := "shared"
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if strings.ToUpper(s) != "SHARED" {
				t.Error()
			}
		})
	}
	wg.Wait()
	s = "changed"
	_ = s
}

func TestStructReplaced(t *testing.T) {
	type conf struct{ a, b int }
	var mu sync.RWMutex
	c := conf{1, 1}
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); c = conf{2, 2}; mu.Unlock() })
	wg.Go(func() {
		mu.RLock()
		v := c
		mu.RUnlock()
		if v.a != v.b {
			t.Error(v)
		}
	})
	wg.Wait()
}
