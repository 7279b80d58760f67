// Package tiny has mutexes that share their memory: eight bytes without pointers, which the
// allocator puts beside others into one block.
package tiny

import (
	"strconv"
	"sync"
	"testing"
)

type counter struct{ mu sync.Mutex }

var kept []any // what shares the blocks lives on

func neighbours() {
	kept = append(kept, new(int64), strconv.Itoa(123456), new(int64))
}

//want:leak leak
func TestStruct(t *testing.T) {
	neighbours()
	c := &counter{}
	neighbours()
	go func() { c.mu.Lock(); c.mu.Lock() }()
}

//want:leak leak
func TestPointer(t *testing.T) {
	kept = append(kept, new(int64))
	m := new(sync.Mutex)
	kept = append(kept, new(int64))
	go func() { m.Lock(); m.Lock() }()
}

//want:leak leak
func TestEmbedded(t *testing.T) {
	c := &struct{ sync.Mutex }{}
	kept = append(kept, new(int64))
	c.Lock()
	go c.Lock()
}

//want:leak leak
func TestInterface(t *testing.T) {
	kept = append(kept, new(float64))
	var l sync.Locker = &sync.Mutex{}
	kept = append(kept, new(float64))
	go func() { l.Lock(); defer l.Unlock(); l.Lock() }()
}

type guarded[T any] struct {
	mu sync.Mutex
	v  T
}

func (g *guarded[T]) with(f func()) { g.mu.Lock(); defer g.mu.Unlock(); f() }

//want:leak leak
func TestGeneric(t *testing.T) {
	g := &guarded[struct{}]{}
	neighbours()
	go g.with(func() { g.with(func() {}) })
}

//want:leak leak
func TestTwelveBytes(t *testing.T) {
	g := &guarded[int32]{}
	neighbours()
	go func() { g.mu.Lock(); g.mu.Lock() }()
}

//want:leak leak
func TestTwoLocks(t *testing.T) {
	a, b := new(sync.Mutex), new(sync.Mutex)
	neighbours()
	ab := make(chan bool)
	go func() { a.Lock(); ab <- true; b.Lock() }()
	go func() { b.Lock(); <-ab; a.Lock() }()
}

//want:leak leak
func TestLoop(t *testing.T) {
	for range 3 {
		c := &counter{}
		neighbours()
		go func() { c.mu.Lock(); c.mu.Lock() }()
	}
}

//want:leak leak
func TestOnce(t *testing.T) {
	o := new(sync.Once)
	neighbours()
	go o.Do(func() { o.Do(func() {}) })
}

//want:leak leak
func TestSlice(t *testing.T) {
	ms := make([]sync.Mutex, 1)
	neighbours()
	go func() { ms[0].Lock(); ms[0].Lock() }()
}

// What is kept may be unlocked yet.
func TestKept(t *testing.T) {
	c := &counter{}
	kept = append(kept, c)
	go func() { c.mu.Lock(); c.mu.Lock() }()
}

var global counter

func TestGlobal(t *testing.T) {
	go func() { global.mu.Lock(); global.mu.Lock() }()
}

// Sixteen bytes are one object, of which the number is kept.
func TestSixteenBytes(t *testing.T) {
	g := &struct {
		n  int64
		mu sync.Mutex
	}{}
	kept = append(kept, &g.n)
	go func() { g.mu.Lock(); g.mu.Lock() }()
}
