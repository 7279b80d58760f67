package waits

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
)

// This file searches the graph of dependencies for cycles. Only dependencies that can reach each
// other, the strongly connected components of the graph, can be on a cycle. In most programs
// locks are ordered, and there are no such components at all.

// searchDependencies looks for cycles of dependencies, shorter ones first: those of two, of
// three, and so on. The shortest is what the reader understands best, and longer ones through
// the same dependencies are mostly no bugs of their own.
func (f *finder) searchDependencies() {
	largest := f.findComponents()
	for length := 2; length <= largest; length++ {
		// The number of paths grows with their length. Longer cycles are rarely bugs of their
		// own, so they get less effort.
		f.grantEffort(searchEffort / length)
		for n := range f.dependencies {
			if f.dependencies[n].component >= 0 {
				f.extendCycle([]int32{int32(n)}, length)
			}
		}
		f.chargeEffort()
		if f.found.Incomplete = f.effort < 0 || len(f.found.Cycles) >= maxCycles; f.found.Incomplete {
			return
		}
	}
}

// findComponents finds the strongly connected components of the dependencies (Kosaraju's
// algorithm), and returns the size of the largest. Dependencies on no cycle get -1.
func (f *finder) findComponents() (largest int) {
	seen := make([]bool, len(f.dependencies))
	finished := f.finishOrder()
	for n := range f.dependencies {
		f.dependencies[n].component = -1
	}
	for _, n := range slices.Backward(finished) {
		if seen[n] {
			continue
		}
		seen[n] = true
		component := []int32{n}
		for k := 0; k < len(component); k++ {
			for _, m := range f.dependencies[component[k]].waitedBy {
				if !seen[m] {
					seen[m] = true
					component = append(component, m)
				}
			}
		}
		if len(component) > 1 {
			for _, m := range component {
				f.dependencies[m].component = n
			}
			largest = max(largest, len(component))
		}
	}
	return largest
}

// finishOrder returns the dependencies in the order in which a depth-first search leaves them.
// The search has its own stack, as a path may have very many dependencies.
func (f *finder) finishOrder() (finished []int32) {
	seen := make([]bool, len(f.dependencies))
	type visit struct {
		n    int32
		next int // index in waitsFor
	}
	for n := range f.dependencies {
		for stack := []visit{{int32(n), 0}}; len(stack) > 0; {
			v := &stack[len(stack)-1]
			if v.next == 0 && seen[v.n] {
				stack = stack[:len(stack)-1]
				continue
			}
			seen[v.n] = true
			if v.next == len(f.dependencies[v.n].waitsFor) {
				finished = append(finished, v.n)
				stack = stack[:len(stack)-1]
				continue
			}
			v.next++
			if m := f.dependencies[v.n].waitsFor[v.next-1]; !seen[m] {
				stack = append(stack, visit{m, 0})
			}
		}
	}
	return finished
}

// extendCycle looks for cycles of a length that begin with path, whose first dependency has the
// lowest number.
func (f *finder) extendCycle(path []int32, length int) {
	last := &f.dependencies[path[len(path)-1]]
	for _, n := range last.waitsFor {
		if f.effort--; f.effort < 0 || len(f.found.Cycles) >= maxCycles {
			return
		}
		d := &f.dependencies[n]
		if n <= path[0] || d.component != last.component || !f.canExtend(path, d) {
			continue
		}
		// A path that closes early is a shorter cycle, which was found before.
		closes := slices.Contains(d.waitsFor, path[0])
		switch {
		case closes && len(path)+1 == length:
			f.addCycle(append(slices.Clip(path), n))
		case !closes && len(path)+1 < length:
			f.extendCycle(append(slices.Clip(path), n), length)
		}
	}
}

// canExtend reports whether d can be the next of a path: it has no gate lock with another
// dependency, and only the last one waits for it. Otherwise there is a shorter cycle.
func (f *finder) canExtend(path []int32, d *dependency) bool {
	for k, n := range path {
		other := &f.dependencies[n]
		if other == d || order.Exclude(d.held, other.held) {
			return false
		}
		if k < len(path)-1 && other.mustWait(d) || k > 0 && d.mustWait(other) {
			return false
		}
	}
	return true
}
