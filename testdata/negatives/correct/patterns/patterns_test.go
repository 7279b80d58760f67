package patterns

import (
	"cmp"
	"context"
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

func gen(ctx context.Context, vs ...int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for _, v := range vs {
			select {
			case out <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func square(ctx context.Context, in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for v := range in {
			select {
			case out <- v * v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func merge(ctx context.Context, ins ...<-chan int) <-chan int {
	out := make(chan int)
	var wg sync.WaitGroup
	for _, in := range ins {
		wg.Go(func() {
			for v := range in {
				select {
				case out <- v:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() { wg.Wait(); close(out) }()
	return out
}

func TestPipeline(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sum := 0
	for v := range square(ctx, square(ctx, gen(ctx, 1, 2))) {
		sum += v
	}
	if sum != 17 {
		t.Fatal(sum)
	}
}

func TestFanOutFanIn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in := gen(ctx, 1, 2, 3)
	var got []int
	for v := range merge(ctx, square(ctx, in), square(ctx, in)) {
		got = append(got, v)
	}
	slices.Sort(got)
	if fmt.Sprint(got) != "[1 4 9]" {
		t.Fatal(got)
	}
}

func TestLeavesEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for v := range square(ctx, gen(ctx, 1, 2, 3, 4)) {
		if v == 4 {
			break
		}
	}
}

func TestWorkerPool(t *testing.T) {
	jobs, results := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for j := range jobs {
				results <- 2 * j
			}
		})
	}
	go func() {
		for i := range 4 {
			jobs <- i
		}
		close(jobs)
		wg.Wait()
		close(results)
	}()
	sum := 0
	for r := range results {
		sum += r
	}
	if sum != 12 {
		t.Fatal(sum)
	}
}

type pool struct {
	tasks chan func()
	wg    sync.WaitGroup
	once  sync.Once
}

func newPool(n int) *pool {
	p := &pool{tasks: make(chan func(), n)}
	for range n {
		p.wg.Go(func() {
			for f := range p.tasks {
				f()
			}
		})
	}
	return p
}
func (p *pool) submit(f func()) { p.tasks <- f }
func (p *pool) stop()           { p.once.Do(func() { close(p.tasks) }); p.wg.Wait() }

func TestPoolStopsAfterSubmits(t *testing.T) {
	p := newPool(2)
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { p.submit(func() { n.Add(1) }) })
	}
	wg.Wait()
	p.stop()
	p.stop()
	if n.Load() != 4 {
		t.Fatal(n.Load())
	}
}

type broker struct {
	mu   sync.RWMutex
	subs map[int]chan string
	next int
}

func (b *broker) subscribe() (int, <-chan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = map[int]chan string{}
	}
	b.next++
	c := make(chan string, 4)
	b.subs[b.next] = c
	return b.next, c
}
func (b *broker) unsubscribe(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.subs[id]; ok {
		delete(b.subs, id)
		close(c)
	}
}
func (b *broker) publish(m string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, c := range b.subs {
		select {
		case c <- m:
		default:
		}
	}
}

func TestPubSub(t *testing.T) {
	var b broker
	id1, c1 := b.subscribe()
	id2, c2 := b.subscribe()
	var wg sync.WaitGroup
	wg.Go(func() { b.publish("a") })
	wg.Go(func() { b.publish("b") })
	wg.Go(func() { b.unsubscribe(id2) })
	wg.Wait()
	b.unsubscribe(id1)
	n := 0
	for range c1 {
		n++
	}
	for range c2 {
	}
	if n != 2 {
		t.Fatal(n)
	}
}

type bucket struct {
	mu     sync.Mutex
	tokens int
	last   time.Time
}

func (b *bucket) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if d := int(now.Sub(b.last) / time.Second); d > 0 {
		b.tokens = min(b.tokens+d, 2)
		b.last = now
	}
	if b.tokens == 0 {
		return false
	}
	b.tokens--
	return true
}

func TestTokenBucket(t *testing.T) {
	now := time.Unix(100, 0)
	b := &bucket{tokens: 2, last: now}
	var allowed atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if b.allow(now) {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 2 {
		t.Fatal(allowed.Load())
	}
}

func TestRetryBackoff(t *testing.T) {
	var calls atomic.Int32
	op := func() error {
		if calls.Add(1) < 3 {
			return errors.New("again")
		}
		return nil
	}
	done := make(chan error)
	go func() {
		var err error
		for wait := 10 * time.Microsecond; wait < time.Second; wait *= 2 {
			if err = op(); err == nil {
				break
			}
			time.Sleep(wait)
		}
		done <- err
	}()
	if err := <-done; err != nil || calls.Load() != 3 {
		t.Fatal(err)
	}
}

type breaker struct {
	mu       sync.Mutex
	failures int
	open     bool
}

func (b *breaker) do(f func() error) error {
	b.mu.Lock()
	if b.open {
		b.mu.Unlock()
		return errors.New("open")
	}
	b.mu.Unlock()
	err := f() // may run although another call opens it meanwhile
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		if b.failures++; b.failures >= 2 {
			b.open = true
		}
	} else {
		b.failures = 0
	}
	return err
}

func TestCircuitBreaker(t *testing.T) {
	var b breaker
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { b.do(func() error { return errors.New("down") }) })
	}
	wg.Wait()
	if !b.open || b.failures < 2 {
		t.Fatal(b.failures)
	}
}

func TestLeaderElection(t *testing.T) {
	var term atomic.Int64
	var leaders sync.Map
	var wg sync.WaitGroup
	for id := range 4 {
		wg.Go(func() {
			my := term.Add(1)
			if _, taken := leaders.LoadOrStore(my, id); taken {
				t.Error("two leaders of a term")
			}
		})
	}
	wg.Wait()
}

func TestBullyElection(t *testing.T) {
	const n = 4
	votes := make(chan int, n)
	for id := range n {
		go func() { votes <- id }()
	}
	leader := -1
	for range n {
		leader = max(leader, <-votes)
	}
	if leader != n-1 {
		t.Fatal(leader)
	}
}

type barrier struct {
	mu       sync.Mutex
	cond     *sync.Cond
	n, count int
	phase    int
}

func newBarrier(n int) *barrier { b := &barrier{n: n}; b.cond = sync.NewCond(&b.mu); return b }
func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	phase := b.phase
	if b.count++; b.count == b.n {
		b.count = 0
		b.phase++
		b.cond.Broadcast()
		return
	}
	for phase == b.phase {
		b.cond.Wait()
	}
}

func TestBarrierOfPhases(t *testing.T) {
	const n = 3
	b := newBarrier(n)
	cells := make([]int, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			for phase := range 2 {
				cells[i] = phase + 1
				b.wait()
				if cells[(i+1)%n] != phase+1 {
					t.Error("not in step")
				}
				b.wait()
			}
		})
	}
	wg.Wait()
}

func TestDoubleBuffering(t *testing.T) {
	front, back := []int{0}, []int{0}
	filled, shown := make(chan []int), make(chan []int, 1)
	shown <- back
	go func() {
		defer close(filled)
		for i := range 3 {
			b := <-shown
			b[0] = i
			filled <- b
		}
	}()
	n := 0
	for b := range filled {
		if b[0] != n {
			t.Error(b)
		}
		n++
		shown <- front
		front = b
	}
}

type ring struct {
	head, tail atomic.Uint32
	buf        [4]int
}

func (r *ring) put(v int) bool { // one producer
	h := r.head.Load()
	if h-r.tail.Load() == uint32(len(r.buf)) {
		return false
	}
	r.buf[h%4] = v
	r.head.Store(h + 1)
	return true
}
func (r *ring) get() (int, bool) { // one consumer
	n := r.tail.Load()
	if n == r.head.Load() {
		return 0, false
	}
	v := r.buf[n%4]
	r.tail.Store(n + 1)
	return v, true
}

func TestRingOfOneProducer(t *testing.T) {
	var r ring
	go func() {
		for i := 0; i < 6; {
			if r.put(i) {
				i++
			} else {
				time.Sleep(time.Microsecond)
			}
		}
	}()
	for want := 0; want < 6; {
		if v, ok := r.get(); ok {
			if v != want {
				t.Fatal(v, want)
			}
			want++
		} else {
			time.Sleep(time.Microsecond)
		}
	}
}

type door struct {
	mu    sync.Mutex
	state string
	log   []string
}

func (d *door) to(from, next string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state != from {
		return false
	}
	d.state = next
	d.log = append(d.log, from+">"+next)
	return true
}

func TestStateMachine(t *testing.T) {
	d := &door{state: "closed"}
	var opened atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if d.to("closed", "open") {
				opened.Add(1)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 1 || strings.Join(d.log, ",") != "closed>open" {
		t.Fatal(d.log)
	}
}

func TestEventLoop(t *testing.T) {
	events := make(chan func())
	quit, stopped := make(chan struct{}), make(chan struct{})
	state := map[string]int{} // of the loop alone
	go func() {
		defer close(stopped)
		for {
			select {
			case f := <-events:
				f()
			case <-quit:
				return
			}
		}
	}()
	call := func(f func()) {
		done := make(chan struct{})
		events <- func() { f(); close(done) }
		<-done
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { call(func() { state["n"]++ }) })
	}
	wg.Wait()
	close(quit)
	<-stopped
	if state["n"] != 3 {
		t.Fatal(state)
	}
}

type actor struct {
	inbox chan any
	done  chan struct{}
}
type deposit int
type query chan int

func newActor() *actor {
	a := &actor{make(chan any, 2), make(chan struct{})}
	go func() {
		defer close(a.done)
		balance := 0
		for m := range a.inbox {
			switch m := m.(type) {
			case deposit:
				balance += int(m)
			case query:
				m <- balance
			}
		}
	}()
	return a
}

func TestActor(t *testing.T) {
	a := newActor()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { a.inbox <- deposit(2) })
	}
	wg.Wait()
	q := make(query)
	a.inbox <- q
	if got := <-q; got != 6 {
		t.Fatal(got)
	}
	close(a.inbox)
	<-a.done
}

func TestMapReduce(t *testing.T) {
	docs := []string{"a b", "b c", "c c"}
	parts := make(chan map[string]int)
	for _, d := range docs {
		go func() {
			m := map[string]int{}
			for _, w := range strings.Fields(d) {
				m[w]++
			}
			parts <- m
		}()
	}
	total := map[string]int{}
	for range docs {
		for k, v := range <-parts {
			total[k] += v
		}
	}
	if !maps.Equal(total, map[string]int{"a": 1, "b": 2, "c": 3}) {
		t.Fatal(total)
	}
}

func TestParallelQuicksort(t *testing.T) {
	var qsort func(s []int)
	qsort = func(s []int) {
		if len(s) < 2 {
			return
		}
		p, i := s[len(s)-1], 0
		for j := range s[:len(s)-1] {
			if s[j] < p {
				s[i], s[j] = s[j], s[i]
				i++
			}
		}
		s[i], s[len(s)-1] = s[len(s)-1], s[i]
		var wg sync.WaitGroup
		wg.Go(func() { qsort(s[:i]) })
		qsort(s[i+1:])
		wg.Wait()
	}
	s := []int{5, 2, 8, 1, 9, 3}
	qsort(s)
	if !slices.IsSorted(s) {
		t.Fatal(s)
	}
}

func TestConcurrentTreeSum(t *testing.T) {
	type tree struct {
		l, r *tree
		v    int
	}
	var sum func(*tree) int
	sum = func(n *tree) int {
		if n == nil {
			return 0
		}
		l := make(chan int)
		go func() { l <- sum(n.l) }()
		return n.v + sum(n.r) + <-l
	}
	root := &tree{&tree{nil, nil, 1}, &tree{&tree{nil, nil, 5}, nil, 2}, 3}
	if sum(root) != 11 {
		t.Fatal()
	}
}

func TestCrawler(t *testing.T) {
	links := map[string][]string{"a": {"b", "c"}, "b": {"c", "a"}, "c": {"d"}}
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	var visit func(string)
	visit = func(u string) {
		mu.Lock()
		if seen[u] {
			mu.Unlock()
			return
		}
		seen[u] = true
		mu.Unlock()
		for _, v := range links[u] {
			wg.Go(func() { visit(v) })
		}
	}
	wg.Go(func() { visit("a") })
	wg.Wait()
	if len(seen) != 4 {
		t.Fatal(seen)
	}
}

func TestPriorityQueue(t *testing.T) {
	var mu sync.Mutex
	var heap []int
	push := func(v int) {
		mu.Lock()
		defer mu.Unlock()
		i, _ := slices.BinarySearchFunc(heap, v, func(a, b int) int { return cmp.Compare(b, a) })
		heap = slices.Insert(heap, i, v)
	}
	var wg sync.WaitGroup
	for _, v := range []int{2, 9, 4} {
		wg.Go(func() { push(v) })
	}
	wg.Wait()
	if fmt.Sprint(heap) != "[9 4 2]" {
		t.Fatal(heap)
	}
}

func TestGracefulShutdown(t *testing.T) {
	var mu sync.Mutex
	closing := false
	var inFlight sync.WaitGroup
	var served atomic.Int32
	handle := func() error {
		mu.Lock()
		if closing {
			mu.Unlock()
			return errors.New("closing")
		}
		inFlight.Add(1)
		mu.Unlock()
		defer inFlight.Done()
		served.Add(1)
		return nil
	}
	shutdown := func() {
		mu.Lock()
		closing = true
		mu.Unlock()
		inFlight.Wait()
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { handle() })
	}
	wg.Go(shutdown)
	wg.Wait()
	if handle() == nil {
		t.Fatal("served after shutdown")
	}
}

func TestDiningPhilosophers(t *testing.T) {
	const n = 3
	var forks [n]sync.Mutex
	var meals atomic.Int32
	var wg sync.WaitGroup
	for i := range n {
		a, b := min(i, (i+1)%n), max(i, (i+1)%n)
		wg.Go(func() {
			forks[a].Lock()
			forks[b].Lock()
			meals.Add(1)
			forks[b].Unlock()
			forks[a].Unlock()
		})
	}
	wg.Wait()
	if meals.Load() != n {
		t.Fatal(meals.Load())
	}
}

func TestWaiterOfPhilosophers(t *testing.T) { // at most n-1 sit at the table
	const n = 3
	seats := make(chan struct{}, n-1)
	var forks [n]sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			seats <- struct{}{}
			forks[i].Lock()
			forks[(i+1)%n].Lock()
			forks[(i+1)%n].Unlock()
			forks[i].Unlock()
			<-seats
		})
	}
	wg.Wait()
}

func TestPetersonWithAtomics(t *testing.T) {
	var flag [2]atomic.Bool
	var turn atomic.Int32
	n := 0
	var wg sync.WaitGroup
	for me := range 2 {
		wg.Go(func() {
			other := 1 - me
			flag[me].Store(true)
			turn.Store(int32(other))
			for flag[other].Load() && turn.Load() == int32(other) {
				time.Sleep(time.Microsecond)
			}
			n++
			flag[me].Store(false)
		})
	}
	wg.Wait()
	if n != 2 {
		t.Fatal(n)
	}
}
