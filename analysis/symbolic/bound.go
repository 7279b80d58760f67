package symbolic

import (
	"context"
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
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
	a, err = q.ask()
	return a, asked + 1, err
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
