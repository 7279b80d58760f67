package analysis

import (
	"context"

	"github.com/gopredict/gopredict/analysis/solver"
)

// An effort is the work that the candidates of one detector may take: of the planner, of the judge and
// of the solver. All of it is counted in the solver's steps, of which [solver.Second] take about a
// second. It counts work and not time: equal traces give equal findings.
type effort struct {
	*subject
	work      *solver.Budget // for all candidates of the detector
	allowance *solver.Budget // what the current candidate may take of that
	charged   int64          // what was worked when the allowance was last charged
	links     int            // of the cones of the current candidate, see [schedule.Planner.Race]
}

// looksFor is how many of these there may be in a trace of so many events, where half of what is left of
// b goes into that at most.
func looksFor(b *solver.Budget, events int) int {
	return freeLooks*events + int(max(0, b.Steps)/2/lookStep)
}

// newWork is the budget for a trace of so many events.
func newWork(opts *Options, events int) *solver.Budget {
	b := &solver.Budget{Steps: baseWork + eventWork*int64(events), Memory: opts.Solving.budget().Memory}
	if opts.KnowledgeOf != nil {
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
func (e *effort) worked() (steps int64) {
	if e.planner != nil {
		steps += e.planner.Spent()
	}
	if e.ownJudge != nil {
		steps += judgeStep * int64(e.ownJudge.Spent())
	}
	return steps
}

// charge takes what was worked since the last time off what the candidate at hand may take. It
// reports whether there is more.
func (e *effort) charge() bool {
	now := e.worked()
	e.allowance.Spend(now - e.charged)
	e.charged = now
	return !e.allowance.Over()
}

// allow lets the first of n candidates that are left take its part of a budget, and 0 of all
// candidates what there is.
func (e *effort) allow(b *solver.Budget, n int) {
	e.charged = e.worked()
	e.allowance = b
	if n > 0 {
		e.allowance = b.Part(max(b.Steps/int64(n), leastWork))
	}
	if e.planner != nil {
		e.planner.LimitSpent(e.planner.Spent() + max(0, e.allowance.Steps))
	}
}

// inRounds calls decide for those of the undecided that are wanted, by their number, each with an equal part
// of what is left of b. For those that have used theirs up and are still wanted it is called again, with
// what the others have left.
func (e *effort) inRounds(ctx context.Context, b *solver.Budget, undecided []candidate, wanted func(k int) bool, decide func(k int)) error {
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
			e.allow(b, len(now)-n)
			allowance := e.allowance
			decide(k)
			if allowance.Over() && wanted(k) {
				again = append(again, k)
			}
		}
		now = again
	}
	return nil
}
