package regions

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Of code like this a checker of atomic regions may think that it was meant as one.

func TestCheckThenRecheck(t *testing.T) {
	var mu sync.Mutex
	m := map[string]int{}
	put := func(k string, v int) {
		mu.Lock()
		_, ok := m[k]
		mu.Unlock()
		if ok {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if _, ok := m[k]; !ok {
			m[k] = v
		}
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { put("k", i) })
	}
	wg.Wait()
	if len(m) != 1 {
		t.Fatal(m)
	}
}

func TestWaitsWithinRegion(t *testing.T) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	n := 0
	take := func() {
		mu.Lock()
		defer mu.Unlock()
		for n == 0 {
			cond.Wait()
		}
		n--
	}
	give := func() { mu.Lock(); n++; mu.Unlock(); cond.Signal() }
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(take)
		wg.Go(give)
	}
	wg.Wait()
	if n != 0 {
		t.Fatal(n)
	}
}

type outerInner struct {
	mu    sync.Mutex // of jobs
	jobs  []string
	stats struct {
		sync.Mutex
		started, done int
	}
}

func (o *outerInner) run(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stats.Lock()
	o.stats.started++
	o.stats.Unlock()
	o.jobs = append(o.jobs, name)
	o.stats.Lock()
	o.stats.done++
	o.stats.Unlock()
}
func (o *outerInner) report() (int, int) {
	o.stats.Lock()
	defer o.stats.Unlock()
	return o.stats.started, o.stats.done
}

func TestStatsWithinOuter(t *testing.T) {
	var o outerInner
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { o.run(fmt.Sprint(i)) })
	}
	wg.Go(func() {
		if s, d := o.report(); d > s {
			t.Error(s, d)
		}
	})
	wg.Wait()
	if s, d := o.report(); s != 2 || d != 2 || len(o.jobs) != 2 {
		t.Fatal(s, d)
	}
}

func TestProgressWithinOuter(t *testing.T) { // readers may see any step
	var work, state sync.Mutex
	phase := "idle"
	set := func(s string) { state.Lock(); phase = s; state.Unlock() }
	do := func() {
		work.Lock()
		defer work.Unlock()
		set("loading")
		set("running")
		set("idle")
	}
	var wg sync.WaitGroup
	wg.Go(do)
	wg.Go(do)
	wg.Go(func() {
		state.Lock()
		defer state.Unlock()
		if phase == "" {
			t.Error("no phase")
		}
	})
	wg.Wait()
	if phase != "idle" {
		t.Fatal(phase)
	}
}

func TestInnerCounterReadTwice(t *testing.T) {
	var outer, inner sync.Mutex
	n := 0
	load := func() int { inner.Lock(); defer inner.Unlock(); return n }
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			outer.Lock()
			defer outer.Unlock()
			before := load()
			if after := load(); after < before {
				t.Error(before, after)
			}
		})
	}
	wg.Go(func() { inner.Lock(); n++; inner.Unlock() })
	wg.Wait()
}

func TestInnerRWRead(t *testing.T) {
	var outer sync.Mutex
	var inner sync.RWMutex
	conf := map[string]string{"level": "info"}
	get := func(k string) string { inner.RLock(); defer inner.RUnlock(); return conf[k] }
	var lines []string
	logf := func(s string) {
		outer.Lock()
		defer outer.Unlock()
		if get("level") != "off" {
			lines = append(lines, get("level")+": "+s)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { logf("a") })
	wg.Go(func() { logf("b") })
	wg.Go(func() { inner.Lock(); conf["level"] = "debug"; inner.Unlock() })
	wg.Wait()
	if len(lines) != 2 {
		t.Fatal(lines)
	}
}

func TestInnerQueueInBatch(t *testing.T) { // one worker at a time drains; puts go on
	var draining, q sync.Mutex
	var queue []int
	sum := 0
	put := func(v int) { q.Lock(); queue = append(queue, v); q.Unlock() }
	drain := func() {
		draining.Lock()
		defer draining.Unlock()
		for {
			q.Lock()
			if len(queue) == 0 {
				q.Unlock()
				return
			}
			v := queue[0]
			queue = queue[1:]
			q.Unlock()
			sum += v
		}
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { put(i + 1); drain() })
	}
	wg.Wait()
	if sum != 6 {
		t.Fatal(sum)
	}
}

func TestInnerThroughInterface(t *testing.T) {
	var outer sync.Mutex
	var c counter = &locked{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			outer.Lock()
			defer outer.Unlock()
			c.inc()
			if c.value() < 1 {
				t.Error(c.value())
			}
		})
	}
	wg.Go(c.inc)
	wg.Wait()
	if c.value() != 3 {
		t.Fatal(c.value())
	}
}

type counter interface {
	inc()
	value() int
}
type locked struct {
	mu sync.Mutex
	n  int
}

func (l *locked) inc()       { l.mu.Lock(); l.n++; l.mu.Unlock() }
func (l *locked) value() int { l.mu.Lock(); defer l.mu.Unlock(); return l.n }

func TestInnerGeneric(t *testing.T) {
	b := box[int]{}
	var outer sync.Mutex
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			outer.Lock()
			defer outer.Unlock()
			old := b.get()
			b.set(max(old, i))
		})
	}
	wg.Go(func() { b.get() })
	wg.Wait()
	if b.get() != 1 {
		t.Fatal(b.get())
	}
}

type box[T any] struct {
	mu sync.Mutex
	v  T
}

func (b *box[T]) get() T  { b.mu.Lock(); defer b.mu.Unlock(); return b.v }
func (b *box[T]) set(v T) { b.mu.Lock(); b.v = v; b.mu.Unlock() }

func TestSetterBesideReader(t *testing.T) { // lo and hi are independent
	var mu sync.Mutex
	lo, hi := 0, 100
	setLo := func(v int) { mu.Lock(); lo = v; mu.Unlock() }
	setHi := func(v int) { mu.Lock(); hi = v; mu.Unlock() }
	var wg sync.WaitGroup
	wg.Go(func() { setLo(1); setHi(99) })
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if lo > hi {
			t.Error(lo, hi)
		}
	})
	wg.Wait()
}

func TestHostAndPortReloaded(t *testing.T) { // a pair, always under one lock
	var mu sync.RWMutex
	host, port := "a", 1
	reload := func(h string, p int) { mu.Lock(); host, port = h, p; mu.Unlock() }
	addr := func() string { mu.RLock(); defer mu.RUnlock(); return fmt.Sprint(host, port) }
	var wg sync.WaitGroup
	wg.Go(func() { reload("b", 2) })
	wg.Go(func() {
		if a := addr(); a != "a1" && a != "b2" {
			t.Error(a)
		}
	})
	wg.Wait()
}

func TestCounterThenList(t *testing.T) { // count first, list later, in two sections on purpose
	var mu sync.Mutex
	count := 0
	var list []int
	add := func(v int) {
		mu.Lock()
		count++
		mu.Unlock()
		v *= 2
		mu.Lock()
		list = append(list, v)
		mu.Unlock()
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { add(i) })
	}
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if len(list) > count {
			t.Error(len(list), count)
		}
	})
	wg.Wait()
	if count != 3 || len(list) != 3 {
		t.Fatal(count, list)
	}
}

func TestClaimThenFill(t *testing.T) {
	var mu sync.Mutex
	slots := make([]string, 3)
	next := 0
	claim := func() int { mu.Lock(); defer mu.Unlock(); next++; return next - 1 }
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			k := claim()
			mu.Lock()
			slots[k] = fmt.Sprint(i)
			mu.Unlock()
		})
	}
	wg.Wait()
	if slices.Contains(slots, "") {
		t.Fatal(slots)
	}
}

func TestCopyOutWorkCopyIn(t *testing.T) { // with a version that is compared
	var mu sync.Mutex
	version, text := 0, "a"
	edit := func(f func(string) string) {
		for {
			mu.Lock()
			v, s := version, text
			mu.Unlock()
			s = f(s)
			mu.Lock()
			ok := version == v
			if ok {
				version, text = v+1, s
			}
			mu.Unlock()
			if ok {
				return
			}
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { edit(func(s string) string { return s + "b" }) })
	}
	wg.Wait()
	if text != "abb" || version != 2 {
		t.Fatal(text, version)
	}
}

func TestMergeMaps(t *testing.T) {
	var mu sync.Mutex
	total := map[string]int{}
	merge := func(m map[string]int) {
		for k, v := range m {
			mu.Lock()
			total[k] += v
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { merge(map[string]int{"a": 1, "b": 2}) })
	}
	wg.Wait()
	if !maps.Equal(total, map[string]int{"a": 2, "b": 4}) {
		t.Fatal(total)
	}
}

func TestSumUnderSeveralSections(t *testing.T) { // each element is looked at by itself
	var mu sync.Mutex
	vals := []int{1, 2, 3}
	at := func(i int) int { mu.Lock(); defer mu.Unlock(); return vals[i] }
	var wg sync.WaitGroup
	wg.Go(func() {
		sum := 0
		for i := range 3 {
			sum += at(i)
		}
		if sum < 6 || sum > 9 {
			t.Error(sum)
		}
	})
	wg.Go(func() {
		for i := range 3 {
			mu.Lock()
			vals[i]++
			mu.Unlock()
		}
	})
	wg.Wait()
}

func TestLockPerNode(t *testing.T) {
	type node struct {
		mu  sync.Mutex
		val int
		sub []*node
	}
	leaf := &node{val: 1}
	root := &node{sub: []*node{leaf, {val: 2}}}
	var sum func(*node) int
	sum = func(n *node) int {
		n.mu.Lock()
		defer n.mu.Unlock()
		s := n.val
		for _, c := range n.sub {
			s += sum(c)
		}
		return s
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if s := sum(root); s != 3 && s != 8 {
			t.Error(s)
		}
	})
	wg.Go(func() { leaf.mu.Lock(); leaf.val = 6; leaf.mu.Unlock() })
	wg.Go(func() { sum(root) })
	wg.Wait()
}

func TestReserveCommitCancel(t *testing.T) {
	var mu sync.Mutex
	free, reserved, sold := 2, 0, 0
	reserve := func() error {
		mu.Lock()
		defer mu.Unlock()
		if free == 0 {
			return errors.New("none")
		}
		free--
		reserved++
		return nil
	}
	commit := func() { mu.Lock(); reserved--; sold++; mu.Unlock() }
	cancel := func() { mu.Lock(); reserved--; free++; mu.Unlock() }
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			if reserve() != nil {
				return
			}
			if i == 0 {
				cancel()
			} else {
				commit()
			}
		})
	}
	wg.Wait()
	if free+sold != 2 || reserved != 0 {
		t.Fatal(free, sold, reserved)
	}
}

func TestReferenceCountUnderLock(t *testing.T) {
	var mu sync.Mutex
	refs, closed := 1, 0
	acquire := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if refs == 0 {
			return false
		}
		refs++
		return true
	}
	release := func() {
		mu.Lock()
		refs--
		last := refs == 0
		mu.Unlock()
		if last {
			mu.Lock()
			closed++
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if acquire() {
				release()
			}
		})
	}
	wg.Go(release)
	wg.Wait()
	if closed != 1 || refs != 0 {
		t.Fatal(closed, refs)
	}
}

func TestFlagThenWork(t *testing.T) { // a running flag keeps others out
	var mu sync.Mutex
	running, runs := false, 0
	var data []int
	tryRun := func() {
		mu.Lock()
		if running {
			mu.Unlock()
			return
		}
		running = true
		mu.Unlock()
		data = append(data, 1) // alone by the flag
		mu.Lock()
		running = false
		runs++
		mu.Unlock()
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(tryRun)
	}
	wg.Wait()
	if len(data) != runs || runs < 1 {
		t.Fatal(len(data), runs)
	}
}

func TestGenerationOfCache(t *testing.T) { // what was loaded for an older generation is not kept
	var mu sync.Mutex
	gen, val := 0, ""
	load := func() string {
		mu.Lock()
		g := gen
		mu.Unlock()
		v := strings.Repeat("x", g+1)
		mu.Lock()
		if g == gen {
			val = v
		}
		mu.Unlock()
		return v
	}
	invalidate := func() { mu.Lock(); gen++; val = ""; mu.Unlock() }
	var wg sync.WaitGroup
	wg.Go(func() { load() })
	wg.Go(invalidate)
	wg.Go(func() { load() })
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	if val != "" && len(val) != gen+1 {
		t.Fatal(val, gen)
	}
}

func TestAtomicPairWithinLock(t *testing.T) { // both atomics change under the lock, readers take one
	var mu sync.Mutex
	var a, b atomic.Int64
	both := func() { mu.Lock(); a.Add(1); b.Add(1); mu.Unlock() }
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(both)
	}
	wg.Go(func() {
		if a.Load() < 0 {
			t.Error()
		}
	})
	wg.Wait()
	if a.Load() != 2 || b.Load() != 2 {
		t.Fatal()
	}
}

func TestCASThenLock(t *testing.T) {
	var dirty atomic.Bool
	var mu sync.Mutex
	pending, flushed := 0, 0
	mark := func() { mu.Lock(); pending++; mu.Unlock(); dirty.Store(true) }
	flush := func() {
		for dirty.CompareAndSwap(true, false) {
			mu.Lock()
			flushed += pending
			pending = 0
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { mark(); flush() })
	}
	wg.Wait()
	if flushed != 2 {
		t.Fatal(flushed)
	}
}

func TestDeferredUpdate(t *testing.T) {
	var mu sync.Mutex
	active, total := 0, 0
	do := func() (err error) {
		mu.Lock()
		active++
		mu.Unlock()
		defer func() {
			mu.Lock()
			active--
			total++
			mu.Unlock()
		}()
		return nil
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { do() })
	}
	wg.Wait()
	if active != 0 || total != 3 {
		t.Fatal(active, total)
	}
}

func TestWritersThenReader(t *testing.T) { // RWMutex: reads are repeated, each is whole
	var rw sync.RWMutex
	grid := [2][2]int{}
	set := func(v int) {
		rw.Lock()
		defer rw.Unlock()
		for i := range grid {
			for j := range grid[i] {
				grid[i][j] = v
			}
		}
	}
	sum := func() (s int) {
		rw.RLock()
		defer rw.RUnlock()
		for _, row := range grid {
			for _, v := range row {
				s += v
			}
		}
		return s
	}
	var wg sync.WaitGroup
	wg.Go(func() { set(1) })
	wg.Go(func() { set(2) })
	wg.Go(func() {
		if s := sum(); s%4 != 0 {
			t.Error(s)
		}
		if s := sum(); s%4 != 0 {
			t.Error(s)
		}
	})
	wg.Wait()
}

func TestSlowReaderOfSnapshot(t *testing.T) {
	var mu sync.Mutex
	m := map[int]int{1: 1}
	snapshot := func() map[int]int { mu.Lock(); defer mu.Unlock(); return maps.Clone(m) }
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); m[2] = 2; mu.Unlock() })
	wg.Go(func() {
		s := snapshot()
		time.Sleep(time.Millisecond)
		for k, v := range s {
			if k != v {
				t.Error(k, v)
			}
		}
	})
	wg.Wait()
}

func TestEmptyThenSleep(t *testing.T) { // a poller that looks, sleeps, and looks again
	var mu sync.Mutex
	var q []int
	got := make(chan int)
	go func() {
		for {
			mu.Lock()
			if len(q) > 0 {
				v := q[0]
				q = q[1:]
				mu.Unlock()
				got <- v
				return
			}
			mu.Unlock()
			time.Sleep(time.Millisecond)
		}
	}()
	mu.Lock()
	q = append(q, 7)
	mu.Unlock()
	if v := <-got; v != 7 {
		t.Fatal(v)
	}
}

func TestDispatcherAndTable(t *testing.T) {
	var mu sync.RWMutex
	handlers := map[string]func() string{"a": func() string { return "A" }}
	call := func(k string) string {
		mu.RLock()
		h, ok := handlers[k]
		mu.RUnlock()
		if !ok {
			return "404"
		}
		return h()
	}
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); handlers["b"] = func() string { return "B" }; mu.Unlock() })
	wg.Go(func() {
		if s := call("a"); s != "A" {
			t.Error(s)
		}
		if s := call("b"); s != "B" && s != "404" {
			t.Error(s)
		}
	})
	wg.Wait()
}

func TestLimiterWindow(t *testing.T) { // looks at two variables, resets both, all under the lock
	var mu sync.Mutex
	window, used := 0, 0
	allow := func(w int) bool {
		mu.Lock()
		defer mu.Unlock()
		if w > window {
			window, used = w, 0
		}
		if used == 2 {
			return false
		}
		used++
		return true
	}
	var ok atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if allow(1) {
				ok.Add(1)
			}
		})
	}
	wg.Wait()
	if ok.Load() != 2 {
		t.Fatal(ok.Load())
	}
}

func TestTwoCachesTwoLocks(t *testing.T) { // by id and by name, each may lag
	var muID, muName sync.Mutex
	byID, byName := map[int]string{}, map[string]int{}
	add := func(id int, name string) {
		muID.Lock()
		byID[id] = name
		muID.Unlock()
		muName.Lock()
		byName[name] = id
		muName.Unlock()
	}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { add(i, fmt.Sprint("n", i)) })
	}
	wg.Go(func() {
		muName.Lock()
		id, ok := byName["n1"]
		muName.Unlock()
		if ok {
			muID.Lock()
			if byID[id] != "n1" {
				t.Error("lost")
			}
			muID.Unlock()
		}
	})
	wg.Wait()
	if len(byID) != 2 || len(byName) != 2 {
		t.Fatal()
	}
}
