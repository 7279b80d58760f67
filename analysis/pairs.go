package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/internal/bug"
)

// A pairSearch looks at all pairs of accesses at two places where the detectors have handed over the
// nearest ones only, and none of these has a schedule. What they left out may have one. The must clock
// refutes most pairs. One cone for each two goroutines finds the races that need no critical sections
// in another order. What is left, if that is little, is for the solver.
type pairSearch struct {
	*decider
}

// allPairs looks at all pairs of those undecided candidates that have more of them than
// instances, of which of has what the detectors say. It returns those that are undecided
// then.
func (p *pairSearch) allPairs(ctx context.Context, fs []Finding, of []detect.Candidate, undecided []candidate) ([]candidate, error) {
	var places [][2]uint64
	for _, c := range undecided {
		if !c.Exhaustive {
			places = append(places, c.Places...)
		}
	}
	if len(places) == 0 || !p.opts.uses(StepPairs) {
		return undecided, nil
	}
	all := anomaly.ConflictSetsAt(p.t, p.o, places)
	rows := make([][]anomaly.ConflictSet, len(undecided)) // nil: there is nothing to look at, or too much
	for k, c := range undecided {
		if c.Exhaustive || len(c.Places) == 0 {
			continue
		}
		its := all[:len(c.Places)]
		all = all[len(c.Places):]
		if !slices.ContainsFunc(its, func(r []anomaly.ConflictSet) bool { return r == nil }) {
			rows[k] = slices.Concat(its...)
		}
	}
	wanted := func(k int) bool {
		return rows[k] != nil && !undecided[k].Exhaustive && fs[undecided[k].finding].Status == bug.Undecided
	}
	others := func(k int) bool {
		c := &undecided[k]
		return p.triesNeighbours(c.Candidate) && len(c.Instances) > maxTried && fs[c.finding].Status == bug.Undecided
	}
	// The nearest pairs of all candidates come before all pairs of any.
	for _, step := range []struct {
		wanted func(k int) bool
		decide func(f *Finding, c *candidate, rows []anomaly.ConflictSet)
	}{{wanted, p.decideNeighbours}, {others, p.decideUntried}, {wanted, p.decidePairs}} {
		if err := p.inRounds(ctx, p.work.Share(directPart), undecided, step.wanted, func(k int) {
			c := &undecided[k]
			step.decide(&fs[c.finding], c, rows[k])
			of[c.finding] = c.Candidate
		}); err != nil {
			return nil, err
		}
	}
	return stillOpen(fs, undecided), nil
}

// stillOpen returns those that nothing has decided.
func stillOpen(fs []Finding, undecided []candidate) []candidate {
	return slices.DeleteFunc(undecided, func(c candidate) bool { return fs[c.finding].Status != bug.Undecided || len(c.open) == 0 })
}

// decideNeighbours looks at the nearest pairs of c, whose rows are given, and notes in the finding f if that
// decides c.
func (p *pairSearch) decideNeighbours(f *Finding, c *candidate, rows []anomaly.ConflictSet) {
	defer p.withoutLinks(c)()
	near := p.neighbours(rows, p.mustOrder())
	if len(near) == 0 || !p.charge() {
		return
	}
	g, open := p.decide(detect.Candidate{Kind: c.Kind, Name: c.Name, Instances: near})
	if g.Status == bug.Predicted {
		*f = g
		return
	}
	if len(c.Instances) <= maxTried || p.hasSmallShare(c.Candidate) { // else the others come next
		c.open = open
	}
}

// decideUntried looks at those instances of c that were not tried before its neighbours, and notes in the finding f
// if that decides c.
func (p *pairSearch) decideUntried(f *Finding, c *candidate, _ []anomaly.ConflictSet) {
	if p.hasSmallShare(c.Candidate) {
		return
	}
	p.decideRest(f, c)
}

// withoutLinks lets cones of a hasSmallShare candidate have no links any more: what it may have went into its first
// instances. What is returned puts them back.
func (p *pairSearch) withoutLinks(c *candidate) func() {
	its := p.links
	if p.hasSmallShare(c.Candidate) {
		p.links = 0
	}
	return func() { p.links = its }
}

// decidePairs looks at all pairs of c, whose rows are given, and notes in the finding f if
// that decides c. If not, and there are not too many of them left, these are its instances
// from now on.
func (p *pairSearch) decidePairs(f *Finding, c *candidate, rows []anomaly.ConflictSet) {
	if p.allowance.Over() {
		return
	}
	must := p.mustOrder()
	defer p.withoutLinks(c)()
	left := 0
	open := slices.DeleteFunc(slices.Clone(rows), func(r anomaly.ConflictSet) bool {
		p.allowance.Spend(rowStep * int64(len(r.First)+len(r.Second)))
		n := r.CountPairs(must)
		left += n
		return n == 0
	})
	if g, ok := p.findMeeting(c, open, must.BeforeReached); ok {
		*f = g
		return
	}
	if left > maxRemaining {
		return
	}
	groups, ok := p.pairPerTests(rows)
	if !ok {
		return
	}
	var all []detect.Instance
	for _, r := range open {
		for _, pair := range r.AppendPairs(nil, must, maxRemaining) {
			all = append(all, detect.Instance{Accesses: pair[:]})
		}
	}
	p.decideRemaining(f, c, all, nil, groups)
}

// neighbours returns the nearest pairs in rows that may meet, the nearest first.
func (p *pairSearch) neighbours(rows []anomaly.ConflictSet, must anomaly.Ordering) []detect.Instance {
	var nearest [][2]int
	asked := 0
	for _, r := range rows {
		if asked > maxNearSteps {
			break
		}
		asked += 1 + (len(r.First)+len(r.Second))/nearShare
		for pair := range r.AdjacentPairs() {
			if len(nearest) == maxNeighbours && gap(pair) > gap(nearest[maxNeighbours-1]) {
				continue
			}
			if asked += rowStep; must.BeforeReached(pair[0], pair[1]) {
				continue
			}
			at, _ := slices.BinarySearchFunc(nearest, pair, func(a, b [2]int) int { return cmp.Compare(gap(a), gap(b)) })
			nearest = slices.Insert(nearest[:min(len(nearest), maxNeighbours-1)], at, pair)
		}
	}
	p.allowance.Spend(int64(asked))
	near := make([]detect.Instance, len(nearest))
	for k := range nearest {
		near[k].Accesses = nearest[k][:]
	}
	return near
}

func gap(pair [2]int) int { return pair[1] - pair[0] }

// findMeeting looks for a pair in rows that a cone leads to.
func (p *pairSearch) findMeeting(c *candidate, rows []anomaly.ConflictSet, before func(i, j int) bool) (Finding, bool) {
	judged := 0
	for _, r := range rows {
		for s, recipe := range p.planner.Meet(r.First, r.Second, before, int(max(0, p.allowance.Steps))) {
			if judged++; judged > maxMet || !p.charge() {
				return Finding{}, false
			}
			v := detect.Instance{Accesses: recipe.Accesses}
			if p.check(s.From, s.Steps, v) != nil {
				continue
			}
			// It may have a schedule that is easier to replay, and a second one.
			f, _ := p.decide(detect.Candidate{Kind: c.Kind, Name: c.Name, Instances: []detect.Instance{v}})
			if f.Status == bug.Predicted {
				return f, true
			}
		}
		if !p.charge() {
			break
		}
	}
	return Finding{}, false
}

// pairPerTests returns a pair for each set of tests that pairs in rows are of; ok is false if these
// are too many, or not the same all along a row, as where a goroutine serves several tests.
func (p *pairSearch) pairPerTests(rows []anomaly.ConflictSet) (groups []detect.Instance, ok bool) {
	var all []detect.Instance
	for _, r := range rows {
		for _, of := range [][]int32{r.First, r.Second} {
			if first, last := int(of[0]), int(of[len(of)-1]); !slices.Equal(p.tests.TestsOf([]int{first}), p.tests.TestsOf([]int{last})) {
				return nil, false
			}
		}
		for _, pair := range r.AppendPairs(nil, p.o, 0) {
			all = append(all, detect.Instance{Accesses: pair[:]})
		}
	}
	return p.onePerTests(all)
}
