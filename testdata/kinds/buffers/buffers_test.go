package buffers

import (
	"sync"
	"testing"
	"time"
)

// soon runs the functions in goroutines of their own, one soon after the other.
func soon(fs ...func()) {
	var wg sync.WaitGroup
	for i, f := range fs {
		wg.Go(func() {
			time.Sleep(time.Duration(i+1) * time.Millisecond)
			f()
		})
	}
	wg.Wait()
}

// The third one finds the pool empty, as the second one has what the first one has left.
// Where the second one is late it must find nothing all the same.
func TestEmpty(t *testing.T) {
	p := NewPool()
	soon(
		func() { p.Put(p.Get()); p.Made() },
		func() { b := p.Get(); time.Sleep(9 * time.Millisecond); p.Put(b) },
		func() {
			if b := p.Get(); b.fresh {
				p.Made()
			}
		},
	)
}

var kept = NewPool()

func TestLeaves(t *testing.T) { kept.Put(kept.Get()) }

// What another test has left in a pool is not there for one that runs alone.
func TestFinds(t *testing.T) {
	use := func() {
		b := kept.Get()
		if b.fresh {
			kept.Made()
		}
		time.Sleep(9 * time.Millisecond)
		kept.Put(b)
	}
	soon(use, use)
}

// The standard library's pools are as warm as who was there before has left them.
func TestPrints(t *testing.T) {
	var l Log
	soon(func() { l.Print("first") }, func() { l.Print("second"); l.Print("third") })
}
