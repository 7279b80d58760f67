// Package inlined has races in closures that the compiler inlines into their
// callers or into the goroutines that run them.
package inlined

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"testing"
)

type crawler struct {
	wg    sync.WaitGroup
	mu    sync.Mutex
	seen  []string
	pages int
}

func (c *crawler) visit(url string) {
	c.wg.Go(func() {
		c.mu.Lock()
		c.seen = append(c.seen, url)
		c.mu.Unlock()
		c.pages++
	})
}

// A method starts goroutines with WaitGroup.Go.
func TestGoInMethod(t *testing.T) {
	var c crawler
	c.visit("/a")
	c.visit("/b")
	c.wg.Wait()
}

func parallel(n int, f func(int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(i)
		}()
	}
	wg.Wait()
}

// A callback is handed on to goroutines of a helper.
func TestCallbackHandedOn(t *testing.T) {
	results := make(chan int, 2)
	sum := 0
	parallel(2, func(i int) {
		results <- i
		sum += i
	})
	if len(results) != 2 {
		t.Error(len(results))
	}
}

func with(mu *sync.Mutex, f func()) {
	mu.Lock()
	f()
	mu.Unlock()
}

type ledger struct {
	debit, credit sync.Mutex
	balance       int
}

func (l *ledger) pay(n int)  { with(&l.debit, func() { l.balance -= n }) }
func (l *ledger) gain(n int) { with(&l.credit, func() { l.balance += n }) }

// A helper runs a closure with a lock held, and the two locks differ.
func TestWithLock(t *testing.T) {
	var l ledger
	done := make(chan struct{})
	go func() {
		l.pay(3)
		close(done)
	}()
	l.gain(5)
	<-done
}

type session struct {
	open sync.Once
	mu   sync.Mutex
	log  []string
	user string
}

func (s *session) login(name string) {
	s.open.Do(func() {
		with(&s.mu, func() { s.log = append(s.log, name) })
		s.user = name
	})
}

// A closure in Once.Do writes what others read without it.
func TestOnceDo(t *testing.T) {
	var s session
	var wg sync.WaitGroup
	wg.Go(func() { s.login("ann") })
	wg.Go(func() {
		if s.user != "" && s.user != "ann" {
			t.Error(s.user)
		}
	})
	wg.Wait()
}

func sequence(n *int) func() int {
	return func() int {
		*n++
		return *n
	}
}

// A function returns a closure, and both are inlined.
func TestReturnedClosure(t *testing.T) {
	var n int
	next := sequence(&n)
	c := make(chan int)
	go func() { c <- next() }()
	next()
	<-c
}

type server struct {
	port    int
	started int
}

type option func(*server)

func withPort(p int) option { return func(s *server) { s.port = p } }

func (s *server) start(wg *sync.WaitGroup, opts ...option) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		for _, o := range opts {
			o(s)
		}
	}()
	s.started++
}

// Functional options are applied by goroutines that a method starts.
func TestOptions(t *testing.T) {
	s := new(server)
	var wg sync.WaitGroup
	for i := range 2 {
		s.start(&wg, withPort(8000+i))
	}
	wg.Wait()
	if s.port == 0 {
		t.Error("no port")
	}
}

type gauge struct{ v int }

func (g *gauge) inc() { g.v++ }

func run(wg *sync.WaitGroup, f func()) {
	wg.Add(1)
	go func() {
		f()
		wg.Done()
	}()
}

// A method value is run by a helper that is inlined.
func TestMethodValue(t *testing.T) {
	var g gauge
	inc := g.inc
	var wg sync.WaitGroup
	run(&wg, inc)
	run(&wg, inc)
	wg.Wait()
}

func tracked(active *int, f func()) {
	defer func() { *active-- }()
	f()
	*active++
}

// A deferred closure of a helper that is inlined.
func TestDeferredInHelper(t *testing.T) {
	var active int
	var mu sync.Mutex
	var wg sync.WaitGroup
	lock := func() { with(&mu, func() {}) }
	wg.Go(func() { tracked(&active, lock) })
	tracked(&active, lock)
	wg.Wait()
}

var depth sync.Mutex

func outer(f func()) { middle(func() { f() }) }
func middle(f func()) {
	inner(func() {
		with(&depth, func() {})
		f()
	})
}
func inner(f func()) { f() }

// Three helpers hand a closure on, each in one of its own.
func TestThreeDeep(t *testing.T) {
	steps := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		outer(func() { steps++ })
	}()
	outer(func() { steps++ })
	<-done
}

func forEach[T any](items []T, f func(T)) {
	var wg sync.WaitGroup
	for _, item := range items {
		wg.Go(func() { f(item) })
	}
	wg.Wait()
}

// A generic helper runs a callback for each item at once.
func TestGenericForEach(t *testing.T) {
	longest := ""
	forEach([]string{"a", "bcd"}, func(s string) {
		if len(s) > len(longest) {
			longest = s
		}
	})
}

func async[T any](f func() T) <-chan T {
	c := make(chan T, 1)
	go func() { c <- f() }()
	return c
}

// A helper starts a goroutine and returns its channel.
func TestFuture(t *testing.T) {
	calls := 0
	a := async(func() int { calls++; return 1 })
	b := async(func() int { calls++; return 2 })
	if <-a+<-b != 3 {
		t.Error("wrong sum")
	}
}

// A comparison counts, in a sort of each goroutine's own slice.
func TestSortFunc(t *testing.T) {
	compared := 0
	byLength := func(a, b string) int {
		compared++
		return cmp.Compare(len(a), len(b))
	}
	parallel(2, func(int) {
		slices.SortFunc([]string{"aa", "b"}, byLength)
	})
}

// A function literal that is called where it stands.
func TestCalledInPlace(t *testing.T) {
	var state struct{ n int }
	done := make(chan struct{})
	go func() {
		func() {
			state.n++
			close(done)
		}()
	}()
	func() { state.n++ }()
	func() { <-done }()
}

type list struct{ items []int }

func (l *list) all() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for _, v := range l.items {
			if !yield(v) {
				return
			}
		}
	}
}

// The body of a range over a function is a closure, too.
func TestRangeOverFunc(t *testing.T) {
	l := &list{items: []int{1, 2}}
	sum := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for v := range l.all() {
				sum += v
			}
		})
	}
	wg.Wait()
}

type bus struct {
	mu       sync.Mutex
	handlers []func(string)
}

func (b *bus) on(f func(string)) {
	b.mu.Lock()
	b.handlers = append(b.handlers, f)
	b.mu.Unlock()
}

func (b *bus) count(n *int, c chan<- struct{}) {
	b.on(func(string) {
		*n++
		c <- struct{}{}
	})
}

func (b *bus) emit(s string) {
	for _, h := range b.handlers {
		h(s)
	}
}

// A method registers a closure with another method, and events come at once.
func TestHandlers(t *testing.T) {
	var b bus
	n := 0
	c := make(chan struct{}, 2)
	b.count(&n, c)
	var wg sync.WaitGroup
	wg.Go(func() { b.emit("x") })
	wg.Go(func() { b.emit("y") })
	wg.Wait()
	<-c
	<-c
}

type group struct {
	wg  sync.WaitGroup
	sem chan struct{}
	err error
}

func (g *group) run(f func() error) {
	g.sem <- struct{}{}
	g.wg.Add(1)
	go func() {
		defer func() {
			<-g.sem
			g.wg.Done()
		}()
		if err := f(); err != nil {
			g.err = err
		}
	}()
}

func (g *group) runAll(fs ...func() error) {
	for _, f := range fs {
		g.run(f)
	}
	g.wg.Wait()
}

// An error group of one's own, with a limit, keeps the last error.
func TestErrorGroup(t *testing.T) {
	g := &group{sem: make(chan struct{}, 2)}
	g.runAll(
		func() error { return errors.New("first") },
		func() error { return errors.New("second") },
	)
	if g.err == nil {
		t.Error("no error")
	}
}
