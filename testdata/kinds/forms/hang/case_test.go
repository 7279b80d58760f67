// Package hang has goroutines that wait for a connection or listener which only this process can
// end, and that nobody ends in another order.
package hang

import (
	"net"
	"sync"
	"testing"
	"time"
)

type server struct {
	mu     sync.Mutex
	ln     net.Listener
	closed bool
}

func (s *server) serve() error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.ln = ln
	s.mu.Unlock()
	for {
		c, err := ln.Accept()
		if err != nil {
			return nil
		}
		c.Close()
	}
}

func (s *server) shutdown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.ln != nil {
		s.ln.Close()
	}
}

// The listener is there only after the shutdown.
//
//want:deadlock deadlock
func TestAccept(t *testing.T) {
	s := &server{}
	done := make(chan error, 1)
	go func() { done <- s.serve() }()
	time.Sleep(10 * time.Millisecond)
	s.shutdown()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type unlocked struct{ ln net.Listener }

func (s *unlocked) serve() error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.ln = ln
	for {
		c, err := ln.Accept()
		if err != nil {
			return nil
		}
		c.Close()
	}
}

// shutdown finds no listener if it comes too early: then serve never ends.
func (s *unlocked) shutdown() {
	if s.ln != nil {
		s.ln.Close()
	}
}

// Likewise, without a lock: the race decides.
//
//want:race
func TestAcceptUnlocked(t *testing.T) {
	s := &unlocked{}
	done := make(chan error, 1)
	go func() { done <- s.serve() }()
	time.Sleep(10 * time.Millisecond)
	s.shutdown()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type reader struct {
	mu      sync.Mutex
	stopped bool
	c       net.Conn
	done    chan struct{}
}

func (s *reader) isStopped() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.stopped }

func (s *reader) serve() {
	defer close(s.done)
	b := make([]byte, 1)
	for !s.isStopped() {
		s.c.SetReadDeadline(time.Now().Add(8 * time.Second))
		if _, err := s.c.Read(b); err != nil {
			return
		}
		s.c.Write(b)
	}
}

func (s *reader) shutdown() bool {
	s.mu.Lock()
	s.stopped = true
	s.c.SetReadDeadline(time.Unix(1, 0))
	s.mu.Unlock()
	select {
	case <-s.done:
		return true
	case <-time.After(2 * time.Second):
		return false
	}
}

func pair(t testing.TB) (a, b net.Conn) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if b, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if a, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	return a, b
}

// The deadline that ends the read is replaced by one of eight seconds.
//
//want:failure test-failure
func TestDeadline(t *testing.T) {
	a, b := pair(t)
	s := &reader{c: a, done: make(chan struct{})}
	go s.serve()
	b.Write([]byte("x"))
	b.Read(make([]byte, 1))
	if !s.shutdown() {
		t.Error("shutdown timed out")
	}
	b.Close()
}
