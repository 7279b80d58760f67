package blocking

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// A slot of a semaphore first and a lock then, and the other way round.
//
//want:deadlock deadlock
func TestBugSlotAndLock(t *testing.T) {
	var mu sync.Mutex
	n, slots := 0, make(chan bool, 1)
	both(under(&n, slot(slots), &mu), under(&n, &mu, slot(slots)))
}

func TestFixedSlotAndLock(t *testing.T) {
	var mu sync.Mutex
	n, slots := 0, make(chan bool, 1)
	both(under(&n, slot(slots), &mu), under(&n, slot(slots), &mu))
}

// A slot is one of a semaphore.
type slot chan bool

func (s slot) Lock()   { s <- true }
func (s slot) Unlock() { <-s }

// A result that nobody waits for any longer, as there was an error.
//
//want:leak leak
func TestBugReturnsEarly(t *testing.T) {
	if err := first(func() error { return errLate }, func() error { return nil }, make(chan error)); err == nil {
		t.Error("expected an error")
	}
}

func TestFixedReturnsEarly(t *testing.T) {
	if err := first(func() error { return errLate }, func() error { return nil }, make(chan error, 2)); err == nil {
		t.Error("expected an error")
	}
}

var errLate = errors.New("late")

// first is the first error of both functions.
func first(f, g func() error, results chan error) error {
	go func() { results <- f() }()
	rest()
	go func() { results <- g() }()
	if err := <-results; err != nil {
		return err
	}
	return <-results
}

// A receiver that has waited long enough.
//
//want:leak leak
func TestBugTimesOut(t *testing.T) { timesOut(make(chan int)) }

func TestFixedTimesOut(t *testing.T) { timesOut(make(chan int, 1)) }

func timesOut(results chan int) {
	go func() {
		time.Sleep(10 * time.Millisecond)
		results <- 1
	}()
	select {
	case <-results:
	case <-time.After(time.Millisecond):
	}
	time.Sleep(20 * time.Millisecond)
}

// Nobody closes what is ranged over.
//
//want:leak leak
func TestBugNotClosed(t *testing.T) {
	c := make(chan int)
	sum(c, 1, 2, 3)
}

func TestFixedNotClosed(t *testing.T) {
	c := make(chan int)
	sum(c, 1, 2, 3)
	close(c)
}

func sum(c chan int, ns ...int) {
	go func() {
		sum := 0
		for n := range c {
			sum += n
		}
	}()
	for _, n := range ns {
		c <- n
	}
}

// A channel that was never made.
//
//want:leak leak
func TestBugNilReceive(t *testing.T) {
	var c chan int
	go func() { <-c }()
}

//want:leak leak
func TestBugNilSend(t *testing.T) {
	var c chan int
	go func() { c <- 1 }()
}

//want:leak leak
func TestBugNilSelect(t *testing.T) {
	var c, d chan int
	go func() {
		select {
		case <-c:
		case d <- 1:
		}
	}()
}

func TestFixedNil(t *testing.T) {
	c := make(chan int, 1)
	go func() {
		c <- 1
		<-c
	}()
}

// The message before the last one may be the last that there is.
//
//want:deadlock deadlock
func TestBugWholeCircle(t *testing.T) {
	a, b := make(chan int), make(chan int)
	var mu sync.Mutex
	all(func() {
		mu.Lock()
		mu.Unlock()
		a <- <-b
	}, func() {
		mu.Lock()
		b <- 1
		mu.Unlock()
	}, func() {
		<-a
	})
}

func TestFixedWholeCircle(t *testing.T) {
	a, b := make(chan int), make(chan int)
	var mu sync.Mutex
	all(func() {
		mu.Lock()
		mu.Unlock()
		a <- <-b
	}, func() {
		b <- 1
	}, func() {
		<-a
	})
}

// A worker that waits on a package's variable may be woken.
func TestFixedByVariable(t *testing.T) {
	go func() { <-woken }()
}

var woken = make(chan int)
