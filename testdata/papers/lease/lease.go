// Package lease lends one tool to one borrower at a time.
package lease

import (
	"sync"
	"time"
)

// A Tool is lent while it is locked.
type Tool struct{ lent sync.Mutex }

// Lend waits until the tool is there, and gives it away.
func (t *Tool) Lend() { t.lent.Lock() }

// Return puts it back, whoever had it.
func (t *Tool) Return() { t.lent.Unlock() }

// Borrow has one goroutine take the tool and another one bring it back.
func Borrow(t *Tool) {
	var all sync.WaitGroup
	all.Go(t.Lend)
	all.Go(func() {
		time.Sleep(20 * time.Millisecond) // by then it is taken
		t.Return()
	})
	all.Wait()
}
