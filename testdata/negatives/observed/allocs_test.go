package observed

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type point struct{ x, y int }

func newPoint(x, y int) *point { return &point{x, y} }

func (p *point) add(q *point) *point { p.x += q.x; p.y += q.y; return p }
func (p point) sum() int             { return p.x + p.y }

type summer interface{ sum() int }

type stack[T any] struct{ items []T }

func newStack[T any](n int) *stack[T] { return &stack[T]{make([]T, 0, n)} }
func (s *stack[T]) push(v T)          { s.items = append(s.items, v) }
func (s *stack[T]) pop() (v T, ok bool) {
	if len(s.items) == 0 {
		return v, false
	}
	v = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v, true
}
func (s *stack[T]) all() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, v := range s.items {
			if !yield(i, v) {
				return
			}
		}
	}
}

type option func(*config)
type config struct {
	name string
	n    int
	deep struct{ a [4]int }
}

func withName(s string) option { return func(c *config) { c.name = s } }
func withN(n int) option       { return func(c *config) { c.n = n } }
func newConfig(opts ...option) *config {
	c := &config{n: 1}
	for _, o := range opts {
		o(c)
	}
	return c
}

func apply(n int, f func(int) int) int { return f(n) }
func variadic(args ...any) int         { return len(args) }
func fill(b []byte) []byte             { return append(b, "abc"...) }
func counter() func() int              { n := 0; return func() int { n++; return n } }

type node struct {
	left, right *node
	key         int
}

func (n *node) insert(key int) *node {
	if n == nil {
		return &node{key: key}
	}
	if key < n.key {
		n.left = n.left.insert(key)
	} else {
		n.right = n.right.insert(key)
	}
	return n
}

type locked struct {
	mu sync.Mutex
	n  int
	m  map[string]int
}

func (l *locked) with(f func()) { l.mu.Lock(); defer l.mu.Unlock(); f() }
func (l *locked) get(k string) (int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.m[k]
	return v, ok
}
func (l *locked) copied() map[string]int { l.mu.Lock(); defer l.mu.Unlock(); return maps.Clone(l.m) }

var (
	sinkInt    int
	sinkAny    any
	sinkPoint  *point
	sinkString string
	sinkBytes  []byte
	sinkFunc   func() int
)

// Each form has what instrumenting could make escape, or keep from being inlined.
func allocations() map[string]func() {
	var (
		shared  = &locked{m: map[string]int{"a": 1, "b": 2}}
		words   = []string{"b", "c", "a"}
		numbers = []int{3, 1, 2}
		buf     = make([]byte, 0, 64)
		ctx     = context.Background()
		counts  = map[string]int{"a": 0}
		points  = map[point]*point{{1, 2}: {1, 2}}
		pool    = sync.Pool{New: func() any { return new(bytes.Buffer) }}
		ch      = make(chan point, 1)
		done    = make(chan struct{}, 1)
		old     atomic.Pointer[point]
		value   atomic.Value
		syncMap sync.Map
		wg      sync.WaitGroup
		once    sync.Once
		rw      sync.RWMutex
		key     = []byte("a")
		array   [64]int
		err     = errors.New("x")
	)
	value.Store(point{})
	syncMap.Store("a", 1)
	return map[string]func(){
		"inlined constructor":  func() { p := newPoint(1, 2); sinkInt += p.x },
		"inlined chain":        func() { sinkInt += newPoint(1, 2).add(newPoint(3, 4)).sum() },
		"escaping constructor": func() { sinkPoint = newPoint(1, 2) },
		"composite":            func() { p := &point{1, 2}; q := p; q.x++; sinkInt += p.x },
		"address of local":     func() { x := 1; p := &x; *p++; sinkInt += x },
		"address of element":   func() { var a [8]int; p := &a[sinkInt&7]; *p++; sinkInt += a[0] },
		"address of field":     func() { var c config; p := &c.deep.a[2]; *p = 3; sinkInt += c.deep.a[2] },
		"interface of struct":  func() { var s summer = point{1, 2}; sinkInt += s.sum() },
		"interface of pointer": func() { var s summer = &point{1, 2}; sinkInt += s.sum() },
		"interface escapes":    func() { sinkAny = point{1, sinkInt} },
		"interface of small":   func() { sinkAny = byte(sinkInt) },
		"interface of int":     func() { sinkAny = 100000 + sinkInt },
		"type switch": func() {
			switch v := sinkAny.(type) {
			case int:
				sinkInt += v
			case point:
				sinkInt += v.x
			}
		},
		"closure called":     func() { n := 0; f := func() { n++ }; f(); f(); sinkInt += n },
		"closure passed":     func() { k := sinkInt; sinkInt += apply(1, func(n int) int { return n + k }) },
		"closure escapes":    func() { n := 0; sinkFunc = func() int { n++; return n } },
		"closure of counter": func() { f := counter(); sinkInt += f() + f() },
		"method value":       func() { p := point{1, 2}; f := p.sum; sinkInt += f() },
		"method expression":  func() { f := (*point).add; p := &point{}; f(p, p); sinkInt += p.x },
		"options":            func() { c := newConfig(withName("a"), withN(3)); sinkInt += c.n },
		"variadic ints":      func() { sinkInt += variadic(1, 2, sinkInt) },
		"variadic pointers":  func() { a, b := 1, 2; sinkInt += variadic(&a, &b) },
		"generic stack":      func() { s := newStack[int](4); s.push(1); s.push(2); v, _ := s.pop(); sinkInt += v },
		"generic pointers":   func() { s := newStack[*point](2); s.push(&point{1, 2}); v, _ := s.pop(); sinkInt += v.x },
		"generic range": func() {
			s := stack[int]{numbers}
			for _, v := range s.all() {
				sinkInt += v
			}
		},
		"range func": func() {
			for i := range 10 {
				sinkInt += i
			}
		},
		"range slice": func() {
			for i, v := range numbers {
				sinkInt += i * v
			}
		},
		"range array": func() {
			for i, v := range array {
				sinkInt += i * v
			}
		},
		"range array copy": func() {
			a := array
			for i := range a {
				a[i]++
				sinkInt += a[i]
			}
		},
		"range map": func() {
			for k, v := range counts {
				sinkInt += len(k) + v
			}
		},
		"range keys": func() {
			for k := range maps.Keys(counts) {
				sinkInt += len(k)
			}
		},
		"range string": func() {
			for _, r := range "äöü" {
				sinkInt += int(r)
			}
		},
		"range channel": func() {
			c := make(chan int, 2)
			c <- 1
			close(c)
			for v := range c {
				sinkInt += v
			}
		},
		"loop variables": func() {
			var fs [3]func() int
			for i := range 3 {
				fs[i] = func() int { return i }
			}
			sinkInt += fs[1]()
		},
		"make fixed":   func() { b := make([]byte, 32); b[1] = 2; sinkInt += int(b[1]) },
		"make unknown": func() { b := make([]int, 3+sinkInt&1); b[1] = 2; sinkInt += b[1] },
		"append grows": func() {
			var s []int
			for i := range 10 {
				s = append(s, i)
			}
			sinkInt += len(s)
		},
		"append kept":    func() { buf = fill(buf[:0]) },
		"append field":   func() { var s stack[int]; s.push(1); s.push(2); s.push(3); sinkInt += len(s.items) },
		"append escapes": func() { sinkBytes = append([]byte(nil), buf...) },
		"concat":         func() { sinkString = words[0] + words[1] },
		"concat local":   func() { s := words[0] + "-" + words[1]; sinkInt += len(s) },
		"concat assign": func() {
			s := ""
			for _, w := range words {
				s += w
			}
			sinkInt += len(s)
		},
		"bytes of string":  func() { b := []byte(words[0]); b[0] = 'x'; sinkInt += int(b[0]) },
		"string of bytes":  func() { s := string(key); sinkInt += len(s) },
		"map by bytes":     func() { sinkInt += counts[string(key)] },
		"map by bytes set": func() { counts[string(key)]++ },
		"map small":        func() { m := map[int]int{1: 2}; m[3]++; sinkInt += len(m) },
		"map by struct":    func() { sinkInt += points[point{1, 2}].x },
		"map of struct":    func() { m := map[string]point{}; m["a"] = point{1, 2}; p := m["a"]; sinkInt += p.x },
		"compare bytes": func() {
			if string(key) == words[2] {
				sinkInt++
			}
		},
		"switch bytes": func() {
			switch string(key) {
			case "a":
				sinkInt++
			}
		},
		"defer": func() { defer func() { sinkInt++ }() },
		"defer loop": func() {
			for range 3 {
				defer func() { sinkInt++ }()
			}
		},
		"defer method":  func() { rw.RLock(); defer rw.RUnlock(); sinkInt++ },
		"defer recover": func() { defer func() { recover() }(); sinkInt++ },
		"go":            func() { go func() { done <- struct{}{} }(); <-done },
		"go captured":   func() { n := 0; go func() { n++; done <- struct{}{} }(); <-done; sinkInt += n },
		"go arguments":  func() { go func(a, b int) { sinkInt += a + b; done <- struct{}{} }(1, 2); <-done },
		"go method":     func() { wg.Add(1); go wg.Done(); wg.Wait() },
		"wait group go": func() { wg.Go(func() { sinkInt++ }); wg.Wait() },
		"send struct":   func() { ch <- point{1, 2}; p := <-ch; sinkInt += p.x },
		"receive ok": func() {
			ch <- point{1, 2}
			p, ok := <-ch
			if ok {
				sinkInt += p.y
			}
		},
		"select default": func() {
			select {
			case p := <-ch:
				sinkInt += p.x
			default:
			}
		},
		"select send": func() {
			select {
			case ch <- point{}:
			default:
			}
			select {
			case <-ch:
			case <-done:
			}
		},
		"chan":             func() { c := make(chan int); _ = c },
		"chan buffered":    func() { c := make(chan point, 4); c <- point{}; sinkInt += len(c) },
		"lock":             func() { shared.mu.Lock(); shared.n++; shared.mu.Unlock() },
		"lock with":        func() { n := 0; shared.with(func() { n++ }); sinkInt += n },
		"lock get":         func() { v, _ := shared.get("a"); sinkInt += v },
		"lock clone":       func() { sinkInt += len(shared.copied()) },
		"local mutex":      func() { var mu sync.Mutex; mu.Lock(); sinkInt++; mu.Unlock() },
		"local locked":     func() { l := locked{}; l.with(func() { sinkInt++ }); sinkInt += l.n },
		"local once":       func() { var o sync.Once; o.Do(func() { sinkInt++ }) },
		"local wait group": func() { var w sync.WaitGroup; w.Add(1); w.Done(); w.Wait() },
		"local atomic":     func() { var n atomic.Int64; n.Add(1); sinkInt += int(n.Load()) },
		"local old atomic": func() { var n int64; atomic.AddInt64(&n, 1); sinkInt += int(atomic.LoadInt64(&n)) },
		"once":             func() { once.Do(func() { sinkInt++ }) },
		"once value":       func() { f := sync.OnceValue(func() int { return 1 }); sinkInt += f() },
		"atomic pointer":   func() { old.Store(&point{1, 2}); sinkInt += old.Load().x },
		"atomic value":     func() { value.Store(point{1, 2}); sinkInt += value.Load().(point).x },
		"atomic swap":      func() { p := old.Load(); old.CompareAndSwap(p, p) },
		"sync map":         func() { v, _ := syncMap.Load("a"); sinkInt += v.(int) },
		"sync map store":   func() { syncMap.Store("a", 1) },
		"sync map range":   func() { syncMap.Range(func(k, v any) bool { sinkInt += v.(int); return true }) },
		"pool":             func() { b := pool.Get().(*bytes.Buffer); b.Reset(); b.WriteString("x"); pool.Put(b) },
		"builder":          func() { var b strings.Builder; b.WriteString("abc"); b.WriteByte('d'); sinkInt += b.Len() },
		"builder grown": func() {
			var b strings.Builder
			b.Grow(16)
			for _, w := range words {
				b.WriteString(w)
			}
			sinkString = b.String()
		},
		"buffer":        func() { var b bytes.Buffer; b.WriteString("abc"); sinkInt += b.Len() },
		"sprintf":       func() { sinkString = fmt.Sprintf("%d %s %v", sinkInt, words[0], err) },
		"fprintf":       func() { var b bytes.Buffer; fmt.Fprintf(&b, "%d", 1000); sinkInt += b.Len() },
		"append format": func() { buf = fmt.Appendf(buf[:0], "%d", 12) },
		"strconv":       func() { buf = strconv.AppendInt(buf[:0], int64(sinkInt), 10); sinkString = strconv.Itoa(12345) },
		"join":          func() { sinkString = strings.Join(words, ",") },
		"split":         func() { sinkInt += len(strings.Split("a,b,c", ",")) },
		"sort":          func() { a := [3]int{3, 1, 2}; sort.Ints(a[:]); sinkInt += a[0] },
		"sort slice":    func() { sort.Slice(numbers, func(i, j int) bool { return numbers[i] < numbers[j] }) },
		"sort func":     func() { slices.SortFunc(words, func(a, b string) int { return cmp.Compare(a, b) }) },
		"index func":    func() { k := "c"; sinkInt += slices.IndexFunc(words, func(s string) bool { return s == k }) },
		"sorted keys":   func() { sinkInt += len(slices.Sorted(maps.Keys(counts))) },
		"pull":          func() { next, stop := iter.Pull(slices.Values(numbers)); v, _ := next(); stop(); sinkInt += v },
		"error new":     func() { sinkAny = errors.New("x") },
		"error wrapped": func() {
			e := fmt.Errorf("w: %w", err)
			if errors.Is(e, err) {
				sinkInt++
			}
		},
		"error join":      func() { sinkAny = errors.Join(err, err) },
		"context value":   func() { c := context.WithValue(ctx, point{}, 1); sinkInt += c.Value(point{}).(int) },
		"context cancel":  func() { c, cancel := context.WithCancel(ctx); cancel(); <-c.Done() },
		"context timeout": func() { c, cancel := context.WithTimeout(ctx, time.Hour); cancel(); <-c.Done() },
		"after func":      func() { time.AfterFunc(time.Hour, func() {}).Stop() },
		"timer":           func() { time.NewTimer(time.Hour).Stop() },
		"sleep":           func() { time.Sleep(1) },
		"now":             func() { sinkInt += time.Now().Second() },
		"reflect value":   func() { p := point{1, 2}; sinkInt += reflect.ValueOf(&p).Elem().NumField() },
		"reflect call":    func() { reflect.ValueOf(withN).Call([]reflect.Value{reflect.ValueOf(1)}) },
		"reflect equal": func() {
			if reflect.DeepEqual(numbers, numbers) {
				sinkInt++
			}
		},
		"tree": func() {
			var n *node
			for _, k := range numbers {
				n = n.insert(k)
			}
			sinkInt += n.key
		},
		"struct copy": func() { c := config{name: "a"}; d := c; d.n++; sinkInt += c.n + d.n },
		"array of structs": func() {
			var a [4]point
			for i := range a {
				a[i].x = i
			}
			sinkInt += a[3].x
		},
		"swap":    func() { numbers[0], numbers[1] = numbers[1], numbers[0] },
		"results": func() { q, r := divide(7, 2); sinkInt += q + r },
		"named results": func() {
			n, err := named(3)
			if err == nil {
				sinkInt += n
			}
		},
		"goto": func() {
			i := 0
			for {
				if i > 3 {
					break
				}
				i++
			}
			sinkInt += i
		},
		"copy":           func() { var b [8]byte; copy(b[:], "abc"); sinkInt += int(b[0]) },
		"clear":          func() { clear(buf[:cap(buf)]) },
		"min max":        func() { sinkInt += min(numbers[0], 1) + max(numbers[1], 2) },
		"slice to array": func() { a := [2]int(numbers); sinkInt += a[0]; p := (*[2]int)(numbers); sinkInt += p[1] },
		"caller":         func() { _, _, line, _ := runtime.Caller(0); sinkInt += line },
		"panic":          func() { defer func() { recover() }(); panic(err) },
	}
}

func divide(a, b int) (int, int) { return a / b, a % b }

func named(n int) (m int, err error) {
	defer func() {
		if n < 0 {
			err = errors.New("negative")
		}
	}()
	m = n * 2
	return
}

// TestAllocations counts the objects of each form.
func TestAllocations(t *testing.T) {
	forms := allocations()
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		see(t, name, testing.AllocsPerRun(100, forms[name]))
	}
}

// Growing follows from the sizes of the allocator.
func TestGrowth(t *testing.T) {
	var ints, caps []int
	var strs []string
	var bs []byte
	var ps []point
	for i := range 600 {
		before := [...]int{cap(ints), cap(strs), cap(bs), cap(ps)}
		ints, strs, bs, ps = append(ints, i), append(strs, ""), append(bs, 0), append(ps, point{})
		for k, after := range []int{cap(ints), cap(strs), cap(bs), cap(ps)} {
			if after != before[k] {
				caps = append(caps, after)
			}
		}
	}
	see(t, "caps", caps)
	local := []int{1}
	local = append(local, 2, 3)
	word := []byte("word")
	see(t, "locals", cap(local), cap(word), cap([]rune("word")), cap(append([]byte(nil), 1)), cap(append(word[:2:2], 1)))
	see(t, "others", cap(slices.Grow([]int(nil), 5)), cap(slices.Clone(ints[:5])), cap(bytes.Clone(bs[:5])), cap([]byte(strings.Repeat("x", 40))))
}
