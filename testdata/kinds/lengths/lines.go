// Package lines keeps lines.
package lines

import "sync"

// Lines are some lines.
type Lines struct {
	mu    sync.Mutex
	lines []string // guarded by mu
}

// All returns the lines.
func (l *Lines) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines
}

// Add adds a line.
func (l *Lines) Add(line string) {
	lines := append(l.All(), line)
	l.mu.Lock()
	l.lines = lines
	l.mu.Unlock()
}
