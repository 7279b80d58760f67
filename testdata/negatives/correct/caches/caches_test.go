package caches

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type lru struct {
	mu    sync.Mutex
	cap   int
	order *list.List
	items map[string]*list.Element
	hits  atomic.Int64
}
type pair struct {
	k string
	v int
}

func newLRU(n int) *lru { return &lru{cap: n, order: list.New(), items: map[string]*list.Element{}} }
func (c *lru) get(k string) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		return 0, false
	}
	c.hits.Add(1)
	c.order.MoveToFront(e)
	return e.Value.(*pair).v, true
}
func (c *lru) set(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		e.Value.(*pair).v = v
		c.order.MoveToFront(e)
		return
	}
	if len(c.items) == c.cap {
		last := c.order.Back()
		delete(c.items, last.Value.(*pair).k)
		c.order.Remove(last)
	}
	c.items[k] = c.order.PushFront(&pair{k, v})
}

func TestLRU(t *testing.T) {
	c := newLRU(2)
	var wg sync.WaitGroup
	for i, k := range []string{"a", "b", "c"} {
		wg.Go(func() { c.set(k, i) })
		wg.Go(func() {
			if v, ok := c.get(k); ok && v != i {
				t.Error(k, v)
			}
		})
	}
	wg.Wait()
	if len(c.items) != 2 || c.order.Len() != 2 {
		t.Fatal(len(c.items))
	}
}

type ttl struct {
	mu   sync.RWMutex
	m    map[string]int
	stop chan struct{}
	done chan struct{}
}

func newTTL() *ttl {
	c := &ttl{m: map[string]int{}, stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.mu.Lock()
				maps.DeleteFunc(c.m, func(k string, v int) bool { return v < 0 })
				c.mu.Unlock()
			case <-c.stop:
				return
			}
		}
	}()
	return c
}

func TestJanitor(t *testing.T) {
	c := newTTL()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { c.mu.Lock(); c.m[fmt.Sprint(i)] = i - 1; c.mu.Unlock() })
	}
	wg.Wait()
	c.mu.RLock()
	if c.m["2"] != 1 {
		t.Error(c.m)
	}
	c.mu.RUnlock()
	close(c.stop)
	<-c.done
}

type memo struct {
	mu sync.Mutex
	m  map[string]*entry
}
type entry struct {
	ready chan struct{}
	val   string
	err   error
}

func (m *memo) get(k string, f func(string) (string, error)) (string, error) {
	m.mu.Lock()
	e := m.m[k]
	if e == nil {
		e = &entry{ready: make(chan struct{})}
		m.m[k] = e
		m.mu.Unlock()
		e.val, e.err = f(k)
		close(e.ready)
	} else {
		m.mu.Unlock()
		<-e.ready
	}
	return e.val, e.err
}

func TestMemo(t *testing.T) { // of The Go Programming Language
	m := &memo{m: map[string]*entry{}}
	var calls atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			v, err := m.get("a", func(k string) (string, error) { calls.Add(1); return k + k, nil })
			if v != "aa" || err != nil {
				t.Error(v, err)
			}
		})
	}
	wg.Wait()
	if calls.Load() != 1 {
		t.Fatal(calls.Load())
	}
}

func TestMemoForgetsErrors(t *testing.T) {
	var mu sync.Mutex
	m := map[string]int{}
	var calls atomic.Int32
	get := func() (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if v, ok := m["k"]; ok {
			return v, nil
		}
		if calls.Add(1) == 1 {
			return 0, errors.New("first fails")
		}
		m["k"] = 5
		return 5, nil
	}
	var ok, bad atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if v, err := get(); err != nil {
				bad.Add(1)
			} else if v == 5 {
				ok.Add(1)
			}
		})
	}
	wg.Wait()
	if bad.Load() != 1 || ok.Load() != 2 {
		t.Fatal(bad.Load(), ok.Load())
	}
}

func TestComputeTwiceIsFine(t *testing.T) { // both compute the same, the last one stays
	var mu sync.RWMutex
	m := map[int]int{}
	get := func(k int) int {
		mu.RLock()
		v, ok := m[k]
		mu.RUnlock()
		if !ok {
			v = k * k
			mu.Lock()
			m[k] = v
			mu.Unlock()
		}
		return v
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if get(3) != 9 {
				t.Error("wrong")
			}
		})
	}
	wg.Wait()
}

func TestFirstStaysInMap(t *testing.T) { // whoever stores first wins, and all get that one
	var mu sync.Mutex
	m := map[string]*int{}
	get := func() *int {
		mu.Lock()
		p := m["k"]
		mu.Unlock()
		if p != nil {
			return p
		}
		fresh := new(int)
		mu.Lock()
		defer mu.Unlock()
		if p := m["k"]; p != nil {
			return p
		}
		m["k"] = fresh
		return fresh
	}
	got := make([]*int, 3)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = get() })
	}
	wg.Wait()
	if got[0] != got[1] || got[1] != got[2] {
		t.Fatal(got)
	}
}

type table struct{ rows atomic.Pointer[[]string] }

func TestReloadable(t *testing.T) {
	var tb table
	load := func(rows ...string) { tb.rows.Store(&rows) }
	load("a")
	var wg sync.WaitGroup
	wg.Go(func() { load("b", "c") })
	wg.Go(func() {
		rows := *tb.rows.Load()
		if len(rows) == 1 && rows[0] != "a" || len(rows) == 2 && rows[1] != "c" {
			t.Error(rows)
		}
	})
	wg.Wait()
}

func TestCopyOnWriteList(t *testing.T) {
	var mu sync.Mutex
	var list atomic.Pointer[[]int]
	list.Store(&[]int{})
	add := func(v int) {
		mu.Lock()
		defer mu.Unlock()
		next := append(slices.Clone(*list.Load()), v)
		list.Store(&next)
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { add(i) })
		wg.Go(func() {
			for range *list.Load() {
			}
		})
	}
	wg.Wait()
	if len(*list.Load()) != 3 {
		t.Fatal()
	}
}

type metrics struct {
	mu       sync.RWMutex
	counters map[string]*atomic.Int64
}

func (m *metrics) counter(name string) *atomic.Int64 {
	m.mu.RLock()
	c := m.counters[name]
	m.mu.RUnlock()
	if c != nil {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c = m.counters[name]; c == nil {
		c = new(atomic.Int64)
		m.counters[name] = c
	}
	return c
}

func TestMetrics(t *testing.T) {
	m := &metrics{counters: map[string]*atomic.Int64{}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { m.counter("a").Add(1) })
	}
	wg.Go(func() {
		m.mu.RLock()
		defer m.mu.RUnlock()
		var lines []string
		for k, v := range m.counters {
			lines = append(lines, fmt.Sprint(k, v.Load()))
		}
		sort.Strings(lines)
	})
	wg.Wait()
	if m.counter("a").Load() != 3 {
		t.Fatal()
	}
}

type session struct {
	mu   sync.Mutex
	vals map[string]string
}
type store struct {
	mu       sync.Mutex
	sessions map[string]*session
}

func (s *store) session(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		x = &session{vals: map[string]string{}}
		s.sessions[id] = x
	}
	return x
}

func TestSessions(t *testing.T) {
	s := &store{sessions: map[string]*session{}}
	var wg sync.WaitGroup
	for _, k := range []string{"a", "b"} {
		wg.Go(func() {
			x := s.session("id")
			x.mu.Lock()
			x.vals[k] = k
			x.mu.Unlock()
		})
	}
	wg.Wait()
	if len(s.session("id").vals) != 2 {
		t.Fatal()
	}
}

type latch struct {
	n    atomic.Int32
	done chan struct{}
}

func newLatch(n int32) *latch { l := &latch{done: make(chan struct{})}; l.n.Store(n); return l }
func (l *latch) down() {
	if l.n.Add(-1) == 0 {
		close(l.done)
	}
}

func TestCountDownLatch(t *testing.T) {
	l := newLatch(3)
	out := make([]int, 3)
	for i := range out {
		go func() { out[i] = i; l.down() }()
	}
	<-l.done
	if out[2] != 2 {
		t.Fatal(out)
	}
}

type phaser struct {
	mu               sync.Mutex
	cond             *sync.Cond
	parties, arrived int
	phase            int
}

func (p *phaser) register() { p.mu.Lock(); p.parties++; p.mu.Unlock() }
func (p *phaser) advance() { // under mu
	p.arrived = 0
	p.phase++
	p.cond.Broadcast()
}
func (p *phaser) arriveAndWait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	phase := p.phase
	if p.arrived++; p.arrived == p.parties {
		p.advance()
	}
	for phase == p.phase {
		p.cond.Wait()
	}
}
func (p *phaser) deregister() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parties--
	if p.parties > 0 && p.arrived == p.parties {
		p.advance()
	}
}

func TestPhaser(t *testing.T) {
	p := &phaser{}
	p.cond = sync.NewCond(&p.mu)
	var wg sync.WaitGroup
	for i := range 3 {
		p.register()
		wg.Go(func() {
			for range i + 1 {
				p.arriveAndWait()
			}
			p.deregister()
		})
	}
	wg.Wait()
}

func TestExchanger(t *testing.T) {
	type offer struct {
		v    int
		back chan int
	}
	meet := make(chan offer)
	exchange := func(v int) int {
		o := offer{v, make(chan int, 1)}
		select {
		case meet <- o:
			return <-o.back
		case other := <-meet:
			other.back <- v
			return other.v
		}
	}
	c := make(chan int)
	go func() { c <- exchange(1) }()
	if got := exchange(2); got != 1 {
		t.Fatal(got)
	}
	if got := <-c; got != 2 {
		t.Fatal(got)
	}
}

func TestUpgradeByRecheck(t *testing.T) {
	var rw sync.RWMutex
	n, inits := 0, 0
	ensure := func() {
		for {
			rw.RLock()
			if n > 0 {
				rw.RUnlock()
				return
			}
			rw.RUnlock()
			rw.Lock()
			if n == 0 {
				n, inits = 1, inits+1
			}
			rw.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(ensure)
	}
	wg.Wait()
	if inits != 1 {
		t.Fatal(inits)
	}
}

func TestDowngrade(t *testing.T) { // writes under one lock, then reads what may have changed
	var rw sync.RWMutex
	v := 0
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			rw.Lock()
			v = i + 1
			rw.Unlock()
			rw.RLock()
			if v == 0 {
				t.Error("lost")
			}
			rw.RUnlock()
		})
	}
	wg.Wait()
}

type bus struct {
	mu   sync.Mutex
	subs map[int]func(string)
	next int
}

func (b *bus) on(f func(string)) (off func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	id := b.next
	b.subs[id] = f
	return func() { b.mu.Lock(); defer b.mu.Unlock(); delete(b.subs, id) }
}
func (b *bus) emit(s string) {
	b.mu.Lock()
	fs := slices.Collect(maps.Values(b.subs))
	b.mu.Unlock()
	for _, f := range fs {
		f(s)
	}
}

func TestUnsubscribesInCallback(t *testing.T) {
	b := &bus{subs: map[int]func(string){}}
	var n atomic.Int32
	var once sync.Once
	var off func()
	ready := make(chan struct{})
	off = b.on(func(string) { <-ready; n.Add(1); once.Do(off) })
	close(ready)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { b.emit("x") })
	}
	wg.Wait()
	if n.Load() < 1 || n.Load() > 2 {
		t.Fatal(n.Load())
	}
}

type wal struct {
	mu      sync.Mutex
	entries []string
	flushed int
}

func (w *wal) append(s string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(w.entries, s)
	return len(w.entries)
}
func (w *wal) flush() {
	w.mu.Lock()
	n := len(w.entries)
	w.mu.Unlock()
	// writes the first n entries to a disk
	w.mu.Lock()
	w.flushed = max(w.flushed, n)
	w.mu.Unlock()
}

func TestGroupCommit(t *testing.T) {
	var w wal
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			n := w.append(fmt.Sprint(i))
			w.flush()
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.flushed < n {
				t.Error("not durable")
			}
		})
	}
	wg.Wait()
}

func TestWriteBehind(t *testing.T) {
	dirty := make(chan string, 8)
	var mu sync.Mutex
	disk := map[string]bool{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for k := range dirty {
			mu.Lock()
			disk[k] = true
			mu.Unlock()
		}
	}()
	var wg sync.WaitGroup
	for _, k := range []string{"a", "b"} {
		wg.Go(func() { dirty <- k })
	}
	wg.Wait()
	close(dirty)
	<-done
	if len(disk) != 2 {
		t.Fatal(disk)
	}
}

func TestDependencyGraph(t *testing.T) {
	deps := map[string][]string{"app": {"lib", "log"}, "lib": {"log"}, "log": nil}
	done := map[string]chan struct{}{}
	for k := range deps {
		done[k] = make(chan struct{})
	}
	built := map[string]int{}
	var mu sync.Mutex
	for k, ds := range deps {
		go func() {
			defer close(done[k])
			for _, d := range ds {
				<-done[d]
			}
			mu.Lock()
			built[k] = len(built)
			mu.Unlock()
		}()
	}
	for _, c := range done {
		<-c
	}
	if built["app"] != 2 || built["log"] != 0 {
		t.Fatal(built)
	}
}

func TestScheduler(t *testing.T) {
	type job struct {
		prio int
		run  func()
	}
	var mu sync.Mutex
	var jobs []job
	var ran []int
	add := func(p int) {
		mu.Lock()
		defer mu.Unlock()
		jobs = append(jobs, job{p, func() { ran = append(ran, p) }})
	}
	var wg sync.WaitGroup
	for _, p := range []int{2, 3, 1} {
		wg.Go(func() { add(p) })
	}
	wg.Wait()
	slices.SortFunc(jobs, func(a, b job) int { return b.prio - a.prio })
	for _, j := range jobs {
		j.run()
	}
	if fmt.Sprint(ran) != "[3 2 1]" {
		t.Fatal(ran)
	}
}

func TestWorkStealing(t *testing.T) {
	type deque struct {
		mu    sync.Mutex
		tasks []int
	}
	ds := [2]*deque{{tasks: []int{1, 2, 3}}, {}}
	take := func(d *deque, front bool) (v int, ok bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if len(d.tasks) == 0 {
			return 0, false
		}
		if front {
			v, d.tasks = d.tasks[0], d.tasks[1:]
		} else {
			v, d.tasks = d.tasks[len(d.tasks)-1], d.tasks[:len(d.tasks)-1]
		}
		return v, true
	}
	var sum atomic.Int64
	var wg sync.WaitGroup
	for me := range 2 {
		wg.Go(func() {
			for {
				v, ok := take(ds[me], false)
				if !ok {
					v, ok = take(ds[1-me], true)
				}
				if !ok {
					return
				}
				sum.Add(int64(v))
			}
		})
	}
	wg.Wait()
	if sum.Load() != 6 {
		t.Fatal(sum.Load())
	}
}

type conn struct {
	wmu sync.Mutex
	out strings.Builder
}

func (c *conn) send(frame string) {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	c.out.WriteString("<")
	c.out.WriteString(frame)
	c.out.WriteString(">")
}

func TestWriterMutex(t *testing.T) {
	var c conn
	var wg sync.WaitGroup
	for _, f := range []string{"a", "b"} {
		wg.Go(func() { c.send(f) })
	}
	wg.Wait()
	if s := c.out.String(); s != "<a><b>" && s != "<b><a>" {
		t.Fatal(s)
	}
}

type lifecycle struct {
	mu      sync.Mutex
	running bool
	cancel  context.CancelFunc
	done    chan struct{}
}

func (l *lifecycle) start() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running {
		return false
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	l.running, l.cancel, l.done = true, cancel, done
	go func() { <-ctx.Done(); close(done) }()
	return true
}
func (l *lifecycle) stop() {
	l.mu.Lock()
	if !l.running {
		l.mu.Unlock()
		return
	}
	l.running = false
	cancel, done := l.cancel, l.done
	l.mu.Unlock()
	cancel()
	<-done
}

func TestLifecycle(t *testing.T) {
	var l lifecycle
	var started atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if l.start() {
				started.Add(1)
			}
		})
		wg.Go(l.stop)
	}
	wg.Wait()
	l.stop()
	if started.Load() < 1 {
		t.Fatal("none")
	}
}

type bankLedger struct {
	mu       sync.Mutex
	balances map[string]int
	history  []string
}

func (b *bankLedger) apply(f func(m map[string]int) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := maps.Clone(b.balances)
	if err := f(next); err != nil {
		return err
	}
	b.balances = next
	b.history = append(b.history, "ok")
	return nil
}

func TestTransactions(t *testing.T) {
	b := &bankLedger{balances: map[string]int{"a": 10}}
	var failed atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if b.apply(func(m map[string]int) error {
				if m["a"] < 5 {
					return errors.New("low")
				}
				m["a"] -= 5
				m["b"] += 5
				return nil
			}) != nil {
				failed.Add(1)
			}
		})
	}
	wg.Wait()
	if failed.Load() != 1 || b.balances["b"] != 10 || len(b.history) != 2 {
		t.Fatal(b.balances)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]chan int{}
	var charged atomic.Int32
	charge := func(key string) int {
		mu.Lock()
		c, ok := seen[key]
		if !ok {
			c = make(chan int, 1)
			seen[key] = c
		}
		mu.Unlock()
		if !ok {
			c <- int(charged.Add(1))
		}
		v := <-c
		c <- v
		return v
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if charge("k") != 1 {
				t.Error("charged again")
			}
		})
	}
	wg.Wait()
}

func TestKeyedMutex(t *testing.T) {
	var mu sync.Mutex
	locks := map[string]*struct {
		sync.Mutex
		refs int
	}{}
	lock := func(k string) func() {
		mu.Lock()
		l := locks[k]
		if l == nil {
			l = &struct {
				sync.Mutex
				refs int
			}{}
			locks[k] = l
		}
		l.refs++
		mu.Unlock()
		l.Lock()
		return func() {
			l.Unlock()
			mu.Lock()
			if l.refs--; l.refs == 0 {
				delete(locks, k)
			}
			mu.Unlock()
		}
	}
	n := map[string]*int{"a": new(int), "b": new(int)}
	var wg sync.WaitGroup
	for _, k := range []string{"a", "b", "a"} {
		wg.Go(func() { defer lock(k)(); *n[k]++ })
	}
	wg.Wait()
	if *n["a"] != 2 || len(locks) != 0 {
		t.Fatal(*n["a"], len(locks))
	}
}

func TestVersionedRead(t *testing.T) {
	type doc struct {
		version int
		body    string
	}
	var mu sync.RWMutex
	d := doc{1, "one"}
	save := func(v int, body string) error {
		mu.Lock()
		defer mu.Unlock()
		if d.version != v {
			return errors.New("conflict")
		}
		d = doc{v + 1, body}
		return nil
	}
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			mu.RLock()
			v := d.version
			mu.RUnlock()
			if save(v, fmt.Sprint("by ", i)) == nil {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if int(won.Load()) != d.version-1 || won.Load() < 1 {
		t.Fatal(won.Load(), d)
	}
}

func TestRoundRobin(t *testing.T) {
	var next atomic.Uint32
	backends := [2]atomic.Int32{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { backends[next.Add(1)%2].Add(1) })
	}
	wg.Wait()
	if backends[0].Load() != 2 || backends[1].Load() != 2 {
		t.Fatal()
	}
}

func TestConnectionPool(t *testing.T) {
	type c struct{ uses int }
	idle := make(chan *c, 2)
	var made atomic.Int32
	get := func() *c {
		select {
		case x := <-idle:
			return x
		default:
		}
		made.Add(1)
		return &c{}
	}
	put := func(x *c) {
		select {
		case idle <- x:
		default:
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { x := get(); x.uses++; put(x) })
	}
	wg.Wait()
	if n := made.Load(); n < 1 || n > 4 {
		t.Fatal(n)
	}
}

func TestThrottle(t *testing.T) {
	tokens := make(chan struct{}, 1)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				select {
				case tokens <- struct{}{}:
				default:
				}
			case <-stop:
				return
			}
		}
	}()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { <-tokens })
	}
	wg.Wait()
	close(stop)
	<-stopped
}

func TestProgressBar(t *testing.T) {
	var done atomic.Int32
	updates := make(chan int32, 1)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		last := int32(0)
		for v := range updates {
			if v < 0 {
				t.Error(v)
			}
			last = max(last, v)
		}
	}()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			v := done.Add(1)
			select {
			case updates <- v:
			default:
			}
		})
	}
	wg.Wait()
	close(updates)
	<-finished
}

func TestAggregateErrors(t *testing.T) {
	var mu sync.Mutex
	var errs []error
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			if i == 0 {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, fmt.Errorf("e%d", i))
		})
	}
	wg.Wait()
	if len(errs) != 2 {
		t.Fatal(errs)
	}
}

func TestQuotaReserve(t *testing.T) {
	var left atomic.Int64
	left.Store(5)
	reserve := func(n int64) bool {
		if left.Add(-n) < 0 {
			left.Add(n)
			return false
		}
		return true
	}
	var got atomic.Int64
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if reserve(2) {
				got.Add(2)
			}
		})
	}
	wg.Wait()
	if got.Load()+left.Load() != 5 {
		t.Fatal(got.Load(), left.Load())
	}
}

func TestLockFreeQueue(t *testing.T) { // Michael and Scott
	type node struct {
		v    int
		next atomic.Pointer[node]
	}
	dummy := &node{}
	var head, tail atomic.Pointer[node]
	head.Store(dummy)
	tail.Store(dummy)
	put := func(v int) {
		n := &node{v: v}
		for {
			last := tail.Load()
			next := last.next.Load()
			if next != nil {
				tail.CompareAndSwap(last, next)
				continue
			}
			if last.next.CompareAndSwap(nil, n) {
				tail.CompareAndSwap(last, n)
				return
			}
		}
	}
	get := func() (int, bool) {
		for {
			first, last := head.Load(), tail.Load()
			next := first.next.Load()
			if next == nil {
				return 0, false
			}
			if first == last {
				tail.CompareAndSwap(last, next)
				continue
			}
			if head.CompareAndSwap(first, next) {
				return next.v, true
			}
		}
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { put(i + 1) })
	}
	wg.Wait()
	var sum atomic.Int64
	for range 3 {
		wg.Go(func() {
			if v, ok := get(); ok {
				sum.Add(int64(v))
			} else {
				t.Error("empty")
			}
		})
	}
	wg.Wait()
	if sum.Load() != 6 {
		t.Fatal(sum.Load())
	}
}

func TestSnapshotOfTwo(t *testing.T) { // reads both under one lock, writes both under it
	var mu sync.Mutex
	lo, hi := 0, 10
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); lo, hi = 20, 30; mu.Unlock() })
	wg.Go(func() {
		mu.Lock()
		a, b := lo, hi
		mu.Unlock()
		if a > b {
			t.Error(a, b)
		}
	})
	wg.Wait()
}

func TestMonotonicMax(t *testing.T) { // looks, then looks again under the lock
	var mu sync.Mutex
	var best atomic.Int64
	offer := func(v int64) {
		if v <= best.Load() {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if v > best.Load() {
			best.Store(v)
		}
	}
	var wg sync.WaitGroup
	for _, v := range []int64{4, 7, 5} {
		wg.Go(func() { offer(v) })
	}
	wg.Wait()
	if best.Load() != 7 {
		t.Fatal(best.Load())
	}
}

func TestSharedIteratorByLock(t *testing.T) {
	var mu sync.Mutex
	rest := []int{1, 2, 3, 4}
	next := func() (v int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(rest) == 0 {
			return 0, false
		}
		v, rest = rest[0], rest[1:]
		return v, true
	}
	var sum atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for v, ok := next(); ok; v, ok = next() {
				sum.Add(int64(v))
			}
		})
	}
	wg.Wait()
	if sum.Load() != 10 {
		t.Fatal(sum.Load())
	}
}

func TestLenThenTry(t *testing.T) { // a look without promise, then the decision under the lock
	var mu sync.Mutex
	queue := []int{1}
	size := func() int { mu.Lock(); defer mu.Unlock(); return len(queue) }
	pop := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(queue) == 0 {
			return 0, false
		}
		v := queue[0]
		queue = queue[1:]
		return v, true
	}
	var got atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if size() > 0 {
				if _, ok := pop(); ok {
					got.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if got.Load() != 1 {
		t.Fatal(got.Load())
	}
}
