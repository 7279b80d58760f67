package selftest

import (
	"sync"
	"testing"
)

var boxes = sync.Pool{New: func() any { return &box{s: "new"} }}

func TestPoolLeaves(t *testing.T) { boxes.Put(&box{s: "left"}) }

// TestPoolItems puts two items into a pool, and prints the three that it gets.
func TestPoolItems(t *testing.T) {
	println("got " + boxes.Get().(*box).s)
	boxes.Put(&box{s: "first"})
	boxes.Put(&box{s: "second"})
	for range 3 {
		println("got " + boxes.Get().(*box).s)
	}
}
