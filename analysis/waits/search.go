package waits

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
)

// effort bounds the search for circles: dependencies looked at, and as much again for
// sets of acquires. It is no time, so that equal traces give equal circles.
const effort = 1 << 22

// maxCircles is the number of circles that are looked at any further.
const maxCircles = 512

// search looks for circles, shorter ones first: those of two dependencies, of three,
// and so on. The shortest is what the reader understands best, and longer ones through
// the same dependencies are mostly no bugs of their own.
func (f *finder) search() {
	largest := f.groups()
	for length := 2; length <= largest; length++ {
		f.allow(effort / length)
		for n := range f.deps {
			if f.deps[n].group >= 0 {
				f.extend([]int32{int32(n)}, length)
			}
		}
		f.note()
		if f.found.Cut = f.effort < 0 || len(f.found.Circles) >= maxCircles; f.found.Cut {
			return
		}
	}
}

// allow lets what comes next take so much effort, or what is left of all.
func (f *finder) allow(effort int) {
	f.given = min(effort, f.most)
	f.effort = f.given
}

// note takes what that has taken off what there is for all.
func (f *finder) note() {
	f.most -= f.given - f.effort
	f.found.Spent += f.given - f.effort
}

// groups puts dependencies into groups that can reach each other (Tarjan's strongly
// connected components); those that are on no circle get none, -1. It returns the size of the largest.
func (f *finder) groups() (largest int) {
	seen := make([]bool, len(f.deps))
	var order []int32 // by when all that can be reached has been
	type visit struct {
		n    int32
		next int
	}
	for n := range f.deps {
		for work := []visit{{int32(n), 0}}; len(work) > 0; {
			v := &work[len(work)-1]
			if v.next == 0 && seen[v.n] {
				work = work[:len(work)-1]
				continue
			}
			seen[v.n] = true
			if v.next == len(f.deps[v.n].next) {
				order = append(order, v.n)
				work = work[:len(work)-1]
				continue
			}
			v.next++
			if m := f.deps[v.n].next[v.next-1]; !seen[m] {
				work = append(work, visit{m, 0})
			}
		}
	}
	for n := range f.deps {
		f.deps[n].group = -1
	}
	clear(seen)
	for _, n := range slices.Backward(order) {
		if seen[n] {
			continue
		}
		seen[n] = true
		group := []int32{n}
		for k := 0; k < len(group); k++ {
			for _, m := range f.deps[group[k]].back {
				if !seen[m] {
					seen[m] = true
					group = append(group, m)
				}
			}
		}
		if len(group) > 1 {
			for _, m := range group {
				f.deps[m].group = n
			}
			largest = max(largest, len(group))
		}
	}
	return largest
}

// extend looks for circles of a length that begin with path, whose first dependency
// has the lowest number.
func (f *finder) extend(path []int32, length int) {
	last := &f.deps[path[len(path)-1]]
	for _, n := range last.next {
		if f.effort--; f.effort < 0 || len(f.found.Circles) >= maxCircles {
			return
		}
		d := &f.deps[n]
		if n <= path[0] || d.group != last.group || !f.fits(path, d) {
			continue
		}
		closes := slices.Contains(d.next, path[0])
		switch {
		case closes && len(path)+1 == length:
			f.circle(append(slices.Clip(path), n))
		case !closes && len(path)+1 < length:
			f.extend(append(slices.Clip(path), n), length)
		}
	}
}

// fits reports whether d can be the next of a path: no lock keeps it from standing with
// one of the others, and none of them but the last waits for it, else there is a
// shorter circle.
func (f *finder) fits(path []int32, d *dependency) bool {
	for k, n := range path {
		other := &f.deps[n]
		if other == d || order.Exclude(d.held, other.held) {
			return false
		}
		if k < len(path)-1 && f.blocks(other, d) {
			return false
		}
		if k > 0 && f.blocks(d, other) {
			return false
		}
	}
	return true
}

// blocks reports whether d waits for e.
func (f *finder) blocks(d, e *dependency) bool {
	return f.waits(d, e) || d.want.Shared && !e.want.Shared && d.want.Obj == e.want.Obj
}
