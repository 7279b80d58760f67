// Package httpserver is a server that lets one client in at a time, with the clients of Figure
// 16: who is not let in joins a queue, and then suspends itself; who is done resumes the first
// of the queue, which has no effect on one that is not suspended yet. It counts its requests.
package httpserver

import (
	"fmt"
	"strings"
	"sync"
)

// A Page is what a client gets.
type Page struct {
	status int
	body   string
}

// A Server has pages.
type Server struct {
	mu   sync.Mutex
	busy bool // guarded by mu

	queue     sync.Mutex
	suspended []*Client // guarded by queue

	pages  map[string]string // written before the first client comes
	served int               // guarded by nothing: one client is in at a time
}

// New returns a server of some pages.
func New(pages ...string) *Server {
	s := &Server{pages: make(map[string]string)}
	for _, p := range pages {
		s.pages["/"+p] = "<h1>" + p + "</h1>"
	}
	return s
}

// enter lets a client in, if no other one is.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy {
		return false
	}
	s.busy = true
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
}

// parse returns the path of a request.
func parse(request string) (path string, err error) {
	method, rest, ok := strings.Cut(request, " ")
	if !ok || method != "GET" {
		return "", fmt.Errorf("expected GET and a path, found %q", request)
	}
	path, _, _ = strings.Cut(rest, " ")
	return path, nil
}

// serve answers a request. One client is in at a time.
func (s *Server) serve(request string) Page {
	s.served++
	path, err := parse(request)
	if err != nil {
		return Page{400, err.Error()}
	}
	body, ok := s.pages[path]
	if !ok {
		return Page{404, "no " + path}
	}
	return Page{200, body}
}

// next resumes the client that waits longest.
func (s *Server) next() {
	s.queue.Lock()
	defer s.queue.Unlock()
	if len(s.suspended) > 0 {
		first := s.suspended[0]
		s.suspended = s.suspended[1:]
		first.resume()
	}
}

// A Client sends requests.
type Client struct {
	asleep bool // guarded by nothing: the bug
	wake   chan bool
}

// NewClient returns a client.
func NewClient() *Client { return &Client{wake: make(chan bool)} }

func (c *Client) suspend() {
	c.asleep = true
	<-c.wake
}

func (c *Client) resume() {
	if c.asleep {
		c.asleep = false
		c.wake <- true
	}
}

// Get asks the server to be let in until it is, gets a page, and resumes another client.
func (c *Client) Get(s *Server, path string, meanwhile func()) Page {
	for !s.enter() {
		s.queue.Lock()
		s.suspended = append(s.suspended, c)
		s.queue.Unlock()
		c.suspend()
	}
	page := s.serve("GET " + path + " HTTP/1.0")
	meanwhile()
	s.leave()
	s.next()
	return page
}
