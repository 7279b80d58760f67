package afterfunc

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	soon = 20 * time.Millisecond
	half = 10 * time.Millisecond
)

// A debouncer calls once for what comes in a row, it hopes.
type debouncer struct {
	timer *time.Timer
	calls atomic.Int32
}

func (d *debouncer) poke() {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.timer = time.AfterFunc(soon, func() { d.calls.Add(1) })
}

//want:failure test-failure
func TestDebounce(t *testing.T) {
	var d debouncer
	d.poke()
	time.Sleep(half)
	d.poke()
	time.Sleep(2 * soon)
	if n := d.calls.Load(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

// A cache whose entries end; a new entry of the same key is ended by the timer of the old one.
type cache[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]V
	end map[K]*time.Timer
}

func (c *cache[K, V]) set(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.end[k]; ok {
		old.Stop()
	}
	c.all[k] = v
	c.end[k] = time.AfterFunc(soon, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.all, k)
	})
}

func (c *cache[K, V]) get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.all[k]
	return v, ok
}

//want:failure test-failure
func TestCache(t *testing.T) {
	c := &cache[string, int]{all: make(map[string]int), end: make(map[string]*time.Timer)}
	c.set("a", 1)
	time.Sleep(half)
	c.set("a", 2)
	if v, ok := c.get("a"); !ok || v != 2 {
		t.Error("the new entry has gone")
	}
	c.end["a"].Stop()
}

// A connection that is idle is closed; who takes it from the pool stops the timer.
type conn interface{ close() }

type fake struct{ closed atomic.Bool }

func (f *fake) close() { f.closed.Store(true) }

type pool struct {
	mu   sync.Mutex
	idle map[conn]*time.Timer
}

func (p *pool) put(c conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle[c] = time.AfterFunc(soon, c.close)
}

func (p *pool) take() conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, timer := range p.idle {
		timer.Stop()
		delete(p.idle, c)
		return c
	}
	return nil
}

//want:failure test-failure
func TestPool(t *testing.T) {
	p := &pool{idle: make(map[conn]*time.Timer)}
	p.put(&fake{})
	time.Sleep(half)
	c := p.take().(*fake)
	if c.closed.Load() {
		t.Error("closed, but taken")
	}
}

// A retry is cancelled when an answer is there.
//
//want:assertion test-failure
func TestRetry(t *testing.T) {
	var mu sync.Mutex
	var sent []string
	send := func(s string) { mu.Lock(); sent = append(sent, s); mu.Unlock() }
	send("first")
	again := time.AfterFunc(soon, func() { send("again") })
	answer := make(chan bool)
	go func() { time.Sleep(half); answer <- true }()
	<-answer
	again.Stop()
	mu.Lock()
	defer mu.Unlock()
	if len(sent) != 1 {
		t.Error(sent)
	}
}

// A subtest's timer, stopped by a cleanup.
//
//want:assertion test-failure
func TestSubtest(t *testing.T) {
	var fired atomic.Bool
	t.Run("short", func(t *testing.T) {
		timer := time.AfterFunc(soon, func() { fired.Store(true) })
		t.Cleanup(func() { timer.Stop() })
		time.Sleep(half)
	})
	if fired.Load() {
		t.Error("fired after the subtest")
	}
}

// A gauge that the timer's function sets without a lock.
//
//want:race test-failure
func TestRace(t *testing.T) {
	state := "open"
	timer := time.AfterFunc(soon, func() { state = "closed" })
	time.Sleep(half)
	timer.Stop()
	if state != "open" {
		t.Error(state)
	}
}

// Right: what Stop says is heeded.
func TestHeeds(t *testing.T) {
	var called atomic.Bool
	ended := make(chan bool)
	timer := time.AfterFunc(soon, func() { called.Store(true); close(ended) })
	time.Sleep(half)
	if timer.Stop() {
		if called.Load() {
			t.Error("called, and stopped")
		}
		return
	}
	<-ended
}
