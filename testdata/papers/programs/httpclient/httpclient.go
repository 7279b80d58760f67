// Package httpclient is the client of Chen and Roşu's Figure 16: who is not let
// in joins a queue, and then suspends itself; who is done resumes the first of
// the queue, which has no effect on one that is not suspended yet.
package httpclient

import "sync"

// A Server lets one client in at a time.
type Server struct {
	mu   sync.Mutex
	busy bool // guarded by mu

	queue     sync.Mutex
	suspended []*Client // guarded by queue
}

func (s *Server) request() bool {
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

// A Client works with a server.
type Client struct {
	asleep bool
	wake   chan bool
}

// NewClient returns a client.
func NewClient() *Client { return &Client{wake: make(chan bool)} }

// Run asks the server to be let in until it is, works, and resumes another
// client.
func (c *Client) Run(s *Server, work func()) {
	for !s.request() {
		s.queue.Lock()
		s.suspended = append(s.suspended, c)
		s.queue.Unlock()
		c.suspend()
	}
	work()
	s.leave()
	s.queue.Lock()
	defer s.queue.Unlock()
	if len(s.suspended) > 0 {
		s.suspended[0].resume()
		s.suspended = s.suspended[1:]
	}
}

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
