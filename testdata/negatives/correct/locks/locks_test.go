package locks

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add(d int) { c.mu.Lock(); defer c.mu.Unlock(); c.n += d }
func (c *counter) get() int  { c.mu.Lock(); defer c.mu.Unlock(); return c.n }

func TestMutexCounter(t *testing.T) {
	var c counter
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() { defer wg.Done(); c.add(1) }()
	}
	wg.Wait()
	if c.n != 4 {
		t.Fatal(c.n)
	}
}

type account struct {
	id      int
	mu      sync.Mutex
	balance int
}

func transfer(from, to *account, amount int) error {
	a, b := from, to
	if a.id > b.id {
		a, b = b, a
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if from.balance < amount {
		return errors.New("not enough")
	}
	from.balance -= amount
	to.balance += amount
	return nil
}

func TestLockOrderByID(t *testing.T) {
	x, y := &account{id: 1, balance: 100}, &account{id: 2, balance: 100}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			var err error
			if i%2 == 0 {
				err = transfer(x, y, 10)
			} else {
				err = transfer(y, x, 10)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if x.balance+y.balance != 200 {
		t.Fatal(x.balance, y.balance)
	}
}

func TestTryLockBackoff(t *testing.T) {
	var a, b sync.Mutex
	n := 0
	both := func(first, second *sync.Mutex) {
		for {
			first.Lock()
			if second.TryLock() {
				n++
				second.Unlock()
				first.Unlock()
				return
			}
			first.Unlock()
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { both(&a, &b) })
	wg.Go(func() { both(&b, &a) })
	wg.Wait()
	if n != 2 {
		t.Fatal(n)
	}
}

type registry struct {
	mu    sync.RWMutex
	names map[string]int
}

func (r *registry) id(name string) int {
	r.mu.RLock()
	id, ok := r.names[name]
	r.mu.RUnlock()
	if ok {
		return id
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, ok := r.names[name]; ok {
		return id
	}
	id = len(r.names) + 1
	r.names[name] = id
	return id
}

func TestDoubleCheckedMap(t *testing.T) {
	r := &registry{names: map[string]int{}}
	var wg sync.WaitGroup
	ids := make([]int, 4)
	for i := range ids {
		wg.Go(func() { ids[i] = r.id("x") })
	}
	wg.Wait()
	for _, id := range ids {
		if id != 1 {
			t.Fatal(ids)
		}
	}
}

type node struct {
	mu   sync.Mutex
	val  int
	next *node
}

func (n *node) insert(v int) { // hand over hand, sorted; n is a sentinel
	prev := n
	prev.mu.Lock()
	for prev.next != nil {
		cur := prev.next
		cur.mu.Lock()
		if cur.val >= v {
			cur.mu.Unlock()
			break
		}
		prev.mu.Unlock()
		prev = cur
	}
	prev.next = &node{val: v, next: prev.next}
	prev.mu.Unlock()
}

func TestHandOverHand(t *testing.T) {
	var head node
	var wg sync.WaitGroup
	for _, v := range []int{3, 1, 2} {
		wg.Go(func() { head.insert(v) })
	}
	wg.Wait()
	var got []int
	for n := head.next; n != nil; n = n.next {
		got = append(got, n.val)
	}
	if fmt.Sprint(got) != "[1 2 3]" {
		t.Fatal(got)
	}
}

type shards struct {
	parts [4]struct {
		sync.Mutex
		m map[string]int
	}
}

func (s *shards) part(k string) int { return len(k) % len(s.parts) }
func (s *shards) inc(k string) {
	p := &s.parts[s.part(k)]
	p.Lock()
	defer p.Unlock()
	if p.m == nil {
		p.m = map[string]int{}
	}
	p.m[k]++
}
func (s *shards) total() (n int) {
	for i := range s.parts {
		p := &s.parts[i]
		p.Lock()
		for _, v := range p.m {
			n += v
		}
		p.Unlock()
	}
	return n
}

func TestShardedMap(t *testing.T) {
	var s shards
	var wg sync.WaitGroup
	for _, k := range []string{"a", "bb", "ccc", "a"} {
		wg.Go(func() { s.inc(k) })
	}
	wg.Go(func() {
		if n := s.total(); n > 4 {
			t.Error(n)
		}
	})
	wg.Wait()
	if s.total() != 4 {
		t.Fatal(s.total())
	}
}

func TestAllShardsInOrder(t *testing.T) {
	var locks [3]sync.Mutex
	var vals [3]int
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range locks {
				locks[i].Lock()
			}
			for i := range vals {
				vals[i]++
			}
			for i := len(locks) - 1; i >= 0; i-- {
				locks[i].Unlock()
			}
		})
	}
	wg.Go(func() { locks[1].Lock(); vals[1]++; locks[1].Unlock() })
	wg.Wait()
	if vals != [3]int{2, 3, 2} {
		t.Fatal(vals)
	}
}

type optimistic struct {
	mu      sync.Mutex
	version int
	value   string
}

func (o *optimistic) update(f func(string) string) {
	for {
		o.mu.Lock()
		v, old := o.version, o.value
		o.mu.Unlock()
		next := f(old)
		o.mu.Lock()
		if o.version == v {
			o.version++
			o.value = next
			o.mu.Unlock()
			return
		}
		o.mu.Unlock()
	}
}

func TestOptimisticUpdate(t *testing.T) {
	var o optimistic
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { o.update(func(s string) string { return s + "x" }) })
	}
	wg.Wait()
	if o.value != "xxx" {
		t.Fatal(o.value)
	}
}

type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(p))
	return len(p), nil
}
func (l *log) snapshot() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

func TestSharedWriterSnapshot(t *testing.T) {
	var l log
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { fmt.Fprintf(&l, "line %d", i) })
		wg.Go(func() {
			for _, s := range l.snapshot() {
				if !strings.HasPrefix(s, "line ") {
					t.Error(s)
				}
			}
		})
	}
	wg.Wait()
	got := l.snapshot()
	sort.Strings(got)
	if strings.Join(got, ",") != "line 0,line 1,line 2" {
		t.Fatal(got)
	}
}

type gauge struct {
	mu       sync.Mutex
	cur, max int
}

func (g *gauge) enter() {
	g.mu.Lock()
	g.cur++
	if g.cur > g.max {
		g.max = g.cur
	}
	g.mu.Unlock()
}
func (g *gauge) leave() { g.mu.Lock(); g.cur--; g.mu.Unlock() }

func TestGauge(t *testing.T) {
	var g gauge
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { g.enter(); defer g.leave() })
	}
	wg.Wait()
	if g.cur != 0 || g.max < 1 || g.max > 3 {
		t.Fatal(g.cur, g.max)
	}
}

type bank struct {
	mu   sync.RWMutex
	list map[string]*account
}

func (b *bank) find(name string) *account { b.mu.RLock(); defer b.mu.RUnlock(); return b.list[name] }

func TestOuterReadInnerWrite(t *testing.T) {
	b := &bank{list: map[string]*account{"a": {}, "b": {}}}
	var wg sync.WaitGroup
	for _, n := range []string{"a", "b", "a"} {
		wg.Go(func() {
			a := b.find(n)
			a.mu.Lock()
			a.balance++
			a.mu.Unlock()
		})
	}
	wg.Go(func() {
		b.mu.Lock()
		b.list["c"] = &account{}
		b.mu.Unlock()
	})
	wg.Wait()
	if b.find("a").balance != 2 {
		t.Fatal()
	}
}

type lazy struct {
	mu  sync.Mutex
	val *string
}

func (l *lazy) get() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.val == nil {
		s := "made"
		l.val = &s
	}
	return *l.val
}

func TestLazyUnderLock(t *testing.T) {
	var l lazy
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if l.get() != "made" {
				t.Error("not made")
			}
		})
	}
	wg.Wait()
}

func TestLockerInterface(t *testing.T) {
	n := 0
	for _, l := range []sync.Locker{new(sync.Mutex), new(sync.RWMutex)} {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { l.Lock(); n++; l.Unlock() })
		}
		wg.Wait()
	}
	if n != 6 {
		t.Fatal(n)
	}
}

func TestRLocker(t *testing.T) {
	var rw sync.RWMutex
	m := map[string]int{"a": 1}
	var wg sync.WaitGroup
	wg.Go(func() {
		l := rw.RLocker()
		l.Lock()
		defer l.Unlock()
		if m["a"] == 0 {
			t.Error("gone")
		}
	})
	wg.Go(func() { rw.Lock(); m["b"] = 2; rw.Unlock() })
	wg.Wait()
}

func TestUnlockByAnother(t *testing.T) {
	var mu sync.Mutex
	n := 0
	mu.Lock()
	n = 1
	done := make(chan bool)
	go func() { mu.Unlock(); close(done) }()
	mu.Lock()
	n++
	mu.Unlock()
	<-done
	if n != 2 {
		t.Fatal(n)
	}
}

type gen[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (g *gen[K, V]) getOr(k K, make func() V) V {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v, ok := g.m[k]; ok {
		return v
	}
	v := make()
	g.m[k] = v
	return v
}

func TestGenericCache(t *testing.T) {
	g := gen[int, *int]{m: map[int]*int{}}
	calls := 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { g.getOr(1, func() *int { calls++; return new(int) }) })
	}
	wg.Wait()
	if calls != 1 {
		t.Fatal(calls)
	}
}

func TestLockedSubtests(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	t.Run("group", func(t *testing.T) {
		for _, name := range []string{"a", "b", "c"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				mu.Lock()
				defer mu.Unlock()
				seen[name] = true
			})
		}
	})
	if len(seen) != 3 {
		t.Fatal(seen)
	}
}

func TestTwoStatsTwoLocks(t *testing.T) {
	var s struct {
		muA  sync.Mutex
		hits int
		muB  sync.Mutex
		miss int
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if i%2 == 0 {
				s.muA.Lock()
				s.hits++
				s.muA.Unlock()
			} else {
				s.muB.Lock()
				s.miss++
				s.muB.Unlock()
			}
		})
	}
	wg.Wait()
	if s.hits != 2 || s.miss != 2 {
		t.Fatal(s.hits, s.miss)
	}
}

func TestReleaseWhileCalling(t *testing.T) { // unlocks for a callback, and looks anew
	var mu sync.Mutex
	queue := []int{1, 2, 3}
	sum := 0
	callback := func(v int) { mu.Lock(); sum += v; mu.Unlock() }
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for len(queue) > 0 {
				v := queue[0]
				queue = queue[1:]
				mu.Unlock()
				callback(v)
				mu.Lock()
			}
		})
	}
	wg.Wait()
	if sum != 6 {
		t.Fatal(sum)
	}
}

func TestObserversUnderOwnLock(t *testing.T) {
	var mu sync.RWMutex
	var observers []func(int)
	var nmu sync.Mutex
	n := 0
	on := func(f func(int)) { mu.Lock(); observers = append(observers, f); mu.Unlock() }
	fire := func(v int) {
		mu.RLock()
		list := observers[:len(observers):len(observers)]
		mu.RUnlock()
		for _, f := range list {
			f(v)
		}
	}
	on(func(v int) { nmu.Lock(); n += v; nmu.Unlock() })
	var wg sync.WaitGroup
	wg.Go(func() { fire(1) })
	wg.Go(func() { on(func(int) {}) })
	wg.Go(func() { fire(2) })
	wg.Wait()
	if n != 3 {
		t.Fatal(n)
	}
}
