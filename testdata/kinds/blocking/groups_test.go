package blocking

import (
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

// One returns without telling that it is done.
//
//want:leak leak
func TestBugNotDone(t *testing.T) {
	go work(func(wg *sync.WaitGroup, n int) {
		if n > 0 {
			wg.Done()
		}
	})
}

func TestFixedNotDone(t *testing.T) {
	go work(func(wg *sync.WaitGroup, n int) { wg.Done() })
}

func work(f func(wg *sync.WaitGroup, n int)) {
	var wg sync.WaitGroup
	wg.Add(2)
	for n := range 2 {
		go f(&wg, n)
	}
	wg.Wait()
}

// Who waits for the others has what one of them needs to come to its end.
//
//want:deadlock deadlock
func TestBugWaitsUnderLock(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(under(&n, &mu))
	rest()
	mu.Lock()
	wg.Wait()
	mu.Unlock()
}

func TestFixedWaitsUnderLock(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(under(&n, &mu))
	rest()
	wg.Wait()
	under(&n, &mu)()
}

// A group of one at a time whose member starts another one.
//
//want:leak leak
func TestBugLimited(t *testing.T) { go limited(1) }

func TestFixedLimited(t *testing.T) { limited(2) }

func limited(n int) {
	var g errgroup.Group
	g.SetLimit(n)
	g.Go(func() error {
		g.Go(func() error { return nil })
		return nil
	})
	g.Wait()
}

// The group's last slot is taken by who waits for a lock, which the one has who wants the
// slot.
//
//want:deadlock deadlock
func TestBugLimitedUnderLock(t *testing.T) {
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(1)
	n := 0
	g.Go(func() error {
		under(&n, &mu)()
		return nil
	})
	rest()
	mu.Lock()
	g.Go(func() error { return nil })
	mu.Unlock()
	g.Wait()
}

func TestFixedLimitedUnderLock(t *testing.T) {
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(1)
	n := 0
	g.Go(func() error {
		under(&n, &mu)()
		return nil
	})
	rest()
	mu.Lock()
	n++
	mu.Unlock()
	g.Go(func() error { return nil })
	g.Wait()
}

// Nobody waits for a function that the group starts when it has been waited for.
//
//want:waitgroup none
func TestBugGoAfterWait(t *testing.T) {
	var g errgroup.Group
	both(func() { g.Go(func() error { return nil }) }, func() { g.Wait() })
}

func TestFixedGoAfterWait(t *testing.T) {
	var g errgroup.Group
	both(func() { g.Go(func() error { return nil }) }, func() {})
	g.Wait()
}
