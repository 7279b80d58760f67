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
type bounds struct {
	crosses [][2]int32 // nodes of different goroutines that the formula compares
	counted int        // how many of them have their constraints
	most    int
	late    [][]solver.Bool // by node: that it is behind stretch 0, 1, …
	within  []solver.Bool   // by bound: the assumption that it suffices
}

// SolveBounded is Solve with few switches: it asks for runs of no switch, of one,
// and so on up to most, and then for any. What is impossible within a bound for
// reasons that have nothing to do with the bound is impossible: the bound is then
// not in the core of the contradiction (§6.3), and asked says after how many
// questions that was.
func (e *Encoding) SolveBounded(ctx context.Context, t Target, most int, budget *solver.Budget) (a Answer, asked int, err error) {
	q := e.question(ctx, t, budget)
	q.bounded = true
	e.bounds.start(e, most)
	for b := 0; b <= most; b++ {
		asked++
		for {
			e.bounds.count(e)
			known := len(e.bounds.crosses)
			if a, err = q.ask(e.bounds.within[b]); err != nil || len(e.bounds.crosses) == known {
				break // else it compares more events now, which may take switches
			}
		}
		if err != nil || a.Answer != solver.Unsat || !slices.Contains(q.core, e.bounds.within[b]) {
			return a, asked, err
		}
	}
	q.bounded = false
	a, err = q.ask()
	return a, asked + 1, err
}

// stretched puts a model's run in the order of its stretches: what the formula
// does not compare comes as late as what must follow lets it, with the rest of its
// goroutine.
func (e *Encoding) stretched(run []int32) []int32 {
	compared := make(map[int32][]int32) // by node
	for _, x := range e.bounds.crosses {
		compared[x[0]] = append(compared[x[0]], x[1])
		compared[x[1]] = append(compared[x[1]], x[0])
	}
	left := make(map[int32]int) // by node: how many stretches come after its own
	next := make([]int, len(e.m.first))
	for _, i := range slices.Backward(run) {
		n, g := e.node(i), e.m.gid(i)
		for _, other := range compared[n] {
			if k, later := left[other]; later {
				next[g] = max(next[g], k+1)
			}
		}
		left[n] = next[g]
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
	return run
}

// maxBounded and maxSwitches bound the events of which a run with the fewest
// switches is looked for, and these.
const maxBounded, maxSwitches = 1 << 11, 8

// fewest is Solve, and gives for an assertion a run with the fewest switches, if
// that takes not more than half of the budget.
func (e *Encoding) fewest(ctx context.Context, t Target, budget *solver.Budget) (Answer, error) {
	a, err := e.Solve(ctx, t, budget)
	if err != nil || a.Answer != solver.Sat || !t.Fails || len(e.nodes) > maxBounded {
		return a, err
	}
	b, _, err := e.SolveBounded(ctx, t, maxSwitches, budget.Half())
	if err != nil || b.Answer != solver.Sat {
		return a, err
	}
	return b, nil
}

// start makes the rows, for at most so many switches.
func (b *bounds) start(e *Encoding, most int) {
	if b.late != nil && b.most >= most {
		return
	}
	f := e.f
	*b = bounds{crosses: b.crosses, most: most}
	last := make([]int32, e.width)
	for c := range last {
		last[c] = none
	}
	for k := range most + 1 {
		b.within = append(b.within, f.Bool(fmt.Sprintf("at most %d switches", k)))
	}
	for n, i := range e.nodes {
		row := make([]solver.Bool, most+1)
		for k := range row {
			row[k] = f.Bool(fmt.Sprintf("late %d %d", i, k))
			if k > 0 {
				e.assert(f.Implies(row[k], row[k-1]))
			}
			e.assert(f.Not(f.And(row[k], e.done(i), b.within[k])))
		}
		b.late = append(b.late, row)
		c := e.column[e.m.gid(i)]
		if last[c] != none {
			for k := range row {
				e.assert(f.Implies(b.late[last[c]][k], row[k]))
			}
		}
		last[c] = int32(n)
	}
}

// count asserts what switches the comparisons take that are new.
func (b *bounds) count(e *Encoding) {
	f := e.f
	for ; b.counted < len(b.crosses); b.counted++ {
		x := b.crosses[b.counted]
		for _, p := range [][2]int32{x, {x[1], x[0]}} {
			from, to := p[0], p[1]
			i, j := e.nodes[from], e.nodes[to]
			first := e.truth(e.must(i, j))
			if !e.must(i, j) && !e.must(j, i) {
				first = f.Before(e.event(from), e.event(to))
			}
			before := f.True()
			for k := range b.late[to] {
				e.assert(f.Implies(f.And(first, before), b.late[to][k]))
				before = b.late[from][k]
			}
		}
	}
}
