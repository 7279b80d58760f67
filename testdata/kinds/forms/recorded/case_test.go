// Package recorded has tests that hang when they are recorded, for a connection or listener that
// only this process can end.
package recorded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
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

// The shutdown comes first.
//
//want:deadlock deadlock
func TestShutdown(t *testing.T) {
	s := &server{}
	done := make(chan error, 1)
	go func() { done <- s.serve() }()
	s.shutdown()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type metricServer struct {
	addr string
	hits atomic.Int64
	srv  *http.Server
	ln   func(network, addr string) (net.Listener, error)
}

func newMetricServer(addr string) *metricServer {
	return &metricServer{addr: addr, ln: net.Listen}
}

func (m *metricServer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hits_total %d\n", m.hits.Add(1))
	})
	return mux
}

func (m *metricServer) Run() error {
	if m == nil {
		return nil
	}
	l, err := m.ln("tcp", m.addr)
	if err != nil {
		return err
	}
	time.Sleep(100 * time.Millisecond)
	m.srv = &http.Server{Handler: m.handler()}
	if err := m.srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (m *metricServer) Shutdown(ctx context.Context) error {
	if m.srv == nil {
		return nil
	}
	return m.srv.Shutdown(ctx)
}

type App struct{ metrics *metricServer }

func (a *App) Start() <-chan error {
	c := make(chan error, 1)
	go func() { c <- a.metrics.Run() }()
	return c
}

func (a *App) Stop(ctx context.Context) error { return a.metrics.Shutdown(ctx) }

// The server is there after 100 ms, and its shutdown comes after 30.
//
//want:deadlock deadlock, race none
func TestStartStop(t *testing.T) {
	a := &App{newMetricServer("127.0.0.1:0")}
	ran := a.Start()
	time.Sleep(30 * time.Millisecond)
	if err := a.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ran; err != nil {
		t.Error(err)
	}
}
