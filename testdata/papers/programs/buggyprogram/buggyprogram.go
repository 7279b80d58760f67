// Package buggyprogram is the program of that name of the ConTest suite: users
// draw numbers, present them and record them, and one may present what another
// one has drawn.
package buggyprogram

import "sync"

// A Program is what its users share.
type Program struct {
	seed   uint32
	number uint32 // drawn last
	turns  int    // how many numbers were presented

	mu      sync.Mutex
	history []uint32 // guarded by mu
}

// Use draws a number, presents it by show, and records it, some times.
func (p *Program) Use(times int, show func(drawn, presented uint32)) {
	for range times {
		drawn := p.draw()
		show(drawn, p.present())
		p.record(drawn)
	}
}

func (p *Program) draw() uint32 {
	p.seed = p.seed*1664525 + 1013904223
	p.number = p.seed >> 16
	return p.number
}

func (p *Program) present() uint32 {
	p.turns++
	return p.number
}

func (p *Program) record(n uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.history = append(p.history, n)
}
