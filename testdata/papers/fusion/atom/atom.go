// Package atom has two bugs of MySQL that Lu et al. (AVIO, 2006) show, and their
// fixes: atom001 and atom002 in Table 2 of Wang et al.
package atom

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

// Set tells that c does something, or with nil nothing any more.
func (c *Conn) Set(info *string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info = info
}

// Show returns what c does: it looks in one critical section, and again in another.
//
//gopredict:atomic
func (c *Conn) Show() string {
	if c.get() == nil {
		return "idle"
	}
	if info := c.get(); info != nil {
		return *info
	}
	return "gone"
}

// ShowOnce does it in one.
//
//gopredict:atomic
func (c *Conn) ShowOnce() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.info == nil {
		return "idle"
	}
	return *c.info
}

// A Log counts its lines.
type Log struct {
	mu    sync.Mutex
	open  bool // guarded by mu
	lines int  // guarded by mu
}

func (l *Log) setOpen(open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = open
}

// Rotate closes the log in one critical section, and opens another file in the
// next.
//
//gopredict:atomic
func (l *Log) Rotate() {
	l.setOpen(false)
	l.setOpen(true)
}

// RotateOnce does it in one.
//
//gopredict:atomic
func (l *Log) RotateOnce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = false
	l.open = true
}

func (l *Log) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// Write adds a line, if the log is open.
func (l *Log) Write() {
	if l.isOpen() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines++
	}
}
