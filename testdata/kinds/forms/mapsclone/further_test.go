package mapsclone

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A list that is read outside of the lock, by package slices.
//
//want:race
func TestSlicesClone(t *testing.T) {
	var mu sync.Mutex
	list := []string{"a", "b"}
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		l := list
		mu.Unlock()
		if c := slices.Clone(l); len(c) != 2 {
			t.Error(c)
		}
	})
	wg.Go(func() { mu.Lock(); list[0] = "c"; mu.Unlock() })
	wg.Wait()
}

// Bytes that are compared while they are written.
//
//want:race
func TestCompare(t *testing.T) {
	b := []byte("abc")
	var wg sync.WaitGroup
	wg.Go(func() { bytes.Compare(b, []byte("abd")) })
	wg.Go(func() { b[2] = 'd' })
	wg.Wait()
}

// Right: a copy under the lock.
func TestRight(t *testing.T) {
	var mu sync.Mutex
	list := []string{"a", "b"}
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		l := slices.Clone(list)
		mu.Unlock()
		strings.Join(l, ",")
	})
	wg.Go(func() { mu.Lock(); list[0] = "c"; mu.Unlock() })
	wg.Wait()
}
