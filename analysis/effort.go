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
	work         *solver.Budget // for all candidates of the detector
	allowance    *solver.Budget // the current candidate's part of work
	chargedUntil int64          // spent() when the allowance was last charged
	coneLinks    int            // of the cones of the current candidate, see [schedule.Planner.Race]
}

// looksFor returns how many looks a search may take in a trace of that many events: at most half of what
// is left of b, besides those that are free.
func looksFor(b *solver.Budget, events int) int {
	return freeLooks*events + int(max(0, b.Steps)/2/lookStep)
}

// newWork returns the budget for a trace of that many events.
func newWork(opts *Options, events int) *solver.Budget {
	b := &solver.Budget{Steps: baseWork + eventWork*int64(events), Memory: opts.Solving.budget().Memory}
	if opts.KnowledgeOf != nil {
		b.Steps /= furtherPart
	}
	return b
}

// windowWork returns the part of b for a window of that many events, of all that are left: what the events
// of the window bring, and half of the rest. The last window gets all.
func windowWork(b *solver.Budget, events, all int) *solver.Budget {
	if events == all {
		return b
	}
	each := min(eventWork, b.Steps/int64(max(1, all)))
	return b.Part(each*int64(events) + (b.Steps-each*int64(all))/2)
}

// spent returns the work of the planner and the judge so far.
func (e *effort) spent() (steps int64) {
	if e.planner != nil {
		steps += e.planner.Spent()
	}
	if e.ownJudge != nil {
		steps += judgeStep * int64(e.ownJudge.Spent())
	}
	return steps
}

// charge takes the work since the last call off the allowance. It reports whether anything is left.
func (e *effort) charge() bool {
	now := e.spent()
	e.allowance.Spend(now - e.chargedUntil)
	e.chargedUntil = now
	return !e.allowance.Over()
}

// allow sets the allowance to the part of b for the first of n candidates that are left. For n = 0 all
// candidates share b.
func (e *effort) allow(b *solver.Budget, n int) {
	e.chargedUntil = e.spent()
	e.allowance = b
	if n > 0 {
		e.allowance = b.Part(max(b.Steps/int64(n), leastWork))
	}
	if e.planner != nil {
		e.planner.LimitSpent(e.planner.Spent() + max(0, e.allowance.Steps))
	}
}

// forEach calls decide for those of the undecided candidates that a step is for, each with an equal part
// of what is left of b.
func (e *effort) forEach(ctx context.Context, b *solver.Budget, undecided []*candidate, isFor func(*candidate) bool, decide func(*candidate)) error {
	left := 0
	for _, c := range undecided {
		if isFor(c) {
			left++
		}
	}
	for k, c := range undecided {
		if !isFor(c) {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return stopped(len(undecided)-k, len(undecided), err)
		}
		e.allow(b, left)
		decide(c)
		left--
	}
	return nil
}
