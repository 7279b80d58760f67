// Package web has races around HTTP, pipes, sockets and child processes.
package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// get fetches a page; it may be called from any goroutine.
func get(t *testing.T, url string) string {
	resp, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(body)
}

type hitServer struct{ hits int }

func (s *hitServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.hits++
	io.WriteString(w, "ok")
}

// Two clients, and a handler that counts its requests.
func TestHandlerCounts(t *testing.T) {
	ts := httptest.NewServer(new(hitServer))
	defer ts.Close()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { get(t, ts.URL) })
	}
	wg.Wait()
}

// A handler's method value updates a map under no lock.
type visitors struct{ seen map[string]bool }

func (v *visitors) handle(w http.ResponseWriter, r *http.Request) {
	v.seen[r.URL.Path] = true
	fmt.Fprint(w, r.URL.Path)
}

// A handler is a method value on a mux and writes a map.
func TestHandlerMap(t *testing.T) {
	v := &visitors{seen: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/", v.handle)
	ts := httptest.NewServer(mux)
	defer ts.Close()
	var wg sync.WaitGroup
	wg.Go(func() { get(t, ts.URL+"/a") })
	get(t, ts.URL+"/b")
	wg.Wait()
}

// The handler locks, the test reads without while a client is under way.
func TestHandlerLocksTestReads(t *testing.T) {
	var mu sync.Mutex
	served := 0
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		served++
		mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}))
	defer ts.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		get(t, ts.URL)
	}()
	if served > 1 {
		t.Error("served more than was asked for")
	}
	<-done
}

// Middleware counts in a closure.
func TestMiddleware(t *testing.T) {
	inFlight := 0
	limit := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inFlight++
			defer func() { inFlight-- }()
			next.ServeHTTP(w, r)
		})
	}
	h := limit(http.NotFoundHandler())
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		})
	}
	wg.Wait()
}

// A handler keeps a setting that each request may change.
func TestSharedConfig(t *testing.T) {
	var cfg struct{ theme string }
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if theme := r.FormValue("theme"); theme != "" {
			cfg.theme = theme
		}
		io.WriteString(w, cfg.theme)
	}))
	defer ts.Close()
	var wg sync.WaitGroup
	for _, theme := range []string{"dark", "light"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			get(t, ts.URL+"?theme="+theme)
		}()
	}
	wg.Wait()
}

type countingTransport struct {
	next  http.RoundTripper
	calls int
}

func (c *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.calls++
	return c.next.RoundTrip(r)
}

// A client's transport counts the calls of two goroutines.
func TestTransportCounts(t *testing.T) {
	ts := httptest.NewServer(http.NotFoundHandler())
	defer ts.Close()
	client := &http.Client{Transport: &countingTransport{next: http.DefaultTransport}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			resp, err := client.Get(ts.URL)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		}()
	}
	wg.Wait()
}

// A transport without a network, whose answer is shared.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A fake transport keeps the last request.
func TestFakeTransport(t *testing.T) {
	var last *http.Request
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		last = r
		return &http.Response{StatusCode: 204, Body: http.NoBody, Request: r}, nil
	})}
	done := make(chan error)
	go func() {
		_, err := client.Get("http://a.test/")
		done <- err
	}()
	if _, err := client.Get("http://b.test/"); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if last == nil {
		t.Error("no request")
	}
}

// A handler starts an audit that is under way when the answer is there.
func TestBackgroundAudit(t *testing.T) {
	var audit []string
	var pending sync.WaitGroup
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pending.Add(1)
		go func() {
			defer pending.Done()
			audit = append(audit, r.Method)
		}()
		io.WriteString(w, "ok")
	}))
	defer ts.Close()
	get(t, ts.URL)
	if len(audit) > 1 {
		t.Error("too many")
	}
	pending.Wait()
}

// A reverse proxy's director counts.
func TestReverseProxy(t *testing.T) {
	backend := httptest.NewServer(http.NotFoundHandler())
	defer backend.Close()
	target, err := url.Parse(backend.URL)
	if err != nil {
		t.Fatal(err)
	}
	rewrites := 0
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		rewrites++
		r.SetURL(target)
	}})
	defer proxy.Close()
	var wg sync.WaitGroup
	wg.Go(func() { get(t, proxy.URL) })
	wg.Go(func() { get(t, proxy.URL) })
	wg.Wait()
}

type cachingHandler struct {
	mu    sync.Mutex
	pages map[string]string
	loads int
}

func (h *cachingHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	page, ok := h.pages[r.URL.Path]
	h.mu.Unlock()
	if !ok {
		page = strings.ToUpper(r.URL.Path)
		h.loads++
		h.mu.Lock()
		h.pages[r.URL.Path] = page
		h.mu.Unlock()
	}
	io.WriteString(w, page)
}

// A handler with a cache counts outside of its lock.
func TestCachingHandler(t *testing.T) {
	ts := httptest.NewServer(&cachingHandler{pages: map[string]string{}})
	defer ts.Close()
	done := make(chan string)
	go func() { done <- get(t, ts.URL+"/x") }()
	if got := get(t, ts.URL+"/y"); got != "/Y" {
		t.Error(got)
	}
	<-done
}

type userKey struct{}

// A request's context carries a pointer to what handlers share.
func TestContextValue(t *testing.T) {
	type user struct{ requests int }
	u := new(user)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Context().Value(userKey{}).(*user).requests++
	})
	ctx := context.WithValue(t.Context(), userKey{}, u)
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		go func() {
			defer wg.Done()
			h(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
		}()
	}
	wg.Wait()
}

// Subtests ask a server in parallel, and its handler keeps the last query.
func TestServerInSubtests(t *testing.T) {
	var lastQuery string
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lastQuery = r.URL.RawQuery
	}))
	t.Cleanup(ts.Close)
	for _, q := range []string{"a=1", "b=2"} {
		t.Run(q, func(t *testing.T) {
			t.Parallel()
			get(t, ts.URL+"?"+q)
		})
	}
	_ = lastQuery
}
