// Package leftbehind starts goroutines, and not all of them end.
package leftbehind

import (
	"errors"
	"sync"
)

var errEmpty = errors.New("nothing to do")

// First returns the result of the first of the functions.
func First(fs []func() int) (int, error) {
	results := make(chan int)
	for _, f := range fs {
		go func() { results <- f() }()
	}
	if len(fs) == 0 {
		return 0, errEmpty
	}
	return <-results, nil
}

// Sum adds the numbers up in a goroutine of its own, which tells the sum.
func Sum(numbers []int, told func(int)) {
	work := make(chan int)
	go func() {
		sum := 0
		for n := range work {
			sum += n
		}
		told(sum)
	}()
	for _, n := range numbers {
		work <- n
	}
}

// A Feed hands values on.
type Feed struct{ values chan string }

// Start begins to listen.
func (f *Feed) Start() {
	go func() { <-f.values }()
}

// A Counter counts.
type Counter struct {
	mu sync.Mutex
	n  int
}

// Add adds one, and again if twice is set.
func (c *Counter) Add(twice bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if twice {
		c.Add(false)
	}
}

var jobs = make(chan func())

// Serve starts a worker, who waits for jobs for good.
func Serve() {
	go func() {
		for job := range jobs {
			job()
		}
	}()
}

// Do has a worker do the job.
func Do(job func()) { jobs <- job }

// A Log is written by many and kept by one.
type Log struct {
	lines chan string
	mu    sync.Mutex
	kept  int
}

// Open makes the log ready.
func (l *Log) Open() {
	l.lines = make(chan string)
	go l.keep()
}

func (l *Log) keep() {
	for range l.lines {
		l.mu.Lock()
		l.kept++
		l.mu.Unlock()
	}
}

// Write adds a line.
func (l *Log) Write(line string) { l.lines <- line }

// Close says that no lines will come any more.
func (l *Log) Close() {}
