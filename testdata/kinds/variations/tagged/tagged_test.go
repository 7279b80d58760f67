//go:build go1.21

// Package tagged has loops in a file whose build constraint makes it one of Go
// 1.21, in a module that is newer.
package tagged

import (
	"sync"
	"testing"
)

type host struct {
	addr string
	up   bool
}

// A slice's value.
func TestTaggedValue(t *testing.T) {
	var wg sync.WaitGroup
	for _, h := range []host{{"a", true}, {"b", true}} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if !h.up {
				t.Error(h.addr)
			}
		}()
		_ = h.up
	}
	wg.Wait()
}

// A map's key.
func TestTaggedMapKey(t *testing.T) {
	var wg sync.WaitGroup
	names := make(chan string, 2)
	for name := range map[string]bool{"a": true, "b": true} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			names <- name
		}()
		_ = len(names)
	}
	wg.Wait()
}

// The pointer to the variable is kept and read later.
func TestTaggedKeptPointer(t *testing.T) {
	var current *host
	done := make(chan bool)
	for _, h := range []host{{"a", true}, {"b", false}} {
		if current == nil {
			current = &h
			go func() { done <- current.up }()
		}
	}
	<-done
}
