package hang

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A read of a pipe of the kernel whose deadline is replaced.
//
//want:deadlock deadlock
func TestPipeDeadline(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var stopped atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		if stopped.Load() {
			return
		}
		r.SetReadDeadline(time.Time{}) // for ever
		r.Read(make([]byte, 1))
	})
	time.Sleep(5 * time.Millisecond)
	stopped.Store(true)
	r.SetReadDeadline(time.Unix(1, 0))
	wg.Wait()
}

// A deadliner is what both kinds of connections have.
type deadliner interface {
	io.Reader
	SetDeadline(time.Time) error
}

type session struct {
	conn   deadliner
	closed atomic.Bool
	ended  sync.WaitGroup
}

func (s *session) loop() {
	defer s.ended.Done()
	for !s.closed.Load() {
		s.conn.SetDeadline(time.Time{})
		if _, err := s.conn.Read(make([]byte, 1)); err != nil {
			return
		}
	}
}

func (s *session) stop() {
	s.closed.Store(true)
	s.conn.SetDeadline(time.Now())
	s.ended.Wait()
}

func stops(t *testing.T, conn deadliner) {
	s := &session{conn: conn}
	s.ended.Add(1)
	go s.loop()
	time.Sleep(5 * time.Millisecond)
	s.stop()
}

// Two kinds of connections behind an interface, in subtests.
//
//want:deadlock deadlock
func TestInterface(t *testing.T) {
	t.Run("tcp", func(t *testing.T) {
		a, b := pair(t)
		defer b.Close()
		stops(t, a)
	})
	t.Run("memory", func(t *testing.T) {
		a, b := net.Pipe()
		defer b.Close()
		stops(t, a)
	})
}

// A listener's deadline.
//
//want:deadlock deadlock
func TestListenerDeadline(t *testing.T) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	over := make(chan struct{})
	go func() {
		defer close(over)
		l.SetDeadline(time.Time{})
		l.Accept()
	}()
	time.Sleep(5 * time.Millisecond)
	l.SetDeadline(time.Now())
	<-over
}

// A socket that is closed by who finds it. Other processes may send a datagram: nothing is proven.
func TestDatagram(t *testing.T) {
	var mu sync.Mutex
	var conn net.PacketConn
	over := make(chan error, 1)
	go func() {
		c, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			over <- err
			return
		}
		mu.Lock()
		conn = c
		mu.Unlock()
		_, _, err = c.ReadFrom(make([]byte, 1))
		over <- err
	}()
	time.Sleep(10 * time.Millisecond)
	mu.Lock()
	if conn != nil {
		conn.Close()
	}
	mu.Unlock()
	<-over
}

// A group keeps its members by name; a member that comes after the end is never closed.
type group[T io.Closer] struct {
	mu      sync.Mutex
	members map[string]T
	wg      sync.WaitGroup
}

func (g *group[T]) run(name string, open func() T, use func(T)) {
	g.wg.Go(func() {
		m := open()
		g.mu.Lock()
		g.members[name] = m
		g.mu.Unlock()
		use(m)
	})
}

func (g *group[T]) stop() {
	g.mu.Lock()
	for _, m := range g.members {
		m.Close()
	}
	g.mu.Unlock()
	g.wg.Wait()
}

// Generic, and a scanner that reads.
//
//want:deadlock deadlock
func TestGroup(t *testing.T) {
	g := &group[net.Conn]{members: make(map[string]net.Conn)}
	g.run("a", func() net.Conn { a, b := net.Pipe(); t.Cleanup(func() { b.Close() }); return a }, func(c net.Conn) {
		for s := bufio.NewScanner(c); s.Scan(); {
		}
	})
	time.Sleep(5 * time.Millisecond)
	g.stop()
}

// A copy from a pipe to another one: who closes comes before the second is known.
//
//want:deadlock deadlock
func TestCopies(t *testing.T) {
	var mu sync.Mutex
	var ends []io.Closer
	keep := func(c io.Closer) { mu.Lock(); ends = append(ends, c); mu.Unlock() }
	var wg sync.WaitGroup
	wg.Go(func() {
		r, w := io.Pipe()
		keep(w)
		io.Copy(io.Discard, r)
	})
	time.Sleep(5 * time.Millisecond)
	mu.Lock()
	for _, c := range ends {
		c.Close()
	}
	mu.Unlock()
	wg.Wait()
}

// An HTTP server that is shut down before it serves.
//
//want:deadlock deadlock
func TestHTTP(t *testing.T) {
	var running atomic.Pointer[http.Server]
	ended := make(chan error, 1)
	go func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			ended <- err
			return
		}
		s := &http.Server{}
		running.Store(s)
		ended <- s.Serve(l)
	}()
	time.Sleep(10 * time.Millisecond)
	if s := running.Load(); s != nil {
		s.Shutdown(context.Background())
	}
	<-ended
}

// Right: whoever comes after the end closes at once.
func TestRight(t *testing.T) {
	s := &server{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return
		}
		s.mu.Lock()
		s.ln = ln
		if s.closed {
			ln.Close()
		}
		s.mu.Unlock()
		ln.Accept()
	}()
	time.Sleep(10 * time.Millisecond)
	s.shutdown()
	<-done
}

// Right: the peer ends it.
func TestPeer(t *testing.T) {
	a, b := pair(t)
	done := make(chan struct{})
	go func() { defer close(done); io.Copy(io.Discard, a) }()
	time.Sleep(5 * time.Millisecond)
	b.Close()
	<-done
}
