// Package connectionpool is a pool of connections: who has taken one uses it
// without a lock, and hands it back under the pool's. It has no bug; to see
// that takes the values that a goroutine finds in the pool.
package connectionpool

import "sync"

// A Connection is used by one goroutine at a time.
type Connection struct {
	queries int
}

// Query sends a query.
func (c *Connection) Query() {
	c.queries++
}

// A Pool lends connections.
type Pool struct {
	mu       sync.Mutex
	returned sync.Cond
	free     []*Connection // guarded by mu
}

// New returns a pool of n connections.
func New(n int) *Pool {
	p := &Pool{free: make([]*Connection, n)}
	p.returned.L = &p.mu
	for k := range p.free {
		p.free[k] = new(Connection)
	}
	return p
}

// Get takes a connection; it waits for one.
func (p *Pool) Get() *Connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.free) == 0 {
		p.returned.Wait()
	}
	c := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return c
}

// Put gives a connection back.
func (p *Pool) Put(c *Connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, c)
	p.returned.Signal()
}
