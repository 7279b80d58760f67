// Package helpers has tests that fail in another order, and whose assertions
// stand behind getters, interfaces and helpers.
package helpers

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

type counter interface {
	Value() int
}

type lockedCounter struct {
	mu sync.Mutex
	n  int
}

func (c *lockedCounter) Value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// inc forgets what others add between its two sections.
func (c *lockedCounter) inc() {
	v := c.Value()
	c.mu.Lock()
	c.n = v + 1
	c.mu.Unlock()
}

// twice increments from two goroutines.
func twice(inc func()) {
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		go func() {
			defer wg.Done()
			inc()
		}()
	}
	wg.Wait()
}

// The value comes from a getter that is called through an interface.
func TestInterfaceGetter(t *testing.T) {
	c := new(lockedCounter)
	twice(c.inc)
	var v counter = c
	if v.Value() != 2 {
		t.Errorf("value is %d", v.Value())
	}
}

func assertEqual(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

// The assertion is in a helper with two ints.
func TestAssertEqual(t *testing.T) {
	c := new(lockedCounter)
	assertEqual(t, c.Value(), 0)
	twice(c.inc)
	assertEqual(t, c.Value(), 2)
}

func equal[T comparable](t testing.TB, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// The helper is generic and fails at once.
func TestGenericHelper(t *testing.T) {
	c := new(lockedCounter)
	twice(c.inc)
	equal(t, 1, 1)
	equal(t, c.Value(), 2)
}

type checker struct{ t *testing.T }

func (c checker) True(ok bool, msg string) {
	if !ok {
		c.t.Error(msg)
	}
}

// The helper is a method and gets a bool.
func TestMethodHelper(t *testing.T) {
	check := checker{t}
	c := new(lockedCounter)
	twice(c.inc)
	check.True(c.Value() > 0, "nothing was counted")
	check.True(c.Value() == 2, "an increment was lost")
}

// The helper is a closure of the test.
func TestClosureHelper(t *testing.T) {
	c := new(lockedCounter)
	expect := func(want int) {
		t.Helper()
		if got := c.Value(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	expect(0)
	twice(c.inc)
	expect(2)
}

type bank interface {
	Transfer(n int)
	Balance() (int, error)
}

type memoryBank struct {
	mu      sync.Mutex
	balance int
}

func (b *memoryBank) Transfer(n int) {
	b.mu.Lock()
	v := b.balance
	b.mu.Unlock()
	v += n
	b.mu.Lock()
	b.balance = v
	b.mu.Unlock()
}

func (b *memoryBank) Balance() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.balance < 0 {
		return 0, errors.New("overdrawn")
	}
	return b.balance, nil
}

func newBank() bank { return &memoryBank{balance: 10} }

// Getter and setter are called through an interface, and the getter has an error, too.
func TestInterfaceWithError(t *testing.T) {
	b := newBank()
	twice(func() { b.Transfer(5) })
	got, err := b.Balance()
	if err != nil {
		t.Fatal(err)
	}
	if got != 20 {
		t.Errorf("balance is %d", got)
	}
}

// The error decides: one transfer brings the balance below zero for a moment.
func TestErrorHelper(t *testing.T) {
	b := newBank()
	noError := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	done := make(chan struct{})
	go func() {
		b.Transfer(-15)
		b.Transfer(15)
		close(done)
	}()
	_, err := b.Balance()
	noError(err)
	<-done
}

type queue struct {
	mu    sync.Mutex
	items []int
	size  int
}

func (q *queue) push(v int) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.mu.Lock()
	q.size++
	q.mu.Unlock()
}

func (q *queue) check() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) != q.size {
		return fmt.Errorf("size is %d, %d items", q.size, len(q.items))
	}
	return nil
}

// A method finds what is wrong and makes an error of it.
func TestCheckMethod(t *testing.T) {
	var q queue
	done := make(chan struct{})
	go func() {
		q.push(1)
		close(done)
	}()
	if err := q.check(); err != nil {
		t.Error(err)
	}
	<-done
}

// A table of wanted values, and one assertion for all.
func TestTable(t *testing.T) {
	for _, tt := range []struct {
		name string
		add  int
		want int
	}{{"none", 0, 10}, {"some", 3, 16}} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBank()
			twice(func() { b.Transfer(tt.add) })
			if got, _ := b.Balance(); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func must(ok bool) {
	if !ok {
		panic("broken invariant")
	}
}

// The helper panics.
func TestPanicHelper(t *testing.T) {
	var hits atomic.Int64
	twice(func() {
		n := hits.Load()
		hits.Store(n + 1)
	})
	must(hits.Load() == 2)
}

type snapshot struct{ Hits, Misses int }

type stats struct {
	mu sync.Mutex
	s  snapshot
}

func (s *stats) hit() {
	old := s.get()
	old.Hits++
	s.mu.Lock()
	s.s = old
	s.mu.Unlock()
}

func (s *stats) get() snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.s
}

// A struct is compared as a whole.
func TestSnapshot(t *testing.T) {
	var s stats
	twice(s.hit)
	if got, want := s.get(), (snapshot{Hits: 2}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func differ(a, b any) bool { return a != b }

func same(tb testing.TB, got, want any, args ...any) {
	tb.Helper()
	if differ(got, want) {
		tb.Errorf("got %v, want %v: %s", got, want, fmt.Sprint(args...))
	}
}

// The helper is two calls away and compares interfaces, and the getter is a method value.
func TestHelperOfHelper(t *testing.T) {
	c := new(lockedCounter)
	check := func(get func() int) { same(t, get(), 2, "both have counted") }
	twice(c.inc)
	check(c.Value)
}

func wantInt(want int, c <-chan int) error {
	if got := <-c; got != want {
		return fmt.Errorf("got %d, want %d", got, want)
	}
	return nil
}

// The value comes through a channel, and the helper returns an error.
func TestChannelResult(t *testing.T) {
	c := new(lockedCounter)
	results := make(chan int)
	go func() {
		twice(c.inc)
		results <- c.Value()
	}()
	if err := wantInt(2, results); err != nil {
		t.Fatal(err)
	}
}
