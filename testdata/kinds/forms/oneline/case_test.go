// Package oneline has locks that are taken in opposite orders, each pair on one line.
package oneline

import (
	"sync"
	"testing"
)

type acct struct {
	mu sync.Mutex
	n  int
}

//want:deadlock deadlock of 0.1 0.2
func TestMultiLine(t *testing.T) {
	a, b := &acct{}, &acct{}
	var wg sync.WaitGroup
	wg.Go(func() {
		a.mu.Lock()
		b.mu.Lock()
		b.mu.Unlock()
		a.mu.Unlock()
	})
	wg.Go(func() {
		b.mu.Lock()
		a.mu.Lock()
		a.mu.Unlock()
		b.mu.Unlock()
	})
	wg.Wait()
}

//want:deadlock deadlock of 0.1 0.2
func TestOneLine(t *testing.T) {
	a, b := &acct{}, &acct{}
	var wg sync.WaitGroup
	wg.Go(func() { a.mu.Lock(); b.mu.Lock(); b.mu.Unlock(); a.mu.Unlock() })
	wg.Go(func() { b.mu.Lock(); a.mu.Lock(); a.mu.Unlock(); b.mu.Unlock() })
	wg.Wait()
}

func transfer(from, to *acct) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.n--
	to.n++
}

//want:deadlock deadlock of 0.1 0.2
func TestTransfer(t *testing.T) {
	a, b := &acct{}, &acct{}
	var wg sync.WaitGroup
	wg.Go(func() { transfer(a, b) })
	wg.Go(func() { transfer(b, a) })
	wg.Wait()
}
