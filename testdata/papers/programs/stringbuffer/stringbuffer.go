// Package stringbuffer is the StringBuffer of Java's library: appending one
// buffer to another asks for its length, and then for that many of its bytes.
package stringbuffer

import "sync"

// A Buffer is text that many may use at once.
type Buffer struct {
	mu   sync.Mutex
	text string // guarded by mu
}

// New returns a buffer with the text s.
func New(s string) *Buffer { return &Buffer{text: s} }

// Len returns how many bytes there are.
func (b *Buffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.text)
}

// Head returns the first n bytes.
func (b *Buffer) Head(n int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text[:n]
}

// Truncate drops all but the first n bytes.
func (b *Buffer) Truncate(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = b.text[:n]
}

// Append adds what is in o.
func (b *Buffer) Append(o *Buffer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := o.Len()
	b.text += o.Head(n)
}
