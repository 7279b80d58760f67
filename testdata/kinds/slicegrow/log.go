// Package slicegrow collects lines from several goroutines in one slice. The
// lock guards their number; the slice was forgotten.
package slicegrow

import "sync"

// A Log collects lines.
type Log struct {
	lines []string

	mu    sync.Mutex
	count int // guarded by mu
}

// Add appends a line.
func (l *Log) Add(line string) {
	l.lines = append(l.lines, line)
	l.grow(1)
}

// AddAll appends all lines.
func (l *Log) AddAll(lines ...string) {
	l.grow(len(lines))
	l.lines = append(l.lines, lines...)
}

func (l *Log) grow(n int) {
	l.mu.Lock()
	l.count += n
	l.mu.Unlock()
}
