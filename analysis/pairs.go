package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/internal/bug"
)

// A pairSearch looks at all pairs of accesses at two places, where the detectors have only found the
// nearest ones and none of these has a schedule. The must clock refutes most pairs. One cone for each
// two goroutines finds the races that need no critical sections in another order. The solver decides
// what is left, if that is little.
type pairSearch struct {
	*decider
	conflicts map[*candidate][]anomaly.ConflictSet // nil for candidates with too many accesses
}

// allPairs looks at all pairs of those undecided candidates that have more pairs than instances. It
// returns the candidates that are undecided then.
func (p *pairSearch) allPairs(ctx context.Context, undecided []*candidate) ([]*candidate, error) {
	var places [][2]uint64
	for _, c := range undecided {
		if !c.Exhaustive {
			places = append(places, c.Places...)
		}
	}
	if len(places) == 0 || !p.opts.uses(StepPairs) {
		return undecided, nil
	}
	p.conflicts = make(map[*candidate][]anomaly.ConflictSet)
	all := anomaly.ConflictSetsAt(p.trace, p.order, places)
	for _, c := range undecided {
		if c.Exhaustive || len(c.Places) == 0 {
			continue
		}
		own := all[:len(c.Places)]
		all = all[len(c.Places):]
		if !slices.ContainsFunc(own, func(sets []anomaly.ConflictSet) bool { return sets == nil }) {
			p.conflicts[c] = slices.Concat(own...)
		}
	}
	hasPairs := func(c *candidate) bool { return p.conflicts[c] != nil && !c.Exhaustive && c.isOpen() }
	hasUntried := func(c *candidate) bool {
		return p.triesNeighbours(c.Candidate) && len(c.Instances) > maxTried && c.isOpen()
	}
	// The nearest pairs of all candidates come before all pairs of any.
	for _, step := range []struct {
		isFor  func(*candidate) bool
		decide func(*candidate)
	}{{hasPairs, p.decideNeighbours}, {hasUntried, p.decideUntried}, {hasPairs, p.decidePairs}} {
		if err := p.forEach(ctx, p.work.Share(directPart), undecided, step.isFor, step.decide); err != nil {
			return nil, err
		}
	}
	return stillOpen(undecided), nil
}

// stillOpen returns those that nothing has decided.
func stillOpen(undecided []*candidate) []*candidate {
	return slices.DeleteFunc(undecided, func(c *candidate) bool { return !c.isOpen() || len(c.open) == 0 })
}

// decideNeighbours tries the nearest pairs of c.
func (p *pairSearch) decideNeighbours(c *candidate) {
	near := p.neighbours(p.conflicts[c], p.mustOrder())
	if len(near) == 0 || !p.charge() {
		return
	}
	f, open := p.decide(c.withInstances(near...))
	if f.Status == bug.Predicted {
		*c.finding = f
	} else if len(c.Instances) <= maxTried { // else decideUntried comes next
		c.open = open
	}
}

// decidePairs looks at all pairs of c. If that does not decide c, and not too many pairs are left, these
// are its instances from now on.
func (p *pairSearch) decidePairs(c *candidate) {
	if p.allowance.Over() {
		return
	}
	must := p.mustOrder()
	left := 0
	unordered := slices.DeleteFunc(slices.Clone(p.conflicts[c]), func(set anomaly.ConflictSet) bool {
		p.allowance.Spend(rowStep * int64(len(set.First)+len(set.Second)))
		n := set.CountPairs(must)
		left += n
		return n == 0
	})
	if f, ok := p.findMeeting(c, unordered, must.BeforeReached); ok {
		*c.finding = f
		return
	}
	if left > maxRemaining {
		return
	}
	groups, ok := p.pairPerTests(p.conflicts[c])
	if !ok {
		return
	}
	var all []detect.Instance
	for _, set := range unordered {
		for _, pair := range set.AppendPairs(nil, must, maxRemaining) {
			all = append(all, detect.Instance{Accesses: pair[:]})
		}
	}
	p.decideRemaining(c, all, nil, groups)
}

// neighbours returns the nearest pairs in sets that may meet, the nearest first.
func (p *pairSearch) neighbours(sets []anomaly.ConflictSet, must anomaly.Ordering) []detect.Instance {
	var nearest [][2]int
	looked := 0
	for _, set := range sets {
		if looked > maxNearSteps {
			break
		}
		looked += 1 + (len(set.First)+len(set.Second))/nearShare
		for pair := range set.AdjacentPairs() {
			if len(nearest) == maxNeighbours && distance(pair) > distance(nearest[maxNeighbours-1]) {
				continue
			}
			if looked += rowStep; must.BeforeReached(pair[0], pair[1]) {
				continue
			}
			at, _ := slices.BinarySearchFunc(nearest, pair, func(a, b [2]int) int { return cmp.Compare(distance(a), distance(b)) })
			nearest = slices.Insert(nearest[:min(len(nearest), maxNeighbours-1)], at, pair)
		}
	}
	p.allowance.Spend(int64(looked))
	near := make([]detect.Instance, len(nearest))
	for k := range nearest {
		near[k].Accesses = nearest[k][:]
	}
	return near
}

func distance(pair [2]int) int { return pair[1] - pair[0] }

// findMeeting looks for a pair in sets that a cone leads to (Mathur, Pavlogiannis and Viswanathan, POPL
// 2021, Algorithm 2).
func (p *pairSearch) findMeeting(c *candidate, sets []anomaly.ConflictSet, before func(i, j int) bool) (Finding, bool) {
	judged := 0
	for _, set := range sets {
		for s, recipe := range p.planner.Meet(set.First, set.Second, before, int(max(0, p.allowance.Steps))) {
			if judged++; judged > maxConePairs || !p.charge() {
				return Finding{}, false
			}
			pair := detect.Instance{Accesses: recipe.Accesses}
			if p.check(s.From, s.Steps, pair) != nil {
				continue
			}
			// The pair may have a schedule that is easier to replay, and a second one.
			if f, _ := p.decide(c.withInstances(pair)); f.Status == bug.Predicted {
				return f, true
			}
		}
		if !p.charge() {
			break
		}
	}
	return Finding{}, false
}

// pairPerTests returns a pair for each set of tests that pairs in sets belong to. It fails if these are
// too many, or differ within a set, as where a goroutine serves several tests.
func (p *pairSearch) pairPerTests(sets []anomaly.ConflictSet) (groups []detect.Instance, ok bool) {
	var all []detect.Instance
	for _, set := range sets {
		for _, accesses := range [][]int32{set.First, set.Second} {
			first, last := int(accesses[0]), int(accesses[len(accesses)-1])
			if !slices.Equal(p.tests.TestsOf([]int{first}), p.tests.TestsOf([]int{last})) {
				return nil, false
			}
		}
		for _, pair := range set.AppendPairs(nil, p.order, 0) {
			all = append(all, detect.Instance{Accesses: pair[:]})
		}
	}
	return p.onePerTests(all)
}
