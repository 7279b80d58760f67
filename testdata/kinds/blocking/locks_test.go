package blocking

import (
	"sync"
	"testing"
)

// Two locks in two orders.
//
//want:deadlock deadlock
func TestBugCrossed(t *testing.T) {
	var a, b sync.Mutex
	n := 0
	both(under(&n, &a, &b), under(&n, &b, &a))
}

func TestFixedCrossed(t *testing.T) {
	var a, b sync.Mutex
	n := 0
	both(under(&n, &a, &b), under(&n, &a, &b))
}

// Whoever wants both has the gate first.
func TestFixedByGate(t *testing.T) {
	var gate, a, b sync.Mutex
	n := 0
	both(under(&n, &gate, &a, &b), under(&n, &gate, &b, &a))
}

// One goroutine does it in both orders, in turn.
func TestFixedByTurn(t *testing.T) {
	var a, b sync.Mutex
	n := 0
	both(func() {
		under(&n, &a, &b)()
		under(&n, &b, &a)()
	}, func() {})
}

// One goroutine is over when the other one begins.
func TestFixedByJoin(t *testing.T) {
	var a, b sync.Mutex
	n := 0
	both(under(&n, &a, &b), func() {})
	both(under(&n, &b, &a), func() {})
}

// Likewise, by a message.
func TestFixedByMessage(t *testing.T) {
	var a, b sync.Mutex
	n, over := 0, make(chan bool)
	both(func() {
		under(&n, &a, &b)()
		over <- true
	}, func() {
		<-over
		under(&n, &b, &a)()
	})
}

// Three goroutines, each of which has what the one before wants.
//
//want:deadlock deadlock
func TestBugThree(t *testing.T) {
	var a, b, c sync.Mutex
	n := 0
	all(under(&n, &a, &b), under(&n, &b, &c), under(&n, &c, &a))
}

func TestFixedThree(t *testing.T) {
	var a, b, c sync.Mutex
	n := 0
	all(under(&n, &a, &b), under(&n, &b, &c), under(&n, &a, &c))
}

// A store counts its items.
type store struct {
	mu    sync.RWMutex
	items []string
}

func (s *store) put(item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = append(s.items, item)
	if len(s.items) > 1 {
		s.tidy()
	}
}

func (s *store) tidy() {
	if s.len() > 100 {
		s.items = nil
	}
}

func (s *store) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.items)
}

// Whoever has the lock asks for it again, two calls further.
//
//want:leak leak
func TestBugTwice(t *testing.T) {
	s := new(store)
	go func() {
		s.put("a")
		s.put("b")
	}()
}

func TestFixedTwice(t *testing.T) {
	s := new(store)
	go s.put("a")
}

// A reader comes back for more and finds a writer, who waits for it.
//
//want:deadlock deadlock
func TestBugReadsAgain(t *testing.T) {
	s := new(store)
	n := 0
	both(func() {
		s.mu.RLock()
		n = s.len()
		s.mu.RUnlock()
	}, func() {
		s.put("a")
	})
	_ = n
}

func TestFixedReadsAgain(t *testing.T) {
	s := new(store)
	n := 0
	both(func() {
		n = s.len()
		n = s.len()
	}, func() {
		s.put("a")
	})
	_ = n
}

// What is read is to be written, by whoever reads it still.
//
//want:leak leak
func TestBugUpgrade(t *testing.T) {
	s := new(store)
	go func() {
		s.mu.RLock()
		if len(s.items) == 0 {
			s.put("a")
		}
		s.mu.RUnlock()
	}()
}

func TestFixedUpgrade(t *testing.T) {
	s := new(store)
	go func() {
		if s.len() == 0 {
			s.put("a")
		}
	}()
}

// The receiver needs the lock that is held while it is sent to.
//
//want:deadlock deadlock
func TestBugSendsUnderLock(t *testing.T) {
	var mu sync.Mutex
	n, c := 0, make(chan int)
	both(func() {
		mu.Lock()
		n++
		mu.Unlock()
		<-c
	}, func() {
		mu.Lock()
		c <- n
		mu.Unlock()
	})
}

func TestFixedSendsUnderLock(t *testing.T) {
	var mu sync.Mutex
	n, c := 0, make(chan int)
	both(func() {
		mu.Lock()
		n++
		mu.Unlock()
		<-c
	}, func() {
		mu.Lock()
		m := n
		mu.Unlock()
		c <- m
	})
}

// Likewise, the sender has a choice, of two that both need the lock.
//
//want:deadlock deadlock
func TestBugSelectsUnderLock(t *testing.T) {
	var mu sync.Mutex
	n, c, d := 0, make(chan int), make(chan int)
	both(func() {
		mu.Lock()
		n++
		mu.Unlock()
		<-c
	}, func() {
		mu.Lock()
		select {
		case c <- n:
		case <-d:
		}
		mu.Unlock()
	})
}

// There is room for it.
func TestFixedSelectsUnderLock(t *testing.T) {
	var mu sync.Mutex
	n, c, d := 0, make(chan int, 1), make(chan int)
	both(func() {
		mu.Lock()
		n++
		mu.Unlock()
		<-c
	}, func() {
		mu.Lock()
		select {
		case c <- n:
		case <-d:
		}
		mu.Unlock()
	})
}
