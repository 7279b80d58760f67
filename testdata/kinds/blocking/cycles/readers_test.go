package cycles

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// Behind an interface, and a callback that asks again.
type store interface {
	each(f func(k string))
	get(k string) int
	put(k string, n int)
}

type table struct {
	mu sync.RWMutex
	m  map[string]int
}

func (t *table) each(f func(k string)) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for k := range t.m {
		f(k)
	}
}

func (t *table) get(k string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.m[k]
}

func (t *table) put(k string, n int) {
	t.mu.Lock()
	t.m[k] = n
	t.mu.Unlock()
}

//want:deadlock deadlock of 0.1 0.2
func TestBugReadCallback(t *testing.T) {
	var s store = &table{m: map[string]int{"a": 1}}
	var wg sync.WaitGroup
	wg.Go(func() {
		sum := 0
		s.each(func(k string) { sum += s.get(k) })
	})
	wg.Go(func() { s.put("b", 2) })
	wg.Wait()
}

// Embedded.
type account struct {
	sync.RWMutex
	n int
}

func (a *account) balance() int { a.RLock(); defer a.RUnlock(); return a.n }
func (a *account) text() string {
	a.RLock()
	defer a.RUnlock()
	return strings.Repeat("x", a.balance())
}

//want:deadlock deadlock of 0 0.1
func TestBugReadEmbedded(t *testing.T) {
	a := &account{n: 3}
	done := make(chan string)
	go func() { done <- a.text() }()
	a.Lock()
	a.n++
	a.Unlock()
	<-done
}

// As a Locker.
//
//want:deadlock deadlock of 0.1 0.2
func TestBugReadLocker(t *testing.T) {
	var mu sync.RWMutex
	read := func(l sync.Locker, f func()) { l.Lock(); defer l.Unlock(); f() }
	var wg sync.WaitGroup
	wg.Go(func() { read(mu.RLocker(), func() { read(mu.RLocker(), func() {}) }) })
	wg.Go(func() { read(&mu, func() {}) })
	wg.Wait()
}

// Generic.
type guarded[T any] struct {
	mu sync.RWMutex
	v  T
}

func (g *guarded[T]) view(f func(T)) { g.mu.RLock(); defer g.mu.RUnlock(); f(g.v) }
func (g *guarded[T]) set(v T)        { g.mu.Lock(); defer g.mu.Unlock(); g.v = v }

//want:deadlock deadlock of 0.1 0.2
func TestBugReadGeneric(t *testing.T) {
	g := &guarded[[]int]{v: []int{1}}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		g.view(func([]int) { g.view(func([]int) {}) })
	}()
	go func() {
		defer wg.Done()
		g.set(nil)
	}()
	wg.Wait()
}

// A recursion, three levels deep.
type node struct{ kids []*node }

type forest struct {
	mu   sync.RWMutex
	root *node
}

func (f *forest) depth(n *node) int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	d := 0
	for _, k := range n.kids {
		d = max(d, f.depth(k))
	}
	return d + 1
}

func (f *forest) plant() { f.mu.Lock(); f.root = &node{}; f.mu.Unlock() }

//want:deadlock deadlock of 0.1 0.2
func TestBugReadRecursion(t *testing.T) {
	f := &forest{root: &node{kids: []*node{{kids: []*node{{}}}}}}
	root := f.root
	var wg sync.WaitGroup
	wg.Go(func() { f.depth(root) })
	wg.Go(f.plant)
	wg.Wait()
}

// Two locks, read in opposite orders, with a writer for each.
//
//want:deadlock deadlock of 0.1 0.2 0.3 0.4
func TestBugReadTwoLocks(t *testing.T) {
	var a, b sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() { a.RLock(); b.RLock(); b.RUnlock(); a.RUnlock() })
	wg.Go(func() {
		b.RLock()
		a.RLock()
		a.RUnlock()
		b.RUnlock()
	})
	wg.Go(func() {
		a.Lock()
		a.Unlock()
	})
	wg.Go(func() {
		b.Lock()
		b.Unlock()
	})
	wg.Wait()
}

// A reader waits for the message of another reader.
//
//want:deadlock deadlock of 0.1 0.2 0.3
func TestBugReadReaderWaitsForReader(t *testing.T) {
	var mu sync.RWMutex
	n, c := 1, make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.RLock()
		defer mu.RUnlock()
		n += <-c - n
	})
	wg.Go(func() {
		mu.RLock()
		v := 2
		mu.RUnlock()
		c <- v
	})
	wg.Go(func() {
		mu.Lock()
		mu.Unlock()
	})
	wg.Wait()
}

// A reader waits for its children, which read.
//
//want:deadlock deadlock of 0.1 0.1.2 0.2
func TestBugReadChildrenRead(t *testing.T) {
	x := &table{m: map[string]int{"a": 1, "b": 2}}
	var all sync.WaitGroup
	all.Go(func() {
		x.mu.RLock()
		defer x.mu.RUnlock()
		var kids sync.WaitGroup
		for _, k := range []string{"a", "b"} {
			kids.Go(func() { x.get(k) })
		}
		kids.Wait()
	})
	all.Go(func() { x.put("c", 3) })
	all.Wait()
}

// Parallel subtests share it.
//
//want:deadlock deadlock of 0.1 0.2
func TestBugReadParallel(t *testing.T) {
	x := &account{n: 1}
	t.Run("text", func(t *testing.T) {
		t.Parallel()
		_ = x.text()
	})
	t.Run("grow", func(t *testing.T) {
		t.Parallel()
		x.Lock()
		defer x.Unlock()
		x.n++
	})
}

// The writer is a timer's function.
//
//want:deadlock deadlock of 0 0.1
func TestBugReadTimer(t *testing.T) {
	x := &account{n: 1}
	written := make(chan bool)
	time.AfterFunc(time.Millisecond, func() {
		x.Lock()
		x.n++
		x.Unlock()
		close(written)
	})
	_ = x.text()
	<-written
}

// A reader waits for a condition with another read lock, which the signaller shuts out.
//
//want:deadlock deadlock of 0.1 0.2
func TestBugReadCond(t *testing.T) {
	var mu sync.RWMutex
	ready := false
	c := sync.NewCond(mu.RLocker())
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		ready = true
		mu.Unlock()
		c.Broadcast()
	})
	wg.Go(func() {
		mu.RLock()
		mu.RLock()
		mu.RUnlock()
		mu.RUnlock()
	})
	c.L.Lock()
	for !ready {
		c.Wait()
	}
	c.L.Unlock()
	wg.Wait()
}

// A writer that waits holds another lock, which the reader wants.
//
//want:deadlock deadlock of 0.1 0.2
func TestBugReadWriterHolds(t *testing.T) {
	var mu sync.RWMutex
	var log sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.RLock()
		log.Lock()
		log.Unlock()
		mu.RUnlock()
	})
	wg.Go(func() {
		log.Lock()
		mu.Lock()
		mu.Unlock()
		log.Unlock()
	})
	wg.Wait()
}
