// Package atom002 keeps a log that is rotated now and then.
package atom002

import "sync"

// A Log counts its lines.
type Log struct {
	mu    sync.Mutex
	open  bool // guarded by mu
	lines int  // guarded by mu
}

// New returns an open log.
func New() *Log { return &Log{open: true} }

func (l *Log) setOpen(open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = open
}

// Rotate goes on in another file.
//
//gopredict:atomic
func (l *Log) Rotate() {
	l.setOpen(false)
	l.setOpen(true)
}

func (l *Log) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// Write adds a line.
func (l *Log) Write() {
	if l.isOpen() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines++
	}
}

// Lines returns how many lines there are.
func (l *Log) Lines() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines
}
