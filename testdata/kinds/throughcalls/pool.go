// Package pool tells how busy some workers are.
package pool

import "sync"

// A Pool counts jobs.
type Pool struct {
	mu   sync.Mutex
	done int // guarded by mu
}

func (p *Pool) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// Work does a job.
func (p *Pool) Work() {
	n := p.count() + 1
	p.mu.Lock()
	p.done = n
	p.mu.Unlock()
}

// percent is how much n of four jobs are.
func percent(n int) int { return 25 * n }

// Progress is how much of the work is done, in percent.
func (p *Pool) Progress() int { return percent(p.count()) }
