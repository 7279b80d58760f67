package services

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/rpc"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

type api struct {
	mu   sync.Mutex
	hits map[string]int
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.hits[r.URL.Path]++
	n := a.hits[r.URL.Path]
	a.mu.Unlock()
	json.NewEncoder(w).Encode(map[string]int{"n": n})
}

func TestServerCounts(t *testing.T) {
	a := &api{hits: map[string]int{}}
	s := httptest.NewServer(a)
	defer s.Close()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			resp, err := s.Client().Get(s.URL + "/x")
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			var m map[string]int
			if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || m["n"] < 1 || m["n"] > 3 {
				t.Error(m, err)
			}
		})
	}
	wg.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hits["/x"] != 3 {
		t.Fatal(a.hits)
	}
}

func TestHandlerByRecorder(t *testing.T) {
	a := &api{hits: map[string]int{}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			w := httptest.NewRecorder()
			a.ServeHTTP(w, httptest.NewRequest("GET", "/y", nil))
			if w.Code != 200 {
				t.Error(w.Code)
			}
		})
	}
	wg.Wait()
}

func TestMiddleware(t *testing.T) {
	var inFlight atomic.Int32
	h := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inFlight.Add(1)
			defer inFlight.Add(-1)
			next.ServeHTTP(w, r)
		})
	}(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	s := httptest.NewServer(h)
	defer s.Close()
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			body := fmt.Sprint("body ", i)
			resp, err := http.Post(s.URL, "text/plain", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if b, _ := io.ReadAll(resp.Body); string(b) != body {
				t.Error(string(b))
			}
		})
	}
	wg.Wait()
}

func TestRequestContext(t *testing.T) {
	gone := make(chan struct{})
	entered := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
		close(gone)
	}))
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-entered; cancel() }()
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL, nil)
	if _, err := http.DefaultClient.Do(req); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	<-gone
}

func TestStreaming(t *testing.T) {
	next := make(chan string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for m := range next {
			fmt.Fprintln(w, m)
			w.(http.Flusher).Flush()
		}
	}))
	defer s.Close()
	go func() { next <- "a" }() // the header comes with the first line
	resp, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := make(chan string)
	go func() {
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			lines <- sc.Text()
		}
		close(lines)
	}()
	if got := <-lines; got != "a" {
		t.Fatal(got)
	}
	next <- "b"
	if got := <-lines; got != "b" {
		t.Fatal(got)
	}
	close(next)
	if _, ok := <-lines; ok {
		t.Fatal("more")
	}
}

func TestServerShutdown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })}
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != http.ErrServerClosed {
		t.Fatal(err)
	}
}

func TestNetPipe(t *testing.T) {
	a, b := net.Pipe()
	go func() {
		defer b.Close()
		buf := make([]byte, 5)
		if _, err := io.ReadFull(b, buf); err != nil {
			t.Error(err)
			return
		}
		b.Write(bytes.ToUpper(buf))
	}()
	if _, err := a.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(a)
	if err != nil || string(got) != "HELLO" {
		t.Fatal(string(got), err)
	}
	a.Close()
}

func TestIOPipe(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		_, err := fmt.Fprint(w, "one two three")
		w.CloseWithError(err)
	}()
	b, err := io.ReadAll(r)
	if err != nil || len(strings.Fields(string(b))) != 3 {
		t.Fatal(string(b), err)
	}
}

func TestPipeGivesUp(t *testing.T) {
	r, w := io.Pipe()
	errc := make(chan error)
	go func() { _, err := w.Write([]byte("x")); errc <- err }()
	r.CloseWithError(errors.New("enough"))
	if err := <-errc; err == nil || err.Error() != "enough" {
		t.Fatal(err)
	}
}

func TestOSPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() { defer w.Close(); w.WriteString("line 1\nline 2\n") }()
	n := 0
	for sc := bufio.NewScanner(r); sc.Scan(); {
		n++
	}
	if n != 2 {
		t.Fatal(n)
	}
}

func TestEchoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { defer c.Close(); io.Copy(c, c) })
		}
	}()
	var clients sync.WaitGroup
	for i := range 2 {
		clients.Go(func() {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			fmt.Fprintf(c, "hi %d\n", i)
			line, err := bufio.NewReader(c).ReadString('\n')
			if err != nil || line != fmt.Sprintf("hi %d\n", i) {
				t.Error(line, err)
			}
		})
	}
	clients.Wait()
	l.Close()
	<-accepting
	conns.Wait()
}

func TestReadDeadline(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	a.SetReadDeadline(time.Now().Add(time.Millisecond))
	if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestCloseWakesReader(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err == nil {
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Fatal(err)
	}
}

func TestExecOutput(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			out, err := exec.Command("echo", fmt.Sprint(i)).Output()
			if err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(i) {
				t.Error(string(out), err)
			}
		})
	}
	wg.Wait()
}

func TestExecBuffers(t *testing.T) {
	var out, errs bytes.Buffer
	cmd := exec.Command("sh", "-c", "cat; echo oops >&2")
	cmd.Stdin = strings.NewReader("in")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if out.String() != "in" || errs.String() != "oops\n" {
		t.Fatal(out.String(), errs.String())
	}
}

func TestExecPipe(t *testing.T) {
	cmd := exec.Command("cat")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { io.WriteString(in, "through"); in.Close() }()
	b, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil || string(b) != "through" {
		t.Fatal(string(b), err)
	}
}

func TestExecKilled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Fatal("not killed")
	}
}

func TestSignal(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	defer signal.Stop(c)
	syscall.Kill(syscall.Getpid(), syscall.SIGUSR1)
	if s := <-c; s != syscall.SIGUSR1 {
		t.Fatal(s)
	}
}

func TestSignalContext(t *testing.T) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGUSR2)
	defer stop()
	done := make(chan struct{})
	go func() { <-ctx.Done(); close(done) }()
	syscall.Kill(syscall.Getpid(), syscall.SIGUSR2)
	<-done
}

type Arith struct{ n atomic.Int32 }

func (a *Arith) Add(args [2]int, sum *int) error { a.n.Add(1); *sum = args[0] + args[1]; return nil }

func TestRPC(t *testing.T) {
	s := rpc.NewServer()
	a := &Arith{}
	s.Register(a)
	cc, sc := net.Pipe()
	go s.ServeConn(sc)
	c := rpc.NewClient(cc)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			var sum int
			if err := c.Call("Arith.Add", [2]int{i, 1}, &sum); err != nil || sum != i+1 {
				t.Error(sum, err)
			}
		})
	}
	wg.Wait()
	c.Close()
	if a.n.Load() != 3 {
		t.Fatal(a.n.Load())
	}
}

func TestRoundTripper(t *testing.T) {
	var n atomic.Int32
	c := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		n.Add(1)
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("ok")), Request: r}, nil
	})}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			resp, err := c.Get("http://example.com/")
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
	if n.Load() != 3 {
		t.Fatal(n.Load())
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWebhookArrives(t *testing.T) {
	got := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- string(b)
	}))
	defer s.Close()
	go func() {
		resp, err := http.Post(s.URL, "text/plain", strings.NewReader("event"))
		if err == nil {
			resp.Body.Close()
		}
	}()
	select {
	case m := <-got:
		if m != "event" {
			t.Fatal(m)
		}
	case <-time.After(time.Minute):
		t.Fatal("timeout")
	}
}

func TestUnixSocket(t *testing.T) {
	path := t.TempDir() + "/s"
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	go func() {
		c, err := l.Accept()
		if err != nil {
			done <- err.Error()
			return
		}
		b, _ := io.ReadAll(c)
		c.Close()
		done <- string(b)
	}()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "msg")
	c.Close()
	if s := <-done; s != "msg" {
		t.Fatal(s)
	}
	l.Close()
}

func TestUDP(t *testing.T) {
	s, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	go func() {
		buf := make([]byte, 16)
		n, from, err := s.ReadFrom(buf)
		if err == nil {
			s.WriteTo(buf[:n], from)
		}
	}()
	c, err := net.Dial("udp", s.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write([]byte("ping"))
	buf := make([]byte, 16)
	n, err := c.Read(buf)
	if err != nil || string(buf[:n]) != "ping" {
		t.Fatal(string(buf[:n]), err)
	}
}

func TestTempFiles(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			name := fmt.Sprintf("%s/%d", dir, i)
			if err := os.WriteFile(name, []byte{byte(i)}, 0o600); err != nil {
				t.Error(err)
			}
			if b, err := os.ReadFile(name); err != nil || b[0] != byte(i) {
				t.Error(b, err)
			}
		})
	}
	wg.Wait()
}

func TestAppendLog(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var mu sync.Mutex
	w := bufio.NewWriter(f)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { mu.Lock(); fmt.Fprintln(w, i); mu.Unlock() })
	}
	wg.Wait()
	w.Flush()
	b, _ := os.ReadFile(f.Name())
	if bytes.Count(b, []byte("\n")) != 3 {
		t.Fatal(string(b))
	}
}
