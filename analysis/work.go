package analysis

import (
	"context"

	"github.com/gopredict/gopredict/analysis/solver"
)

// Deciding the candidates of a trace takes work: of the planner, of the judge, of the solver. All
// of it is counted in the solver's steps, of which [solver.Second] take about a second, and
// comes out of one budget. It counts work and not time: equal traces give equal findings.

// What there is for a trace: baseWork, so that short ones are decided thoroughly, and eventWork for
// each event. Further traces of the same tests have one of furtherPart parts of that: what they show
// is easily found, or was looked for in the first one.
const (
	baseWork    = 3 * solver.Second
	eventWork   = 24
	furtherPart = 4
)

// judgeStep is how many steps the judge takes for an event.
const judgeStep = 4

// lookStep is how many steps it takes to look at a way to choose events of a pattern, or at operations
// that may wait for each other. To look at freeLooks of them for each event is no more than to find the
// order of events, and counts as little.
const lookStep, freeLooks = 6, 4

// looksFor is how many of these there may be in a trace of so many events, where half of what is left of
// b goes into that at most.
func looksFor(b *solver.Budget, events int) int {
	return freeLooks*events + int(max(0, b.Steps)/2/lookStep)
}

// proofsPart is the part of the work for a trace that is kept for what else its program could do
// (demote), and directPart the part of that for the candidates of a detector that goes into all
// but solving.
const proofsPart, directPart = 4, 2

// leastWork is what a candidate may take for its schedules as long as there is any left, though it were
// more than its part, and smallWork what is too little to try all of its instances.
const leastWork, smallWork = 1 << 14, 1 << 18

// newWork is the budget for a trace of so many events.
func newWork(opts *Options, events int) *solver.Budget {
	b := &solver.Budget{Steps: baseWork + eventWork*int64(events), Memory: opts.Solving.budget().Memory}
	if opts.Known != nil {
		b.Steps /= furtherPart
	}
	return b
}

// windowWork is the part of what is left of b for a window of so many events, of all that are left:
// what its events bring, and half of the rest, or all of it for the last window.
func windowWork(b *solver.Budget, events, all int) *solver.Budget {
	if events == all {
		return b
	}
	each := min(eventWork, b.Steps/int64(max(1, all)))
	return b.Part(each*int64(events) + (b.Steps-each*int64(all))/2)
}

// worked is what the planner and the judge have done so far.
func (p *predictor) worked() (steps int64) {
	if p.planner != nil {
		steps += p.planner.Spent()
	}
	if p.judging != nil {
		steps += judgeStep * int64(p.judging.Spent())
	}
	return steps
}

// charge takes what was worked since the last time off what the candidate at hand may take. It
// reports whether there is more.
func (p *predictor) charge() bool {
	now := p.worked()
	p.its.Spend(now - p.charged)
	p.charged = now
	return !p.its.Over()
}

// allow lets the first of n candidates that are left take its part of a budget, and 0 of all
// candidates what there is.
func (p *predictor) allow(b *solver.Budget, n int) {
	p.charged = p.worked()
	p.its = b
	if n > 0 {
		p.its = b.Part(max(b.Steps/int64(n), leastWork))
	}
	if p.planner != nil {
		p.planner.Until(p.planner.Spent() + max(0, p.its.Steps))
	}
}

// inRounds calls decide for those of the undecided that are wanted, by their number, each with an equal part
// of what is left of b. For those that have used theirs up and are still wanted it is called again, with
// what the others have left.
func (p *predictor) inRounds(ctx context.Context, b *solver.Budget, undecided []candidate, wanted func(k int) bool, decide func(k int)) error {
	var now []int
	for k := range undecided {
		if wanted(k) {
			now = append(now, k)
		}
	}
	for range 2 {
		var again []int
		for n, k := range now {
			if err := context.Cause(ctx); err != nil {
				return stopped(undecided[k:], undecided, err)
			}
			p.allow(b, len(now)-n)
			its := p.its
			decide(k)
			if its.Over() && wanted(k) {
				again = append(again, k)
			}
		}
		now = again
	}
	return nil
}
