// Package namesakes has places that names alone do not tell apart.
package namesakes

import "sync"

// A Page is written by two goroutines.
type Page struct {
	mu sync.Mutex
	n  int
}

// The same statement stands several times in each of these functions. None of the
// tests executes the first.

func (p *Page) Return(big bool) {
	if big {
		p.n = 1
		return
	}
	p.n = 1
}

func (p *Page) Switch(k int) {
	switch k {
	case 0:
		p.n = 1
	case 1:
		p.n = 1
	case 2:
		p.n = 1
	}
}

func (p *Page) Literal(big bool) {
	func() {
		if big {
			p.n = 1
			return
		}
		p.n = 1
	}()
}

func (p *Page) Deferred(big bool) {
	defer func() {
		if big {
			p.n = 1
		}
		p.n = 1
	}()
}

func (p *Page) Select(a, b chan bool) {
	select {
	case <-a:
		p.n = 1
	case <-b:
		p.n = 1
	}
}

func (p *Page) Renamed(q *Page, big bool) {
	if big {
		q.n = 1
		return
	}
	p.n = 1
}

// A Cell is generic.
type Cell[T any] struct{ v T }

func (c *Cell[T]) Set(x T, big bool) {
	if big {
		c.v = x
		return
	}
	c.v = x
}
