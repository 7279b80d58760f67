// Package closed has tests of which one goroutine closes, sets or ends in the standard library what
// another one uses: what that call returns depends on their order, which a sleep keeps as they are
// recorded.
package closed

import (
	"bufio"
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"
)

func open(t *testing.T) *os.File {
	f, err := os.Open("closed_test.go")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

//want:failure test-failure
func TestBugStat(t *testing.T) {
	f := open(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := f.Stat(); err != nil {
			t.Error(err)
		}
	}()
	time.Sleep(time.Millisecond)
	f.Close()
	<-done
}

//want:failure test-failure
func TestBugSeek(t *testing.T) {
	f := open(t)
	done := make(chan error)
	go func() {
		_, err := f.Seek(0, 1)
		done <- err
	}()
	time.Sleep(time.Millisecond)
	f.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

//want:assertion test-failure
func TestBugCloseTwice(t *testing.T) {
	f := open(t)
	done := make(chan error)
	go func() { done <- f.Close() }()
	time.Sleep(time.Millisecond)
	f.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

//want:property test-failure
func TestBugPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan error)
	go func() {
		_, err := w.WriteString("x")
		done <- err
	}()
	time.Sleep(time.Millisecond)
	w.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

//want:failure test-failure
func TestBugListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Second)) }()
	time.Sleep(time.Millisecond)
	l.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

//want:assertion test-failure
func TestBugConn(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.(*net.TCPConn).SetNoDelay(true); errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	wg.Go(func() {
		time.Sleep(time.Millisecond)
		c.Close()
	})
	wg.Wait()
}

//want:failure test-failure
func TestBugDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		c.Close()
	})
	time.Sleep(time.Millisecond)
	l.Close()
	wg.Wait()
}

//want:failure test-failure
func TestBugContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- ctx.Err() }()
	time.Sleep(time.Millisecond)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

//want:failure test-failure
func TestBugCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error)
	go func() { done <- context.Cause(ctx) }()
	time.Sleep(time.Millisecond)
	cancel(errors.New("stop"))
	if err := <-done; err != nil {
		t.Error(err)
	}
}

//want:failure test-failure
func TestBugBufio(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	w.WriteString("x")
	done := make(chan error)
	go func() { done <- w.Flush() }()
	time.Sleep(time.Millisecond)
	f.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type store struct {
	f *os.File
}

var errStore = errors.New("store is closed")

func (s *store) size() (int64, error) {
	fi, err := s.f.Stat()
	if err != nil {
		return 0, errStore
	}
	return fi.Size(), nil
}

type sizer interface{ size() (int64, error) }

//want:failure test-failure
func TestBugOwnType(t *testing.T) {
	s := &store{open(t)}
	var z sizer = s
	done := make(chan error)
	go func() {
		_, err := z.size()
		done <- err
	}()
	time.Sleep(time.Millisecond)
	s.f.Close()
	if err := <-done; err == errStore {
		t.Fatal(err)
	}
}

// Each call is ordered.
func TestRightInOrder(t *testing.T) {
	f := open(t)
	done := make(chan error)
	go func() {
		_, err := f.Stat()
		done <- err
	}()
	err := <-done
	f.Close()
	if err != nil {
		t.Error(err)
	}
}

//want:failure test-failure
func TestBugMux(t *testing.T) {
	mux := http.NewServeMux()
	done := make(chan int)
	go func() {
		rec := httptest.NewRecorder()
		mux.ServeHTTP(rec, httptest.NewRequest("GET", "/x", nil))
		done <- rec.Code
	}()
	time.Sleep(time.Millisecond)
	mux.HandleFunc("/x", func(http.ResponseWriter, *http.Request) {})
	if c := <-done; c == 200 {
		t.Error(c)
	}
}

//want:failure test-failure
func TestBugTemplate(t *testing.T) {
	tm := template.Must(template.New("a").Parse("x"))
	done := make(chan bool)
	go func() { done <- tm.Lookup("b") == nil }()
	time.Sleep(time.Millisecond)
	template.Must(tm.New("b").Parse("y"))
	if ok := <-done; !ok {
		t.Error("b is there")
	}
}

//want:assertion test-failure
func TestBugLog(t *testing.T) {
	var b strings.Builder
	l := log.New(&b, "a", 0)
	done := make(chan string)
	go func() { done <- l.Prefix() }()
	time.Sleep(time.Millisecond)
	l.SetPrefix("b")
	if p := <-done; p != "a" {
		t.Error(p)
	}
}

//want:failure test-failure
func TestBugServerClosed(t *testing.T) {
	s := &http.Server{Addr: "bad address:x"}
	done := make(chan error)
	go func() { done <- s.ListenAndServe() }()
	time.Sleep(time.Millisecond)
	s.Close()
	if err := <-done; errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}
