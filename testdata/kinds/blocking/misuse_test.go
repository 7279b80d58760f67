package blocking

import (
	"sync"
	"testing"
)

// A queue is filled under the lock under which it is closed.
type queue struct {
	mu     sync.Mutex
	items  chan int
	closed bool
}

func newQueue() *queue { return &queue{items: make(chan int, 1)} }

func (q *queue) put() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items <- 1
}

func (q *queue) offer() {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case q.items <- 1:
	default:
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	close(q.items)
}

func (q *queue) putIfOpen() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.items <- 1
	}
}

//want:channel panic
func TestBugSendOnClosed(t *testing.T) {
	q := newQueue()
	both(q.put, q.close)
}

//want:channel panic
func TestBugOfferToClosed(t *testing.T) {
	q := newQueue()
	both(q.offer, q.close)
}

func TestFixedSendOnClosed(t *testing.T) {
	q := newQueue()
	both(q.putIfOpen, q.close)
}

// The one who closes comes while a sender waits for room.
//
//want:channel panic
func TestBugCloseWhileSending(t *testing.T) {
	c := make(chan int)
	all(func() { <-c }, func() { c <- 1 }, func() {
		rest()
		close(c)
	})
}

func TestFixedCloseWhileSending(t *testing.T) {
	c := make(chan int)
	all(func() { <-c }, func() {
		c <- 1
		close(c)
	})
}

// A stopper closes a channel once, it thinks.
type stopper struct {
	once    sync.Once
	stopped bool
	done    chan int
}

func newStopper() *stopper { return &stopper{done: make(chan int)} }

func (s *stopper) stop() {
	if !s.stopped {
		s.stopped = true
		close(s.done)
	}
}

func (s *stopper) stopOnce() { s.once.Do(func() { close(s.done) }) }

//want:channel panic, race panic
func TestBugCloseOfClosed(t *testing.T) {
	s := newStopper()
	both(s.stop, s.stop)
}

func TestFixedCloseOfClosed(t *testing.T) {
	s := newStopper()
	both(s.stopOnce, s.stopOnce)
}

//want:race panic
func TestBugCloseOfNil(t *testing.T) {
	s := new(stopper)
	both(func() { s.done = make(chan int) }, func() { close(s.done) })
}

func TestFixedCloseOfNil(t *testing.T) {
	s := new(stopper)
	made := make(chan bool)
	both(func() {
		s.done = make(chan int)
		close(made)
	}, func() {
		<-made
		close(s.done)
	})
}

//want:waitgroup panic
func TestBugDoneBeforeAdd(t *testing.T) {
	var wg sync.WaitGroup
	both(func() { wg.Add(1) }, func() { wg.Done() })
}

func TestFixedDoneBeforeAdd(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	both(func() { wg.Add(1) }, wg.Done)
	wg.Done()
}

// The group is not yet waited for when its first member is added, it hopes.
//
//want:waitgroup none
func TestBugAddWhileWaiting(t *testing.T) {
	var wg sync.WaitGroup
	both(func() { wg.Go(func() {}) }, func() { wg.Wait() })
}

// Likewise, when its second one is, and the first one is done by then.
//
//want:waitgroup none
func TestBugAddAfterDone(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	all(func() { wg.Go(func() {}) }, func() { wg.Done() }, func() { wg.Wait() })
}

func TestFixedAddWhileWaiting(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(2)
	all(func() {
		wg.Go(func() {})
		wg.Done()
	}, wg.Done, wg.Wait)
}

// The group is used again before all who wait have gone on.
//
//want:waitgroup none
func TestBugUsedAgain(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	all(func() { wg.Wait() }, func() { wg.Done() }, func() {
		rest()
		wg.Add(1)
		wg.Done()
	})
}

func TestFixedUsedAgain(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	both(wg.Wait, wg.Done)
	wg.Add(1)
	both(wg.Wait, wg.Done)
}

// One locks and another one unlocks, in the order in which they come.
//
//want:lock-misuse panic
func TestBugUnlockFirst(t *testing.T) {
	var mu sync.Mutex
	both(func() { mu.Lock() }, func() { mu.Unlock() })
}

//want:lock-misuse panic
func TestBugRUnlockFirst(t *testing.T) {
	var mu sync.RWMutex
	both(func() { mu.RLock() }, func() { mu.RUnlock() })
}

func TestFixedUnlockFirst(t *testing.T) {
	var mu sync.Mutex
	locked := make(chan bool)
	both(func() {
		mu.Lock()
		locked <- true
	}, func() {
		<-locked
		mu.Unlock()
	})
}

//want:race panic
func TestBugMapWrites(t *testing.T) {
	seen := make(map[string]int)
	both(func() { seen["a"] = 1 }, func() { seen["b"] = 2 })
}

//want:race panic
func TestBugMapReadAndWrite(t *testing.T) {
	n, seen := 0, map[string]int{"a": 1}
	both(func() { n = seen["a"] }, func() { seen["b"] = 2 })
	_ = n
}

//want:race panic
func TestBugMapRangeAndWrite(t *testing.T) {
	seen := map[string]int{"a": 1}
	both(func() {
		for range seen {
		}
	}, func() { seen["b"] = 2 })
}

func TestFixedMap(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]int)
	put := func(key string) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			seen[key]++
		}
	}
	both(put("a"), put("b"))
}
