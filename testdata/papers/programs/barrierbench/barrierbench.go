// Package barrierbench is the barrier benchmark of the Java Grande Forum: a
// barrier of a counter and a condition, and one of a tournament, whose
// goroutines wait for each other's flags. It has no bug.
package barrierbench

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Barrier lets goroutines on when all of them have come.
type Barrier interface {
	Await(id int) // id counts from 0
}

// Simple counts who has come.
type Simple struct {
	mu    sync.Mutex
	all   sync.Cond
	n     int
	come  int // guarded by mu
	round int // guarded by mu
}

// NewSimple returns a barrier for n goroutines.
func NewSimple(n int) *Simple {
	b := &Simple{n: n}
	b.all.L = &b.mu
	return b
}

// Await waits for the others.
func (b *Simple) Await(int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	b.come++
	if b.come == b.n {
		b.come, b.round = 0, b.round+1
		b.all.Broadcast()
	}
	for b.round == round {
		b.all.Wait()
	}
}

// Tournament is a tree in which each goroutine waits for its two children,
// tells its parent, and waits until the root lets all go on.
type Tournament struct {
	come  []atomic.Int32 // by goroutine: how often it has come
	round atomic.Int32
}

// NewTournament returns a barrier for n goroutines.
func NewTournament(n int) *Tournament {
	return &Tournament{come: make([]atomic.Int32, n)}
}

// Await waits for the others.
func (b *Tournament) Await(id int) {
	round := b.round.Load()
	for _, kid := range []int{2*id + 1, 2*id + 2} {
		for kid < len(b.come) && b.come[kid].Load() <= round {
			runtime.Gosched()
		}
	}
	if b.come[id].Add(1); id == 0 {
		b.round.Add(1)
		return
	}
	for b.round.Load() == round {
		runtime.Gosched()
	}
}
