// Package link sends over a connection that can be closed at any time.
package link

import "sync"

// A conn is an open connection.
type conn struct{ sent int }

// A Link has a connection, until it is closed.
type Link struct {
	mu sync.Mutex
	c  *conn // guarded by mu; nil: closed
}

// Open opens a link.
func Open() *Link { return &Link{c: new(conn)} }

func (l *Link) conn() *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.c
}

// Send sends something, and reports whether the link was open.
func (l *Link) Send() bool {
	if l.conn() == nil {
		return false
	}
	l.conn().sent++
	return true
}

// Close closes the link.
func (l *Link) Close() {
	l.mu.Lock()
	l.c = nil
	l.mu.Unlock()
}
