// Package openjms is the race of OpenJMS in Figure 6 of the PECAN paper: a
// connection reads its multiplexer under a lock, and gets it without.
package openjms

import (
	"errors"
	"sync"
)

// A Multiplexer sends requests over one connection.
type Multiplexer struct{}

func (*Multiplexer) send() error { return nil }

// A Connection has a multiplexer once it has a handler.
type Connection struct {
	mu          sync.Mutex
	multiplexer *Multiplexer // nil before there is a handler
}

// Invoke sends a request.
func (c *Connection) Invoke() error {
	c.mu.Lock()
	m := c.multiplexer
	c.mu.Unlock()
	if m == nil {
		return errors.New("openjms: there is no connection")
	}
	return m.send()
}

// SetInvocationHandler makes the connection ready.
func (c *Connection) SetInvocationHandler() {
	c.multiplexer = new(Multiplexer)
}
