package symbolic

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// bounds counts switches between goroutines (Wang et al., Symbolic Predictive
// Analysis, FAC 2011, §6). The events of a run fall into stretches without a
// switch: an event is in no earlier stretch than those before it in its
// goroutine, and in a later one than those before it in others, as far as the
// formula compares them. In place of the paper's integers a stretch is a row of
// booleans, for only the first few are of interest.
//
// Most comparisons are never what makes a run too long. They are counted when a
// model has them on the longest way through its run.
type bounds struct {
	crosses [][2]int32 // nodes of different goroutines that the formula compares
	// compared has for each node those that it is compared with, as far as crosses
	// have been looked at.
	compared map[int32][]int32
	looked   int
	counted  map[[2]int32]bool       // crosses, the lower node first, that have their constraints
	late     map[int32][]solver.Bool // by node of such: that it is behind stretch 0, 1, …
	rows     [][]int32               // by column: the nodes in late, ascending
	within   []solver.Bool           // by bound: the assumption that it suffices
}

// SolveBounded is Solve with few switches: it asks for runs of no more switches than
// it takes to keep what must come before what, of one more, and so on up to most, and
// then for any. What is impossible within a bound for reasons that have nothing to do
// with the bound is impossible: the bound is then not in the core of the
// contradiction (§6.3), and asked says after how many questions that was.
func (e *Encoding) SolveBounded(ctx context.Context, t Target, most int, budget *solver.Budget) (a Answer, asked int, err error) {
	q := e.question(ctx, t, budget)
	e.bounds.start(e, most)
	for b := e.fewestSwitches(); b <= most; b++ {
		asked++
		q.bound = b
		if a, err = q.ask(e.bounds.within[b]); err != nil || a.Answer != solver.Unsat || !slices.Contains(q.core, e.bounds.within[b]) {
			return a, asked, err
		}
	}
	q.bound = unbounded
	a, err = q.ask()
	return a, asked + 1, err
}

// unbounded stands for any number of switches.
const unbounded = -1

// fewestSwitches returns how many switches it takes to do all that happens in each
// run to each target, by what must come before what.
func (e *Encoding) fewestSwitches() (most int) {
	stretch := make([]int, len(e.nodes))
	last := make([]int, e.width) // by column
	for n, i := range e.nodes {
		if i >= e.cone.sure[e.m.gid(i)] {
			continue
		}
		c := e.column[e.m.gid(i)]
		stretch[n] = last[c]
		for in := range e.into(i) {
			if from := e.node(in.from); from != none {
				stretch[n] = max(stretch[n], stretch[from]+1)
			}
		}
		last[c] = stretch[n]
		most = max(most, stretch[n])
	}
	return most
}

// stretched puts a model's run in the order of its stretches: what the formula
// does not compare comes as late as what must follow lets it, with the rest of its
// goroutine. If that takes more switches than the bound, what takes them is counted
// from now on; ok then is false.
func (e *Encoding) stretched(run []int32, bound int) (better []int32, ok bool) {
	left := e.stretches(run)
	most := 0
	for _, k := range left {
		most = max(most, k)
	}
	if most > bound && e.countLongest(run, left, most) {
		return nil, false
	}
	run = slices.Clone(run)
	slices.SortStableFunc(run, func(i, j int32) int { return cmp.Compare(left[e.node(j)], left[e.node(i)]) })
	last := trace.GID(0) // whose run it is: it goes on first
	for from := 0; from < len(run); {
		end := from + 1
		for end < len(run) && left[e.node(run[end])] == left[e.node(run[from])] {
			end++
		}
		slices.SortStableFunc(run[from:end], func(i, j int32) int {
			a, b := e.m.gid(i), e.m.gid(j)
			switch {
			case a == b:
				return 0
			case a == last:
				return -1
			case b == last:
				return 1
			}
			return cmp.Compare(a, b)
		})
		last, from = e.m.gid(run[end-1]), end
	}
	return run, true
}

// stretches returns for each node of a run how many stretches come after its own.
func (e *Encoding) stretches(run []int32) (left map[int32]int) {
	b := &e.bounds
	for ; b.looked < len(b.crosses); b.looked++ {
		x, y := b.crosses[b.looked][0], b.crosses[b.looked][1]
		b.compared[x] = append(b.compared[x], y)
		b.compared[y] = append(b.compared[y], x)
	}
	left = make(map[int32]int, len(run))
	next := make([]int, len(e.m.t.Goroutines))
	for _, i := range slices.Backward(run) {
		n, g := e.node(i), e.m.gid(i)
		for _, other := range b.compared[n] {
			if k, later := left[other]; later {
				next[g] = max(next[g], k+1)
			}
		}
		left[n] = next[g]
	}
	return left
}

// countLongest counts the comparisons on all ways through a run that take the most
// switches. It reports whether there are some that were not counted.
func (e *Encoding) countLongest(run []int32, left map[int32]int, most int) (more bool) {
	b := &e.bounds
	longest := make(map[int32]bool)          // nodes on such a way
	at := make([]int, len(e.m.t.Goroutines)) // by goroutine: what is left on such a way
	for g := range at {
		at[g] = none
	}
	for _, i := range run {
		n, g := e.node(i), e.m.gid(i)
		if left[n] == most || at[g] == left[n] {
			longest[n] = true
		}
		if !longest[n] {
			continue
		}
		at[g] = left[n]
		for _, other := range b.compared[n] {
			if k, runs := left[other]; runs && k == left[n]-1 {
				longest[other] = true
				if e.counts(n, other) {
					more = true
				}
			}
		}
	}
	return more
}

// maxBounded and maxSwitches bound the events of which a run with the fewest
// switches is looked for, and these.
const maxBounded, maxSwitches = 1 << 11, 8

// fewest is Solve, and gives for an assertion a run with the fewest switches, if
// that takes not more than half of the budget. To ask with bounds from the start, as
// in §6, takes more: where there is a run, the first model that has nothing to do with
// a bound is found sooner than the bounds below are refuted, and shows the way to the
// shortest; where there is none, the proof needs no bound. The schedules are the same in
// both ways; of testdata/papers/fusion's banking the analysis takes 0.15 s and not 0.08 with
// bounds from the start, of its other programs the same.
func (e *Encoding) fewest(ctx context.Context, t Target, budget *solver.Budget) (Answer, error) {
	a, err := e.Solve(ctx, t, budget)
	if err != nil || a.Answer != solver.Sat || !t.Fails || len(e.nodes) > maxBounded {
		return a, err
	}
	b, _, err := e.SolveBounded(ctx, t, maxSwitches, budget.Share(2))
	if err != nil || b.Answer != solver.Sat {
		return a, err
	}
	return b, nil
}

// start makes the assumptions, for at most so many switches.
func (b *bounds) start(e *Encoding, most int) {
	if len(b.within) > most {
		return
	}
	*b = bounds{
		crosses: b.crosses, compared: make(map[int32][]int32), counted: make(map[[2]int32]bool),
		late: make(map[int32][]solver.Bool), rows: make([][]int32, e.width),
	}
	for k := range most + 1 {
		b.within = append(b.within, e.f.Bool(fmt.Sprintf("at most %d switches", k)))
	}
}

// row returns the row of node n.
func (b *bounds) row(e *Encoding, n int32) []solver.Bool {
	if row, ok := b.late[n]; ok {
		return row
	}
	f, i := e.f, e.nodes[n]
	row := make([]solver.Bool, len(b.within))
	for k := range row {
		row[k] = f.Bool(fmt.Sprintf("late %d %d", i, k))
		if k > 0 {
			e.assert(f.Implies(row[k], row[k-1]))
		}
		e.assert(f.Not(f.And(row[k], e.done(i), b.within[k])))
	}
	b.late[n] = row
	c := e.column[e.m.gid(i)]
	at, _ := slices.BinarySearch(b.rows[c], n)
	for k := range row {
		if at > 0 {
			e.assert(f.Implies(b.late[b.rows[c][at-1]][k], row[k]))
		}
		if at < len(b.rows[c]) {
			e.assert(f.Implies(row[k], b.late[b.rows[c][at]][k]))
		}
	}
	b.rows[c] = slices.Insert(b.rows[c], at, n)
	return row
}

// counts asserts what switches the comparison of two nodes takes. It returns false if
// that is known.
func (e *Encoding) counts(x, y int32) bool {
	b, f := &e.bounds, e.f
	if b.counted[[2]int32{min(x, y), max(x, y)}] {
		return false
	}
	b.counted[[2]int32{min(x, y), max(x, y)}] = true
	for _, p := range [][2]int32{{x, y}, {y, x}} {
		from, to := b.row(e, p[0]), b.row(e, p[1])
		i, j := e.nodes[p[0]], e.nodes[p[1]]
		first := e.truth(e.must(i, j))
		if !e.must(i, j) && !e.must(j, i) {
			first = f.Before(e.event(p[0]), e.event(p[1]))
		}
		before := f.True()
		for k := range to {
			e.assert(f.Implies(f.And(first, before), to[k]))
			before = from[k]
		}
	}
	return true
}
