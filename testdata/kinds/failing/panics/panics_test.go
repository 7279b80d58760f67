// Package panics has tests of which each panics, which is the end of all.
package panics

import (
	"sync"
	"testing"
)

type registry struct {
	mu     sync.Mutex
	items  []string
	labels map[string]string
}

func (r *registry) add(item string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items = append(r.items, item)
}

func (r *registry) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.labels = make(map[string]string)
}

func (r *registry) label(item, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.labels[item] = text
}

// both runs two functions beside each other.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g)
	wg.Wait()
}

//want:failure panic
func TestPanic(t *testing.T) {
	r := new(registry)
	both(func() { r.add("a") }, func() { r.add("b") })
	if r.items[0] != "a" {
		panic("not in order: " + r.items[0])
	}
}

func TestAlwaysPanic(t *testing.T) {
	r := new(registry)
	both(func() { r.add("a") }, func() { r.add("b") })
	_ = r.items[2]
}

// The goroutine's job was taken away.
//
//want:failure panic
func TestPanicInGoroutine(t *testing.T) {
	var mu sync.Mutex
	jobs := map[string]*int{"a": new(int)}
	both(func() {
		mu.Lock()
		defer mu.Unlock()
		*jobs["a"]++
	}, func() {
		mu.Lock()
		defer mu.Unlock()
		delete(jobs, "a")
	})
}

func TestAlwaysPanicInGoroutine(t *testing.T) {
	jobs := map[string]*int{}
	both(func() { *jobs["a"]++ }, func() {})
}

//want:failure panic
func TestNilMap(t *testing.T) {
	r := new(registry)
	both(r.open, func() { r.label("a", "b") })
}

func TestAlwaysNilMap(t *testing.T) {
	r := new(registry)
	both(func() { r.add("a") }, func() { r.label("a", "b") })
}
