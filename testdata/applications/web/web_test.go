// Package web has HTTP handlers that forget to lock.
package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// get reads the whole of a page.
func get(t *testing.T, c *http.Client, url string) {
	resp, err := c.Get(url)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
}

// twice calls do in two goroutines and waits for them.
func twice(do func()) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(do)
	}
	wg.Wait()
}

// counter is a handler with a method and state of its own.
type counter struct {
	mu   sync.Mutex
	hits int
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.hits++
	fmt.Fprintln(w, "hello")
}

func TestHandler(t *testing.T) {
	ts := httptest.NewServer(new(counter))
	defer ts.Close()
	twice(func() { get(t, http.DefaultClient, ts.URL) })
}

func TestClosure(t *testing.T) {
	hits := 0
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
	}))
	defer ts.Close()
	twice(func() { get(t, ts.Client(), ts.URL) })
}

// Two handlers share a map.
func TestMux(t *testing.T) {
	seen := map[string]int{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /a", func(w http.ResponseWriter, r *http.Request) { seen["a"]++ })
	mux.HandleFunc("GET /b", func(w http.ResponseWriter, r *http.Request) { seen["b"]++ })
	ts := httptest.NewServer(mux)
	defer ts.Close()
	var wg sync.WaitGroup
	for _, path := range []string{"/a", "/b"} {
		wg.Go(func() { get(t, ts.Client(), ts.URL+path) })
	}
	wg.Wait()
}

// counted counts before the handler behind it locks.
func counted(n *int, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*n++
		next(w, r)
	})
}

func (c *counter) locked(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hits++
	fmt.Fprintln(w, c.hits)
}

func TestMiddleware(t *testing.T) {
	c, n := new(counter), 0
	ts := httptest.NewServer(counted(&n, c.locked))
	defer ts.Close()
	twice(func() { get(t, ts.Client(), ts.URL) })
}

// Connections are used again.
func TestKeepAlive(t *testing.T) {
	var last struct{ path string }
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last.path = r.URL.Path
	}))
	defer ts.Close()
	twice(func() {
		get(t, ts.Client(), ts.URL+"/first")
		get(t, ts.Client(), ts.URL+"/second")
	})
}

func TestClose(t *testing.T) {
	var paths []string
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
	}))
	defer ts.Close()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	twice(func() { get(t, c, ts.URL) })
}

// A body is decoded.
func TestPost(t *testing.T) {
	var last struct{ Name string }
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := last
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		last = in
		w.WriteHeader(http.StatusCreated)
	}))
	defer ts.Close()
	twice(func() {
		resp, err := http.Post(ts.URL, "application/json", strings.NewReader(`{"name":"x"}`))
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	})
}

// Without a network.
func TestRecorder(t *testing.T) {
	hits := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hits++ })
	twice(func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)) })
}

func TestTimeout(t *testing.T) {
	hits := 0
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
	}))
	defer ts.Close()
	c := &http.Client{Timeout: 5 * time.Second}
	twice(func() { get(t, c, ts.URL) })
}

func TestContext(t *testing.T) {
	hits := 0
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
	}))
	defer ts.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	twice(func() {
		req, err := http.NewRequestWithContext(ctx, "GET", ts.URL, nil)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := ts.Client().Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	})
}

func TestTLS(t *testing.T) {
	hits := 0
	ts := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
	}))
	defer ts.Close()
	twice(func() { get(t, ts.Client(), ts.URL) })
}

func TestReverseProxy(t *testing.T) {
	hits := 0
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
	}))
	defer back.Close()
	u, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(httputil.NewSingleHostReverseProxy(u))
	defer front.Close()
	twice(func() { get(t, front.Client(), front.URL) })
}

// The test looks at what the handler counts while a client is at it.
func TestLook(t *testing.T) {
	hits := 0
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
	}))
	defer ts.Close()
	done := make(chan bool)
	go func() {
		get(t, ts.Client(), ts.URL)
		close(done)
	}()
	if hits > 1 {
		t.Error("too many")
	}
	<-done
}

// The handlers come one after the other, and what they have started does not.
func TestBackground(t *testing.T) {
	var wg sync.WaitGroup
	jobs := 0
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wg.Go(func() { jobs++ })
		w.WriteHeader(http.StatusAccepted)
	}))
	defer ts.Close()
	get(t, ts.Client(), ts.URL)
	get(t, ts.Client(), ts.URL)
	wg.Wait()
}

// The page comes after the handler has done all: nothing to find.
func TestAfter(t *testing.T) {
	hits := 0
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
	}))
	defer ts.Close()
	get(t, ts.Client(), ts.URL)
	if hits != 1 {
		t.Errorf("%d hits, want 1", hits)
	}
}

// So it is here, where both clients are served at once.
func TestLocked(t *testing.T) {
	c := new(counter)
	ts := httptest.NewServer(http.HandlerFunc(c.locked))
	defer ts.Close()
	twice(func() { get(t, ts.Client(), ts.URL) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hits != 2 {
		t.Errorf("%d hits, want 2", c.hits)
	}
}
