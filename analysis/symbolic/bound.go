package symbolic

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A switchBound limits the context switches of runs (Wang et al., Symbolic Predictive Analysis,
// FAC 2011, §6). The events of a run fall into stretches without a switch: an event is in no
// earlier stretch than its predecessors in its goroutine, and in a later one than its predecessors
// in others, as far as the formula compares them. In place of the paper's integers a stretch is a
// row of booleans, as only the first few are of interest.
//
// Most comparisons never make a run too long. They are counted once a model has them on a longest
// path through its run.
//
// An example: goroutine 1 does a and b, goroutine 2 does c, and the formula says that a comes before
// c and c before b. Then a is in stretch 0, c in stretch 1 and b in stretch 2, so the run needs two
// switches. If it does not compare c and b, then b stays in stretch 0 with a, and one switch is
// enough.
//
// The booleans of one node are the integer O(t) of §6.1 in unary: the k-th says that the stretch is
// greater than k. So a row is true up to some index, and false from there on.
type switchBound struct {
	*timeline
	// neighbours has for each node those that it is compared with, by the first seen of the
	// timeline's comparisons.
	neighbours     map[int32][]int32
	seen           int
	counted        map[[2]int32]bool       // pairs of nodes, the lower one first, that have their constraints
	inLaterStretch map[int32][]solver.Bool // by node of such a pair: it is in a stretch after the k-th
	ordered        [][]int32               // by column: the nodes in after, ascending
	withinBound    []solver.Bool           // by number of switches: the assumption that it suffices
}

// SolveBounded is Solve with few switches. It asks for runs with no more switches than must precede
// what, with one more, and so on up to most, and then for any. A contradiction without the bound's
// assumption in its core holds for every bound (§6.3); asked says after how many questions that
// was.
func (e *Encoding) SolveBounded(ctx context.Context, t Target, most int, budget *solver.Budget) (a Answer, asked int, err error) {
	q := e.question(ctx, t, budget)
	s := e.switches
	s.makeBounds(most)
	for b := s.fewestSwitches(); b <= most; b++ {
		asked++
		q.bound = b
		if a, err = q.ask(s.withinBound[b]); err != nil || a.Answer != solver.Unsat || !slices.Contains(q.core, s.withinBound[b]) {
			return a, asked, err
		}
	}
	q.bound = unbounded
	a, err = q.ask()
	return a, asked + 1, err
}

// unbounded stands for any number of switches.
const unbounded = -1

// solveWithFewSwitches is Solve, and gives for an assertion a run with the fewest switches, if that takes at most
// half of the budget.
//
// To ask with bounds from the start, as in §6, takes more. Where there is a run, the first model
// without a bound is found sooner than the bounds below are refuted, and shows the way to the
// shortest; where there is none, the proof needs no bound. Of testdata/papers/fusion's banking the
// analysis takes 0.15 s, and 0.08 s this way; of its other programs the same.
func (e *Encoding) solveWithFewSwitches(ctx context.Context, t Target, budget *solver.Budget) (Answer, error) {
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

// fewestSwitches returns how many switches the events need that happen in each run to each target,
// by what must precede what. No bound below that has a model, so the search begins there.
func (s *switchBound) fewestSwitches() (most int) {
	stretch := make([]int, len(s.nodes))
	last := make([]int, s.width) // by column
	for n, i := range s.nodes {
		if i >= s.cone.certain[s.m.gid(i)] {
			continue
		}
		c := s.column[s.m.gid(i)]
		stretch[n] = last[c]
		for in := range s.requiredEdgesInto(i) {
			if from := s.nodeOf(in.from); from != none {
				stretch[n] = max(stretch[n], stretch[from]+1)
			}
		}
		last[c] = stretch[n]
		most = max(most, stretch[n])
	}
	return most
}

// inOrderOfStretches puts a model's run in the order of its stretches: an event that the formula does not
// compare comes as late as its successors let it, with the rest of its goroutine. If that takes
// more switches than the bound, the comparisons responsible are counted from now on, and ok is
// false.
func (s *switchBound) inOrderOfStretches(run []int32, bound int) (better []int32, ok bool) {
	// left counts from the end: 0 is the last stretch. The run begins with the events that have most
	// left.
	left := s.stretches(run)
	most := 0
	for _, k := range left {
		most = max(most, k)
	}
	if most > bound && s.countLongestPaths(run, left, most) {
		return nil, false
	}
	run = slices.Clone(run)
	slices.SortStableFunc(run, func(i, j int32) int { return cmp.Compare(left[s.nodeOf(j)], left[s.nodeOf(i)]) })
	last := trace.GID(0) // the goroutine that ran last: it goes on first
	for from := 0; from < len(run); {
		end := from + 1
		for end < len(run) && left[s.nodeOf(run[end])] == left[s.nodeOf(run[from])] {
			end++
		}
		slices.SortStableFunc(run[from:end], func(i, j int32) int {
			a, b := s.m.gid(i), s.m.gid(j)
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
		last, from = s.m.gid(run[end-1]), end
	}
	return run, true
}

// stretches returns for each node of a run how many stretches come after its own.
//
// It goes backwards, so an event is as late as what follows it allows. A comparison of nodes in
// different goroutines costs one stretch, and program order none.
func (s *switchBound) stretches(run []int32) (left map[int32]int) {
	for ; s.seen < len(s.comparisons); s.seen++ {
		x, y := s.comparisons[s.seen][0], s.comparisons[s.seen][1]
		s.neighbours[x] = append(s.neighbours[x], y)
		s.neighbours[y] = append(s.neighbours[y], x)
	}
	left = make(map[int32]int, len(run))
	next := make([]int, len(s.m.t.Goroutines))
	for _, i := range slices.Backward(run) {
		n, g := s.nodeOf(i), s.m.gid(i)
		for _, other := range s.neighbours[n] {
			if k, later := left[other]; later {
				next[g] = max(next[g], k+1)
			}
		}
		left[n] = next[g]
	}
	return left
}

// countLongestPaths counts the comparisons on all paths through a run that take the most switches. It
// reports whether some of them were not counted before.
func (s *switchBound) countLongestPaths(run []int32, left map[int32]int, most int) (more bool) {
	longest := make(map[int32]bool)          // nodes on such a path
	at := make([]int, len(s.m.t.Goroutines)) // by goroutine: what is left on such a path
	for g := range at {
		at[g] = none
	}
	for _, i := range run {
		n, g := s.nodeOf(i), s.m.gid(i)
		if left[n] == most || at[g] == left[n] {
			longest[n] = true
		}
		if !longest[n] {
			continue
		}
		at[g] = left[n]
		for _, other := range s.neighbours[n] {
			if k, runs := left[other]; runs && k == left[n]-1 {
				longest[other] = true
				if s.assertInLaterStretch(n, other) {
					more = true
				}
			}
		}
	}
	return more
}

// makeBounds makes the assumptions, for at most so many switches.
func (s *switchBound) makeBounds(most int) {
	if len(s.withinBound) > most {
		return
	}
	*s = switchBound{
		timeline: s.timeline, neighbours: make(map[int32][]int32), counted: make(map[[2]int32]bool),
		inLaterStretch: make(map[int32][]solver.Bool), ordered: make([][]int32, s.width),
	}
	for k := range most + 1 {
		s.withinBound = append(s.withinBound, s.f.Bool(fmt.Sprintf("at most %d switches", k)))
	}
}

// stretchLiterals returns the literals that say in which stretch node n is.
func (s *switchBound) stretchLiterals(n int32) []solver.Bool {
	if row, ok := s.inLaterStretch[n]; ok {
		return row
	}
	f, i := s.f, s.nodes[n]
	row := make([]solver.Bool, len(s.withinBound))
	for k := range row {
		row[k] = f.Bool(fmt.Sprintf("late %d %d", i, k))
		if k > 0 {
			s.assert(f.Implies(row[k], row[k-1]))
		}
		// The bound of §6.2, O(t_last) - O(t_first) ≤ b, of each event that happens. Under the
		// assumption that k switches suffice, no event is in a stretch after the k-th.
		s.assert(f.Not(f.And(row[k], s.happens(i), s.withinBound[k])))
	}
	s.inLaterStretch[n] = row
	c := s.column[s.m.gid(i)]
	at, _ := slices.BinarySearch(s.ordered[c], n)
	// Program order is ≤ (§6.1). The neighbours among the nodes that have a row get clauses; those
	// further away follow from these.
	for k := range row {
		if at > 0 {
			s.assert(f.Implies(s.inLaterStretch[s.ordered[c][at-1]][k], row[k]))
		}
		if at < len(s.ordered[c]) {
			s.assert(f.Implies(row[k], s.inLaterStretch[s.ordered[c][at]][k]))
		}
	}
	s.ordered[c] = slices.Insert(s.ordered[c], at, n)
	return row
}

// assertInLaterStretch asserts that one of two nodes is in a later stretch than the other. It returns false if
// that was asserted before.
func (s *switchBound) assertInLaterStretch(x, y int32) bool {
	key := [2]int32{min(x, y), max(x, y)}
	if s.counted[key] {
		return false
	}
	s.counted[key] = true
	f := s.f
	for _, p := range [][2]int32{{x, y}, {y, x}} {
		from, to := s.stretchLiterals(p[0]), s.stretchLiterals(p[1])
		i, j := s.nodes[p[0]], s.nodes[p[1]]
		first := s.constant(s.mustPrecede(i, j))
		if !s.mustPrecede(i, j) && !s.mustPrecede(j, i) {
			first = f.Before(s.solverEvent(p[0]), s.solverEvent(p[1]))
		}
		before := f.True()
		// Between goroutines the order is < (§6.1): if x comes first and is after stretch k-1, then
		// y is after stretch k. For k = 0, x is in some stretch, so y is after the first one.
		for k := range to {
			s.assert(f.Implies(f.And(first, before), to[k]))
			before = from[k]
		}
	}
	return true
}
