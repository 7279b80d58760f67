// Package network has goroutines that wait for ends of connections which only the program itself has:
// who closes them comes too early.
package network

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A closers keeps what is to be closed at the end.
type closers struct {
	mu  sync.Mutex
	all []io.Closer
}

func (c *closers) add(x io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, x)
}

// close closes what was added so far: who adds later is not closed by anyone.
func (c *closers) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.all {
		x.Close()
	}
}

//want:deadlock deadlock
func TestUnixAccept(t *testing.T) {
	var c closers
	path := filepath.Join(t.TempDir(), "s")
	done := make(chan error)
	go func() {
		l, err := net.Listen("unix", path)
		if err == nil {
			c.add(l)
			_, err = l.Accept()
		}
		done <- err
	}()
	time.Sleep(10 * time.Millisecond)
	c.close()
	<-done
}

//want:deadlock deadlock
func TestPipeRead(t *testing.T) {
	var c closers
	var wg sync.WaitGroup
	wg.Go(func() {
		a, b := net.Pipe()
		c.add(a)
		io.ReadAll(b)
	})
	time.Sleep(10 * time.Millisecond)
	c.close()
	wg.Wait()
}

//want:deadlock deadlock
func TestOSPipe(t *testing.T) {
	var c closers
	var wg sync.WaitGroup
	wg.Go(func() {
		r, w, err := os.Pipe()
		if err != nil {
			return
		}
		c.add(w)
		bufio.NewScanner(r).Scan()
	})
	time.Sleep(10 * time.Millisecond)
	c.close()
	wg.Wait()
}

func pair(t testing.TB) (a, b net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if b, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if a, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return a, b
}

//want:deadlock deadlock
func TestTCPRead(t *testing.T) {
	var c closers
	a, b := pair(t)
	defer b.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.add(a)
		for s := bufio.NewScanner(a); s.Scan(); {
		}
	}()
	time.Sleep(10 * time.Millisecond)
	c.close()
	<-done
}

//want:deadlock deadlock
func TestProxy(t *testing.T) {
	var c closers
	a, b := pair(t)
	x, y := pair(t)
	defer a.Close()
	defer y.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		c.add(b)
		c.add(x)
		wg.Go(func() { io.Copy(b, x) })
		io.Copy(x, b)
	})
	time.Sleep(10 * time.Millisecond)
	c.close()
	wg.Wait()
}

type server interface {
	Serve(net.Listener) error
	Close() error
}

//want:deadlock deadlock
func TestHTTP(t *testing.T) {
	var mu sync.Mutex
	var s server
	ended := make(chan error, 1)
	go func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			ended <- err
			return
		}
		h := &http.Server{}
		mu.Lock()
		s = h
		mu.Unlock()
		ended <- h.Serve(l)
	}()
	time.Sleep(10 * time.Millisecond)
	mu.Lock()
	if s != nil {
		s.Close()
	}
	mu.Unlock()
	<-ended
}

type pool[T io.Closer] struct {
	mu   sync.Mutex
	open map[string]T
}

func (p *pool[T]) put(name string, x T) { p.mu.Lock(); p.open[name] = x; p.mu.Unlock() }
func (p *pool[T]) drop(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x, ok := p.open[name]; ok {
		x.Close()
	}
}

//want:deadlock deadlock
func TestParallelPools(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pool[net.Listener]{open: map[string]net.Listener{}}
			var wg sync.WaitGroup
			wg.Go(func() {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					return
				}
				p.put(name, l)
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					c.Close()
				}
			})
			time.Sleep(10 * time.Millisecond)
			p.drop(name)
			wg.Wait()
		})
	}
}

//want:deadlock deadlock
func TestAcceptBesideTicker(t *testing.T) {
	var c closers
	go func() {
		for range time.Tick(50 * time.Millisecond) {
		}
	}()
	done := make(chan error)
	go func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			c.add(l)
			_, err = l.Accept()
		}
		done <- err
	}()
	time.Sleep(10 * time.Millisecond)
	c.close()
	<-done
}

//want:deadlock deadlock
func TestSubtests(t *testing.T) {
	var c closers
	t.Run("serve", func(t *testing.T) {
		a, b := pair(t)
		defer b.Close()
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() { c.add(a); io.Copy(io.Discard, a) })
		time.Sleep(10 * time.Millisecond)
		c.close()
	})
}
