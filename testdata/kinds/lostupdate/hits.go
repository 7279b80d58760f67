// Package hits counts visits of pages, with atomics so that nobody need wait.
package hits

import "sync/atomic"

// A Page knows how often it was visited.
type Page struct {
	visits atomic.Int64
}

// Visit counts one more visit.
func (p *Page) Visit() {
	n := p.visits.Load()
	p.visits.Store(n + 1)
}

// Visits is the number of visits so far.
func (p *Page) Visits() int64 { return p.visits.Load() }
