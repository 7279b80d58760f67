// Package montecarlo is the pricing of stock by simulation of the Java Grande Forum:
// goroutines take every so-many-th of the tasks, simulate a path for each, and put
// what comes of it into one list, under its lock. As there, each simulation sets a
// switch of the whole program.
package montecarlo

import (
	"math"
	"math/rand/v2"
	"sync"
)

// Debug would let simulations print.
var Debug bool

// A Task is one simulation.
type Task struct {
	seed          uint64
	steps         int
	start         float64
	drift, spread float64
}

// A Path is how a price goes.
type Path struct {
	prices []float64
}

func simulate(t *Task) *Path {
	Debug = false
	random := rand.New(rand.NewPCG(t.seed, 0))
	p := &Path{prices: make([]float64, t.steps+1)}
	p.prices[0] = t.start
	for k := range t.steps {
		p.prices[k+1] = p.prices[k] * math.Exp(t.drift+t.spread*random.NormFloat64())
	}
	return p
}

// A Result is what comes of a task.
type Result struct {
	Return float64
	Path   *Path
}

// An Application has tasks, and their results.
type Application struct {
	tasks []*Task

	mu      sync.Mutex
	results []Result // guarded by mu
}

// New returns an application of n tasks.
func New(n, steps int) *Application {
	a := new(Application)
	for k := range n {
		a.tasks = append(a.tasks, &Task{seed: uint64(k), steps: steps, start: 100, drift: 0.001, spread: 0.02})
	}
	return a
}

// Run does all tasks; the caller is the first of the goroutines.
func (a *Application) Run(goroutines int) {
	var others sync.WaitGroup
	for id := 1; id < goroutines; id++ {
		others.Go(func() { a.work(id, goroutines) })
	}
	a.work(0, goroutines)
	others.Wait()
}

func (a *Application) work(id, of int) {
	for k := id; k < len(a.tasks); k += of {
		t := a.tasks[k]
		p := simulate(t)
		a.add(Result{math.Log(p.prices[t.steps] / p.prices[0]), p})
	}
}

func (a *Application) add(r Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.results = append(a.results, r)
}

// Mean returns the mean of the returns, and how far the last prices are from the
// first ones.
func (a *Application) Mean() (mean, moved float64) {
	for _, r := range a.results {
		mean += r.Return / float64(len(a.results))
		moved += math.Abs(r.Path.prices[len(r.Path.prices)-1] - r.Path.prices[0])
	}
	return mean, moved
}
