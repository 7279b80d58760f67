// Package orders has races that a run hides by the order it takes: what the
// goroutines use to agree orders them one way and not the other.
package orders

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A channel with one place is a mutex; the write comes before or after it.
func TestChannelAsMutex(t *testing.T) {
	sem := make(chan struct{}, 1)
	state := 0
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		state = 1
		sem <- struct{}{}
		<-sem
	}()
	go func() {
		defer wg.Done()
		sem <- struct{}{}
		<-sem
		state = 2
	}()
	wg.Wait()
	if state == 0 {
		t.Error("no state")
	}
}

// As TestChannelAsMutex, started the other way round.
func TestChannelAsMutexReversed(t *testing.T) {
	sem := make(chan struct{}, 1)
	var state string
	var wg sync.WaitGroup
	wg.Go(func() {
		sem <- struct{}{}
		<-sem
		state = "second"
	})
	wg.Go(func() {
		state = "first"
		sem <- struct{}{}
		<-sem
	})
	wg.Wait()
	if state == "" {
		t.Error("no state")
	}
}

type spinLock struct{ held atomic.Bool }

func (l *spinLock) Lock() {
	for !l.held.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func (l *spinLock) Unlock() { l.held.Store(false) }

type guarded struct {
	spinLock
	n, dirty int
}

func (g *guarded) add(n int) {
	g.Lock()
	defer g.Unlock()
	g.n += n
}

// A spinlock of CompareAndSwap, and a field beside it.
func TestSpinLock(t *testing.T) {
	g := new(guarded)
	done := make(chan struct{})
	go func() {
		g.dirty++
		g.add(1)
		close(done)
	}()
	g.add(2)
	g.dirty++
	<-done
}

// The same, with the accesses on the other sides of the lock.
func TestSpinLockOtherSide(t *testing.T) {
	g := new(guarded)
	var wg sync.WaitGroup
	wg.Go(func() {
		g.add(1)
		g.dirty = 1
	})
	wg.Go(func() {
		g.dirty = 2
		g.add(2)
	})
	wg.Wait()
}

type request struct {
	key   string
	reply chan int
}

func serve(requests <-chan request) {
	counts := map[string]int{}
	for r := range requests {
		counts[r.key]++
		r.reply <- counts[r.key]
	}
}

func ask(requests chan<- request, key string) int {
	r := request{key, make(chan int)}
	requests <- r
	return <-r.reply
}

// A server goroutine owns a map, and its clients share something else.
func TestServerGoroutine(t *testing.T) {
	requests := make(chan request)
	go serve(requests)
	defer close(requests)
	last := ""
	var wg sync.WaitGroup
	wg.Go(func() {
		last = "a"
		ask(requests, "a")
	})
	wg.Go(func() {
		ask(requests, "b")
		last = "b"
	})
	wg.Wait()
	if last == "" {
		t.Error("nobody asked")
	}
}

// The number that atomic.Add returns decides who does what.
func TestAddThatIsUsed(t *testing.T) {
	var arrived atomic.Int32
	first := ""
	done := make(chan struct{})
	go func() {
		defer close(done)
		first = "nobody"
		arrived.Add(1)
	}()
	if arrived.Add(1) == 1 {
		first = "parent"
	}
	<-done
	if first == "" {
		t.Error("nobody came")
	}
}

// A counter of sync/atomic is between the accesses; nobody looks at it.
func TestAddThatIsNotUsed(t *testing.T) {
	var ops int64
	var config string
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		config = "a"
		atomic.AddInt64(&ops, 1)
	}()
	go func() {
		defer wg.Done()
		atomic.AddInt64(&ops, 1)
		config = "b"
	}()
	wg.Wait()
	if ops != 2 || config == "" {
		t.Error(ops, config)
	}
}

type item struct{ uses int }

// sync.Map gives both goroutines the same value.
func TestSyncMapValue(t *testing.T) {
	var m sync.Map
	use := func() {
		v, _ := m.LoadOrStore("k", new(item))
		v.(*item).uses++
	}
	var wg sync.WaitGroup
	wg.Go(use)
	wg.Go(use)
	wg.Wait()
}

// sync.Map is used with different keys, before one write and behind another.
func TestSyncMapOtherKeys(t *testing.T) {
	var m sync.Map
	size := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		size++
		m.Store("a", 1)
	})
	wg.Go(func() {
		if _, ok := m.Load("b"); !ok {
			size++
		}
	})
	wg.Wait()
}

// Who comes first does the work of Once, with a write before or after it.
func TestOnce(t *testing.T) {
	var once sync.Once
	var loads int
	mode := "new"
	var wg sync.WaitGroup
	wg.Go(func() {
		mode = "loading"
		once.Do(func() { loads++ })
	})
	wg.Go(func() {
		once.Do(func() { loads++ })
		mode = "loaded"
	})
	wg.Wait()
	if loads != 1 || mode == "new" {
		t.Error(loads, mode)
	}
}

// A flag tells that the value is there, and one side looks too early.
func TestFlag(t *testing.T) {
	var ready atomic.Bool
	value := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		value = 1
		ready.Store(true)
	}()
	if !ready.Load() {
		value = 2
	}
	<-done
	if value == 0 {
		t.Error("no value")
	}
}

// A queue that is empty or not decides who writes.
func TestEmptyQueue(t *testing.T) {
	queue := make(chan int, 1)
	misses := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		queue <- 1
		misses--
	})
	wg.Go(func() {
		select {
		case <-queue:
		default:
			misses++
		}
	})
	wg.Wait()
}

type store struct {
	mu    sync.Mutex
	m     map[string]int
	fills int
}

func (s *store) get(k string) int {
	s.mu.Lock()
	v, ok := s.m[k]
	s.mu.Unlock()
	if !ok {
		s.fills++
		v = len(k)
		s.mu.Lock()
		s.m[k] = v
		s.mu.Unlock()
	}
	return v
}

// A map that was empty is full for the second goroutine.
func TestEmptyMap(t *testing.T) {
	s := &store{m: map[string]int{}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.get("key")
		}()
	}
	wg.Wait()
}

type service struct {
	mu      sync.Mutex
	running bool
	starts  int
}

func (s *service) start() {
	s.mu.Lock()
	was := s.running
	s.running = true
	s.mu.Unlock()
	if !was {
		s.starts++
	}
}

func (s *service) stop() {
	s.mu.Lock()
	was := s.running
	s.running = false
	s.mu.Unlock()
	if was {
		s.starts--
	}
}

// Who starts and who stops depends on who is first.
func TestStartStop(t *testing.T) {
	var s service
	done := make(chan struct{})
	go func() {
		s.stop()
		close(done)
	}()
	s.start()
	<-done
}

// The two halves of an unbuffered exchange in a select.
func TestCancelOrResult(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan int, 1)
	outcome := ""
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-results:
			outcome = "result"
		case <-ctx.Done():
			outcome = "canceled"
		}
	}()
	results <- 1
	if outcome == "canceled" {
		t.Error("nobody has canceled")
	}
	cancel()
	<-done
}

// A condition that one side may find fulfilled without waiting.
func TestCond(t *testing.T) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready, waits := false, 0
	var wg sync.WaitGroup
	wg.Go(func() {
		waits++
		mu.Lock()
		ready = true
		mu.Unlock()
		cond.Broadcast()
	})
	wg.Go(func() {
		mu.Lock()
		if !ready {
			mu.Unlock()
			waits++
			mu.Lock()
		}
		for !ready {
			cond.Wait()
		}
		mu.Unlock()
	})
	wg.Wait()
}

type worker struct {
	jobs chan int
	busy int
}

// Two workers take jobs; what each does then is not guarded.
func TestWorkers(t *testing.T) {
	w := &worker{jobs: make(chan int)}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range w.jobs {
				w.busy += j
			}
		}()
	}
	for j := range 4 {
		w.jobs <- j
	}
	close(w.jobs)
	wg.Wait()
}

// A lock that was taken with TryLock leaves the other one without.
func TestTryLock(t *testing.T) {
	var mu sync.Mutex
	skipped := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if !mu.TryLock() {
				skipped++
				return
			}
			runtime.Gosched()
			mu.Unlock()
			skipped--
		})
	}
	wg.Wait()
}

// Who times out reads the result that may come late.
func TestTimeout(t *testing.T) {
	result := 0
	done := make(chan struct{})
	go func() {
		result = 3
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Microsecond):
	}
	if result < 0 {
		t.Error(result)
	}
}
