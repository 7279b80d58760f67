// Package moldyn is the molecular dynamics of the Java Grande Forum: goroutines
// share the particles of a box, each adds up forces of its own, and barriers part the
// phases of a step. As there, the barrier is one of flags, and what all goroutines
// count is counted by each of them without a lock.
package moldyn

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// A Barrier lets goroutines on when all of them have come.
type Barrier struct {
	rounds []atomic.Int32 // by goroutine: how often it has come
}

// Await waits for the others.
func (b *Barrier) Await(id int) {
	round := b.rounds[id].Add(1)
	for k := range b.rounds {
		for b.rounds[k].Load() < round {
			runtime.Gosched()
		}
	}
}

// A vector has a direction in space.
type vector [3]float64

// A Box has particles that draw each other.
type Box struct {
	side     float64
	at, v, f []vector   // by particle: place, speed, force
	own      [][]vector // by goroutine and particle: its part of the force
	energy   []float64  // by goroutine: of what it has moved
	barrier  Barrier

	Interactions int // pairs of particles that were near to each other
	Energy       float64
}

// New returns a box with n*n*n particles, for some goroutines.
func New(n, goroutines int) *Box {
	b := &Box{side: float64(n), energy: make([]float64, goroutines), barrier: Barrier{make([]atomic.Int32, goroutines)}}
	for k := range n * n * n {
		b.at = append(b.at, vector{float64(k % n), float64(k / n % n), float64(k / n / n)})
		b.v = append(b.v, vector{float64(k%3) - 1, float64(k%5) - 2, float64(k%7) - 3})
	}
	b.f = make([]vector, len(b.at))
	for range goroutines {
		b.own = append(b.own, make([]vector, len(b.at)))
	}
	return b
}

// Run makes some steps; the caller is the first of the goroutines.
func (b *Box) Run(steps int) {
	var others sync.WaitGroup
	for id := 1; id < len(b.own); id++ {
		others.Go(func() { b.work(id, steps) })
	}
	b.work(0, steps)
	others.Wait()
}

func (b *Box) work(id, steps int) {
	for range steps {
		near := b.forces(id)
		b.barrier.Await(id)
		b.Interactions += near
		if id == 0 {
			b.reduce()
		}
		b.barrier.Await(id)
		b.energy[id] = b.move(id)
		b.barrier.Await(id)
		if id == 0 {
			b.sum()
		}
	}
}

// forces adds up what every so-many-th particle does to those after it.
func (b *Box) forces(id int) (near int) {
	own := b.own[id]
	for i := id; i < len(b.at); i += len(b.own) {
		for j := i + 1; j < len(b.at); j++ {
			d, r2 := b.at[j].minus(b.at[i])
			if r2 > b.side*b.side/4 {
				continue
			}
			near++
			for k := range d {
				own[i][k] += d[k] / (r2 + 1)
				own[j][k] -= d[k] / (r2 + 1)
			}
		}
	}
	return near
}

func (a vector) minus(c vector) (d vector, r2 float64) {
	for k := range a {
		d[k] = a[k] - c[k]
		r2 += d[k] * d[k]
	}
	return d, r2
}

// reduce adds up the forces of all goroutines.
func (b *Box) reduce() {
	for i := range b.f {
		b.f[i] = vector{}
		for _, own := range b.own {
			for k := range own[i] {
				b.f[i][k] += own[i][k]
			}
			own[i] = vector{}
		}
	}
}

// move moves a goroutine's part of the particles, and returns their energy.
func (b *Box) move(id int) (energy float64) {
	for i := id; i < len(b.at); i += len(b.own) {
		for k := range b.at[i] {
			b.v[i][k] += b.f[i][k] / 100
			b.at[i][k] = math.Mod(b.at[i][k]+b.v[i][k]/100+b.side, b.side)
			energy += b.v[i][k] * b.v[i][k] / 2
		}
	}
	return energy
}

// sum adds up the energies of all goroutines.
func (b *Box) sum() {
	b.Energy = 0
	for _, e := range b.energy {
		b.Energy += e
	}
}
