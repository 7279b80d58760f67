// Package rwupgrade has goroutines that read under a lock twice, while a writer comes between.
package rwupgrade

import (
	"sync"
	"testing"
)

// A writer between the two read locks of one goroutine: RLock, (Lock waits), RLock = deadlock.
type tree struct {
	mu sync.RWMutex
	n  int
}

func (t *tree) size() int { t.mu.RLock(); defer t.mu.RUnlock(); return t.n }
func (t *tree) report() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.size()
}
func (t *tree) grow() { t.mu.Lock(); t.n++; t.mu.Unlock() }

//want:deadlock deadlock
func TestRWR(t *testing.T) {
	x := &tree{}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); x.report() }()
	go func() { defer wg.Done(); x.grow() }()
	wg.Wait()
}
