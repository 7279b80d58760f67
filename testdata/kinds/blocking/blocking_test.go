// Package blocking has what blocks goroutines for ever, and what misuses that which is
// there to block them, by what blocks: each bug in a test, with a twin that is right.
// What a test shows is in its //want: kind and effect. Where nothing is to be seen unless
// goroutines come in another order, a sleep keeps them in this one.
package blocking

import (
	"sync"
	"time"
)

// rest lets other goroutines go on without ordering anything.
func rest() { time.Sleep(2 * time.Millisecond) }

// both runs the first function in a goroutine of its own, and when that is mostly done
// the second one.
func both(first, second func()) { all(first, second) }

// all runs each function in a goroutine of its own, when the ones before are mostly
// done.
func all(fs ...func()) {
	done := make(chan bool, len(fs))
	for k, f := range fs {
		if k > 0 {
			rest()
		}
		go func() {
			f()
			done <- true
		}()
	}
	for range fs {
		<-done
	}
}

// under returns a function that counts under locks.
func under(n *int, locks ...sync.Locker) func() {
	return func() {
		for _, mu := range locks {
			mu.Lock()
			defer mu.Unlock()
		}
		*n++
	}
}
