// Package other stands for another module: containers and connections of which some lock and some
// leave that to their users. Its module is in a language without generics, but for generic.go.
package other

import (
	"io"
	"sync"
	"sync/atomic"
)

// A Counter is not safe for concurrent use. Its methods are inlined.
type Counter struct{ n int }

func (c *Counter) Inc()       { c.n++ }
func (c *Counter) Value() int { return c.n }

// A Set is not safe for concurrent use.
type Set map[string]bool

func (s Set) Add(name string)      { s[name] = true }
func (s Set) Has(name string) bool { return s[name] }
func (s Set) Len() int             { return len(s) }

// A Conn supports one writer, as the connections of some libraries do.
type Conn struct {
	w         io.Writer
	buf       []byte
	isWriting bool
	mu        sync.Mutex
	err       error
}

func NewConn(w io.Writer) *Conn { return &Conn{w: w} }

// Write writes a message.
func (c *Conn) Write(text []byte) error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return err
	}
	c.buf = append(c.buf[:0], byte(len(text)))
	c.buf = append(c.buf, text...)
	_, err = c.w.Write(c.buf)
	return err
}

// Err is safe for concurrent use.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Fail is safe for concurrent use.
func (c *Conn) Fail(err error) {
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
}

// Checksum reads text, and Fill writes it.
func Checksum(text []byte) (sum byte) {
	for _, c := range text {
		sum += c
	}
	return sum
}

func Fill(text []byte, with byte) {
	for i := range text {
		text[i] = with
	}
}

// Sum reads what p points to by way of a function of its caller.
func Sum(n int, at func(int) *int) (sum int) {
	for i := 0; i < n; i++ {
		sum += *at(i)
	}
	return sum
}

// CopyTo copies in a goroutine of its own, and Wait waits for that.
type Copier struct{ done chan struct{} }

func CopyTo(w io.Writer, text string) *Copier {
	c := &Copier{make(chan struct{})}
	go func() {
		io.WriteString(w, text)
		close(c.done)
	}()
	return c
}

func (c *Copier) Wait() { <-c.done }

// A Register is safe for concurrent use.
type Register struct {
	mu    sync.RWMutex
	names map[string]int
	total int64
}

func (r *Register) Add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names == nil {
		r.names = make(map[string]int)
	}
	r.names[name]++
	atomic.AddInt64(&r.total, 1)
}

func (r *Register) Count(name string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.names[name]
}

func (r *Register) Total() int64 { return atomic.LoadInt64(&r.total) }

// A Lazy is filled once, by whoever is the first.
type Lazy struct {
	once  sync.Once
	value []string
}

func (l *Lazy) Value() []string {
	l.once.Do(func() { l.value = append(l.value, "a") })
	return l.value
}

// A Flagged is published by functions of sync/atomic.
type Flagged struct {
	lock, ready int32
	value       int
}

func (f *Flagged) Set(v int) {
	for !atomic.CompareAndSwapInt32(&f.lock, 0, 1) {
	}
	f.value = v
	atomic.StoreInt32(&f.ready, 1)
	atomic.StoreInt32(&f.lock, 0)
}

func (f *Flagged) Get() int {
	if atomic.LoadInt32(&f.ready) == 0 {
		return 0
	}
	for !atomic.CompareAndSwapInt32(&f.lock, 0, 1) {
	}
	defer atomic.StoreInt32(&f.lock, 0)
	return f.value
}

// A Queue hands over by a channel.
type Queue struct{ c chan *Counter }

func NewQueue() *Queue          { return &Queue{make(chan *Counter, 1)} }
func (q *Queue) Put(c *Counter) { c.Inc(); q.c <- c }
func (q *Queue) Get() *Counter  { c := <-q.c; c.Inc(); return c }

var buffers = sync.Pool{New: func() interface{} { return new([]byte) }}

// Quote is safe for concurrent use: each call has a buffer of its own.
func Quote(text string) string {
	b := buffers.Get().(*[]byte)
	*b = append(append(append((*b)[:0], '"'), text...), '"')
	s := string(*b)
	buffers.Put(b)
	return s
}
