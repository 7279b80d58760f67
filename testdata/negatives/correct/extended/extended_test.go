package extended

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

func TestGroup(t *testing.T) {
	var g errgroup.Group
	out := make([]int, 3)
	for i := range out {
		g.Go(func() error { out[i] = i * i; return nil })
	}
	if err := g.Wait(); err != nil || out[2] != 4 {
		t.Fatal(err, out)
	}
}

func TestGroupError(t *testing.T) {
	g, ctx := errgroup.WithContext(context.Background())
	bad := errors.New("bad")
	g.Go(func() error { return bad })
	for range 2 {
		g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	}
	if err := g.Wait(); err != bad {
		t.Fatal(err)
	}
}

func TestGroupLimit(t *testing.T) {
	var g errgroup.Group
	g.SetLimit(2)
	var in, most atomic.Int32
	for range 4 {
		g.Go(func() error {
			n := in.Add(1)
			defer in.Add(-1)
			for {
				m := most.Load()
				if n <= m || most.CompareAndSwap(m, n) {
					return nil
				}
			}
		})
	}
	if err := g.Wait(); err != nil || most.Load() > 2 {
		t.Fatal(err, most.Load())
	}
}

func TestTryGo(t *testing.T) {
	var g errgroup.Group
	g.SetLimit(1)
	hold := make(chan struct{})
	g.Go(func() error { <-hold; return nil })
	if g.TryGo(func() error { return nil }) {
		t.Fatal("went")
	}
	close(hold)
	g.Wait()
}

func TestGroupPipeline(t *testing.T) {
	g, ctx := errgroup.WithContext(context.Background())
	paths := make(chan string)
	g.Go(func() error {
		defer close(paths)
		for _, p := range []string{"a", "b", "c"} {
			select {
			case paths <- p:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	sums := make(chan string)
	for range 2 {
		g.Go(func() error {
			for p := range paths {
				select {
				case sums <- strings.ToUpper(p):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}
	go func() { g.Wait(); close(sums) }()
	n := 0
	for range sums {
		n++
	}
	if err := g.Wait(); err != nil || n != 3 {
		t.Fatal(err, n)
	}
}

func TestSemaphore(t *testing.T) {
	sem := semaphore.NewWeighted(2)
	var in atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := sem.Acquire(context.Background(), 1); err != nil {
				t.Error(err)
				return
			}
			if in.Add(1) > 2 {
				t.Error("too many")
			}
			in.Add(-1)
			sem.Release(1)
		})
	}
	wg.Wait()
}

func TestSemaphoreAll(t *testing.T) {
	sem := semaphore.NewWeighted(3)
	ctx := context.Background()
	results := make([]int, 4)
	for i := range results {
		if err := sem.Acquire(ctx, 1); err != nil {
			t.Fatal(err)
		}
		go func() { defer sem.Release(1); results[i] = i + 1 }()
	}
	if err := sem.Acquire(ctx, 3); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(results) != "[1 2 3 4]" {
		t.Fatal(results)
	}
}

func TestSemaphoreReadersWriter(t *testing.T) {
	const all = 4
	sem := semaphore.NewWeighted(all)
	ctx := context.Background()
	val := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			sem.Acquire(ctx, 1)
			defer sem.Release(1)
			if val < 0 {
				t.Error(val)
			}
		})
	}
	wg.Go(func() { sem.Acquire(ctx, all); val++; sem.Release(all) })
	wg.Wait()
}

func TestSemaphoreGivesUp(t *testing.T) {
	sem := semaphore.NewWeighted(1)
	sem.Acquire(context.Background(), 1)
	ctx, cancel := context.WithCancel(context.Background())
	errc := make(chan error)
	go func() { errc <- sem.Acquire(ctx, 1) }()
	cancel()
	if err := <-errc; err != context.Canceled {
		t.Fatal(err)
	}
	sem.Release(1)
}

func TestSingleflight(t *testing.T) {
	var g singleflight.Group
	var calls atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			v, err, _ := g.Do("key", func() (any, error) { calls.Add(1); return "v", nil })
			if v != "v" || err != nil {
				t.Error(v, err)
			}
		})
	}
	wg.Wait()
	if n := calls.Load(); n < 1 || n > 3 {
		t.Fatal(n)
	}
}

func TestSingleflightCache(t *testing.T) {
	var g singleflight.Group
	var mu sync.Mutex
	cache := map[string]int{}
	calls := 0
	get := func(k string) int {
		mu.Lock()
		v, ok := cache[k]
		mu.Unlock()
		if ok {
			return v
		}
		x, _, _ := g.Do(k, func() (any, error) {
			mu.Lock()
			defer mu.Unlock()
			if v, ok := cache[k]; ok {
				return v, nil
			}
			calls++
			cache[k] = len(k)
			return len(k), nil
		})
		return x.(int)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if get("abc") != 3 {
				t.Error("wrong")
			}
		})
	}
	wg.Wait()
	if calls != 1 {
		t.Fatal(calls)
	}
}

func TestSingleflightChan(t *testing.T) {
	var g singleflight.Group
	c := g.DoChan("k", func() (any, error) { return 1, nil })
	select {
	case r := <-c:
		if r.Val != 1 {
			t.Fatal(r)
		}
	case <-time.After(time.Minute):
		t.Fatal("timeout")
	}
}

func TestGroupCollects(t *testing.T) {
	var g errgroup.Group
	var mu sync.Mutex
	m := map[int]string{}
	for i := range 3 {
		g.Go(func() error {
			mu.Lock()
			defer mu.Unlock()
			m[i] = fmt.Sprint(i)
			return nil
		})
	}
	if err := g.Wait(); err != nil || len(m) != 3 {
		t.Fatal(err, m)
	}
}

func TestGroupOfGroups(t *testing.T) {
	var n atomic.Int32
	var outer errgroup.Group
	for range 2 {
		outer.Go(func() error {
			var inner errgroup.Group
			for range 2 {
				inner.Go(func() error { n.Add(1); return nil })
			}
			return inner.Wait()
		})
	}
	if err := outer.Wait(); err != nil || n.Load() != 4 {
		t.Fatal(err, n.Load())
	}
}

func TestFirstAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	first := make(chan int, 3)
	for i := range 3 {
		go func() {
			select {
			case <-ctx.Done():
			default:
				first <- i
			}
		}()
	}
	if v := <-first; v < 0 || v > 2 {
		t.Fatal(v)
	}
}
