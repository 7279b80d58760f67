// Package example is the program of Figure 1 of the universal causality graphs: two
// additions have no lock in common, and no wait or fork orders them. In one of two
// variants they race; in the other one, that somebody waits with a lock held says which
// critical section comes first, and that keeps them apart.
package example

import (
	"sync"
	"time"
)

// A Pair is what two goroutines share.
type Pair struct {
	l1, l2, l3 sync.Mutex
	changed    sync.Cond
	sum        int
}

// New returns a pair.
func New() *Pair {
	p := new(Pair)
	p.changed.L = &p.l1
	return p
}

// first starts second, which cannot tell it anything before it waits, and adds 1.
func (p *Pair) first(second func()) {
	p.l3.Lock()
	p.l1.Lock()
	go second()
	p.changed.Wait()
	p.l2.Lock()
	p.l3.Unlock()
	p.l1.Unlock()
	p.sum++
	p.l2.Unlock()
}

// second tells the first, and adds 2; careful, it locks l2 in between.
func (p *Pair) second(careful bool) {
	p.l1.Lock()
	p.changed.Signal()
	p.l1.Unlock()
	time.Sleep(2 * time.Millisecond) // else both may wait for each other
	p.l1.Lock()
	p.l3.Lock()
	p.l1.Unlock()
	if careful {
		p.l2.Lock()
		p.l2.Unlock()
	}
	p.l3.Unlock()
	p.sum += 2
}
