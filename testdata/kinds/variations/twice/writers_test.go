// Package twice has functions with the same statement on several ways, of which
// the race's is not the first in the text.
package twice

import (
	"errors"
	"sync"
	"testing"
)

type flushWriter struct {
	limit, n int
	out      []byte
}

func (w *flushWriter) Write(p []byte) (int, error) {
	if len(p) > w.limit {
		w.n += len(p)
		w.out = nil
		return len(p), nil
	}
	w.n += len(p)
	return len(p), nil
}

// The first of two equal statements is followed by an early return.
func TestEarlyReturn(t *testing.T) {
	w := &flushWriter{limit: 8}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w.Write([]byte("hi"))
		}()
	}
	wg.Wait()
}

type cacheStats struct{ lookups, hits int }

func (s *cacheStats) count(hit bool) {
	if hit {
		s.hits++
		s.lookups++
	} else {
		s.lookups++
	}
}

// Both arms of an if end in the same statement; only else runs.
func TestElse(t *testing.T) {
	s := new(cacheStats)
	done := make(chan bool)
	go func() {
		s.count(false)
		done <- true
	}()
	s.count(false)
	<-done
	if s.hits > 0 {
		t.Error("nothing was in the cache")
	}
}

type meter struct{ total int }

func (m *meter) record(kind string, n int) {
	switch kind {
	case "read":
		m.total += n
	case "write":
		m.total += n
	default:
		m.total += n
	}
}

// A switch does the same in each arm; the last one runs.
func TestSwitchDefault(t *testing.T) {
	var m meter
	var wg sync.WaitGroup
	wg.Go(func() { m.record("sync", 1) })
	wg.Go(func() { m.record("sync", 2) })
	wg.Wait()
}

// As TestSwitchDefault, with the arm in the middle.
func TestSwitchMiddle(t *testing.T) {
	var m meter
	var wg sync.WaitGroup
	wg.Go(func() { m.record("write", 1) })
	m.record("write", 2)
	wg.Wait()
}

type journal struct{ last any }

func (j *journal) note(v any) {
	switch v := v.(type) {
	case error:
		j.last = v
	case string:
		j.last = v
	case int:
		j.last = v
	}
}

// A type switch stores in each arm.
func TestTypeSwitch(t *testing.T) {
	var j journal
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer wg.Done(); j.note(3) }()
	j.note(4)
	wg.Wait()
	if _, ok := j.last.(int); !ok {
		t.Errorf("last is %v", j.last)
	}
}

// A select has the same statement in two arms.
func TestSelectArms(t *testing.T) {
	urgent, normal := make(chan int), make(chan int, 2)
	served := 0
	serve := func() {
		select {
		case <-urgent:
			served++
		case <-normal:
			served++
		}
	}
	normal <- 1
	normal <- 2
	var wg sync.WaitGroup
	wg.Go(serve)
	wg.Go(serve)
	wg.Wait()
}

// A buffered writer as bufio has it: the buffer's length grows in a loop for
// what is too long, and once more behind it.
type buffered struct {
	buf [16]byte
	n   int
	out []byte
}

func (b *buffered) flush() {
	b.out = append(b.out, b.buf[:b.n]...)
	b.n = 0
}

func (b *buffered) Write(p []byte) (int, error) {
	total := len(p)
	for len(p) > len(b.buf)-b.n {
		n := copy(b.buf[b.n:], p)
		b.n += n
		p = p[n:]
		b.flush()
	}
	n := copy(b.buf[b.n:], p)
	b.n += n
	return total, nil
}

// What a loop does for long input is done once more behind it.
func TestOwnBufio(t *testing.T) {
	b := new(buffered)
	var wg sync.WaitGroup
	for _, line := range []string{"ab", "cd"} {
		wg.Go(func() { b.Write([]byte(line)) })
	}
	wg.Wait()
	b.flush()
}

type lru[K comparable, V any] struct {
	m    map[K]V
	size int
}

func (c *lru[K, V]) put(k K, v V) {
	if c.m == nil {
		c.m = map[K]V{k: v}
		c.size++
		return
	}
	c.size++
}

// A generic method, the first put comes before the goroutines.
func TestGenericMethod(t *testing.T) {
	var c lru[string, int]
	c.put("a", 1)
	var wg sync.WaitGroup
	wg.Go(func() { c.put("b", 2) })
	wg.Go(func() { c.put("c", 3) })
	wg.Wait()
}

// The two statements are in a closure that is called by two goroutines.
func TestClosure(t *testing.T) {
	var retries int
	try := func(err error) error {
		if err != nil {
			retries++
			return err
		}
		retries++
		return nil
	}
	done := make(chan error, 2)
	go func() { done <- try(nil) }()
	go func() { done <- try(nil) }()
	if err := errors.Join(<-done, <-done); err != nil {
		t.Error(err)
	}
}

type poller struct {
	sync.Mutex
	seen int
}

func (p *poller) tick(locked bool) {
	if locked {
		p.Lock()
		p.seen++
		p.Unlock()
		return
	}
	p.seen++
}

// An embedded mutex guards the first statement only.
func TestEmbeddedMutex(t *testing.T) {
	p := new(poller)
	done := make(chan struct{})
	go func() {
		p.tick(true)
		close(done)
	}()
	p.tick(false)
	<-done
}

type conn struct {
	closed bool
	err    error
}

func (c *conn) fail(err error) error {
	if err == nil {
		if c.closed {
			c.err = err
			return nil
		}
		c.err = err
		return nil
	}
	c.err = err
	return err
}

// Three equal statements at three depths, and the last of them runs.
func TestErrorPath(t *testing.T) {
	c := new(conn)
	var wg sync.WaitGroup
	wg.Go(func() { _ = c.fail(errors.New("reset")) })
	wg.Go(func() { _ = c.fail(errors.New("timeout")) })
	wg.Wait()
	if c.err == nil {
		t.Error("no error")
	}
}

// A loop skips with continue, and does the same at its end.
func TestContinue(t *testing.T) {
	sum := 0
	add := func(values []int) {
		for _, v := range values {
			if v < 0 {
				sum += v
				continue
			}
			sum += v
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { add([]int{1, 2}) })
	wg.Go(func() { add([]int{3}) })
	wg.Wait()
}

type registry struct{ byName map[string]int }

func (r *registry) set(name string, v int) {
	if len(name) == 0 {
		r.byName[name] = -1
		return
	}
	if v > 10 {
		r.byName[name] = v
		return
	}
	r.byName[name] = v
}

// Map elements are set on several ways.
func TestMapSet(t *testing.T) {
	r := &registry{byName: map[string]int{}}
	var wg sync.WaitGroup
	wg.Go(func() { r.set("a", 1) })
	wg.Go(func() { r.set("b", 2) })
	wg.Wait()
}

type eventLog struct{ lines []string }

func (l *eventLog) add(s string) {
	if len(l.lines) > 3 {
		l.lines = l.lines[1:]
		l.lines = append(l.lines, s)
		return
	}
	l.lines = append(l.lines, s)
}

// A slice is appended to on two ways, in subtests that run in parallel.
func TestAppendInSubtests(t *testing.T) {
	var l eventLog
	for _, name := range []string{"x", "y"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l.add(name)
		})
	}
}
