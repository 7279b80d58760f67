package racy

import (
	"sync"
	"testing"
)

type item struct {
	name string
	n    int
}

func (i *item) use() int { return i.n }

func TestSliceValue(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = v
		}()
	}
	wg.Wait()
}

func TestSliceKey(t *testing.T) {
	var wg sync.WaitGroup
	for i := range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = i
		}()
	}
	wg.Wait()
}

func TestChannel(t *testing.T) {
	var wg sync.WaitGroup
	c := make(chan int, 2)
	c <- 1
	c <- 2
	close(c)
	for v := range c {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = v
		}()
	}
	wg.Wait()
}

func TestMapKey(t *testing.T) {
	var wg sync.WaitGroup
	for k := range map[string]int{"a": 1, "b": 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = k
		}()
	}
	wg.Wait()
}

func TestMapValue(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range map[string]int{"a": 1, "b": 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = v
		}()
	}
	wg.Wait()
}

func TestString(t *testing.T) {
	var wg sync.WaitGroup
	for _, r := range "ab" {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = r
		}()
	}
	wg.Wait()
}

func TestArray(t *testing.T) {
	var wg sync.WaitGroup
	for _, r := range [2]int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = r
		}()
	}
	wg.Wait()
}

func TestArrayPointer(t *testing.T) {
	var wg sync.WaitGroup
	for _, r := range &[2]int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = r
		}()
	}
	wg.Wait()
}

func read(p *int, wg *sync.WaitGroup) {
	defer wg.Done()
	_ = *p
}

func TestAddress(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []int{1, 2} {
		wg.Add(1)
		go read(&v, &wg)
	}
	wg.Wait()
}

func TestPointerReceiver(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []item{{"a", 1}, {"b", 2}} {
		wg.Add(1)
		go func(p *item) {
			defer wg.Done()
			p.use()
		}(&v)
	}
	wg.Wait()
}

func TestMethodValue(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []item{{"a", 1}, {"b", 2}} {
		wg.Add(1)
		f := v.use
		go func() {
			defer wg.Done()
			f()
		}()
	}
	wg.Wait()
}

func TestGoMethod(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []waiter{{n: 1, wg: &wg}, {n: 2, wg: &wg}} {
		wg.Add(1)
		go v.run()
	}
	wg.Wait()
}

type waiter struct {
	n  int
	wg *sync.WaitGroup
}

func (w *waiter) run() {
	_ = w.n
	wg := w.wg
	wg.Done()
}

func TestStructField(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []item{{"a", 1}, {"b", 2}} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = v.name
		}()
	}
	wg.Wait()
}

func TestDeferred(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer func() {
				_ = v
				wg.Done()
			}()
		}()
	}
	wg.Wait()
}

func spawn(wg *sync.WaitGroup, f func()) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		f()
	}()
}

func TestHelper(t *testing.T) {
	var wg sync.WaitGroup
	for _, v := range []int{1, 2} {
		spawn(&wg, func() { _ = v })
	}
	wg.Wait()
}

func TestForClause(t *testing.T) {
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = i
		}()
	}
	wg.Wait()
}

func TestForTwo(t *testing.T) {
	var wg sync.WaitGroup
	for i, j := 0, 5; i < j; i, j = i+1, j-1 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = j
		}()
	}
	wg.Wait()
}

func TestOuter(t *testing.T) {
	var wg sync.WaitGroup
	var k, v int
	for k, v = range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = k + v
		}()
	}
	wg.Wait()
}

func TestOuterField(t *testing.T) {
	var wg sync.WaitGroup
	var it item
	for _, it.n = range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = it.n
		}()
	}
	wg.Wait()
}

func TestOuterElement(t *testing.T) {
	var wg sync.WaitGroup
	xs := make([]int, 1)
	for xs[0] = range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = xs[0]
		}()
	}
	wg.Wait()
}

func TestSelect(t *testing.T) {
	var wg sync.WaitGroup
	c := make(chan int, 2)
	c <- 1
	c <- 2
	var v int
	for i := 0; i < 2; i++ {
		select {
		case v = <-c:
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = v
		}()
	}
	wg.Wait()
}

func TestSelectOk(t *testing.T) {
	var wg sync.WaitGroup
	c := make(chan int, 2)
	c <- 1
	c <- 2
	var ok bool
	for i := 0; i < 2; i++ {
		select {
		case _, ok = <-c:
		default:
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = ok
		}()
	}
	wg.Wait()
}

func TestTypeSwitch(t *testing.T) {
	var wg sync.WaitGroup
	for _, x := range []any{1, "b"} {
		switch y := x.(type) {
		case int:
			spawn(&wg, func() { _ = y; _ = x })
		case string:
			spawn(&wg, func() { _ = y; _ = x })
		}
	}
	wg.Wait()
}

func generic[T any](xs []T, use func(T)) {
	var wg sync.WaitGroup
	for _, v := range xs {
		spawn(&wg, func() { use(v) })
	}
	wg.Wait()
}

func TestGeneric(t *testing.T) {
	generic([]string{"a", "b"}, func(string) {})
}

func TestNested(t *testing.T) {
	var wg sync.WaitGroup
	for i, row := range [][]int{{1, 2}, {3}} {
		for _, v := range row {
			spawn(&wg, func() { _ = v + i })
		}
	}
	wg.Wait()
}

func TestErrGroup(t *testing.T) {
	errs := make(chan error, 2)
	for _, name := range []string{"a", "b"} {
		go func() {
			_ = name
			errs <- nil
		}()
	}
	<-errs
	<-errs
}

func TestLabelled(t *testing.T) {
	var wg sync.WaitGroup
outer:
	for _, v := range []int{1, 2, 3} {
		for range []int{1} {
			spawn(&wg, func() { _ = v })
			continue outer
		}
	}
	wg.Wait()
}

func TestOuterMap(t *testing.T) {
	var wg sync.WaitGroup
	m := map[int]int{}
	for m[0] = range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = m[0]
		}()
	}
	wg.Wait()
}

func TestOuterPointer(t *testing.T) {
	var wg sync.WaitGroup
	p := new(int)
	for _, *p = range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = *p
		}()
	}
	wg.Wait()
}

func TestForNewlines(t *testing.T) {
	var wg sync.WaitGroup
	type node struct{ next *node }
	for i, p := 0, (&node{&node{nil}}); p != nil; i, p = i+
		1,
		p.next {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = p
		}()
	}
	wg.Wait()
}
