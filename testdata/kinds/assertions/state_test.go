package assertions

import (
	"errors"
	"sync"
	"time"
)

var errFailed = errors.New("failed")

// state is what the assertions are about: its lock guards all.
type state struct {
	mu    sync.Mutex
	n     int
	on    bool
	name  string
	err   error
	next  *state
	list  []int
	table [4]int
}

func (s *state) with(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *state) setN(n int) {
	s.mu.Lock()
	s.n = n
	s.mu.Unlock()
}

func (s *state) setOn(on bool) {
	s.mu.Lock()
	s.on = on
	s.mu.Unlock()
}

func (s *state) setName(name string) {
	s.mu.Lock()
	s.name = name
	s.mu.Unlock()
}

func (s *state) setErr(err error) {
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
}

func (s *state) setNext(next *state) {
	s.mu.Lock()
	s.next = next
	s.mu.Unlock()
}

func (s *state) getN() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *state) isOn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on
}

func (s *state) getName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

func (s *state) getErr() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *state) getNext() *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

// inTurn runs first and, when it is done by now, second.
func inTurn(first, second func()) {
	var all sync.WaitGroup
	all.Go(first)
	all.Go(func() {
		time.Sleep(5 * time.Millisecond)
		second()
	})
	all.Wait()
}
