// Package atom001 tells what connections do.
package atom001

import "sync"

// A Conn is a connection, whose thread tells others what it does.
type Conn struct {
	mu   sync.Mutex
	info *string // guarded by mu; nil: nothing
}

func (c *Conn) get() *string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.info
}

func (c *Conn) set(info *string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info = info
}

// Begin tells that c does something.
func (c *Conn) Begin(what string) { c.set(&what) }

// End tells that c does nothing any more.
func (c *Conn) End() { c.set(nil) }

// Show returns what c does.
//
//gopredict:atomic
func (c *Conn) Show() string {
	if c.get() == nil {
		return "idle"
	}
	return *c.get()
}
