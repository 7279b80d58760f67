package symbolic

import (
	"context"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An Answer is what an encoding says of a target.
type Answer struct {
	solver.Answer
	Why            string // for Unknown
	ForEveryPrefix bool   // for Unsat: no run reaches the target, whatever events it begins with
	// Steps are the positions of the events that lead to the target, for Sat. Before them come the
	// first Base events in recorded order.
	Base  int
	Steps []int
	// DepartsAt is where the run departs from the recorded one, for a Departure.
	DepartsAt int
}

// Solve says whether a run reaches t, which must be one of the cone's targets. The steps it takes
// come out of the budget.
func (e *Encoding) Solve(ctx context.Context, t Target, budget *solver.Budget) (Answer, error) {
	q := e.question(ctx, t, budget)
	return q.ask()
}

// A question is one target and what may be spent on it. The property of the target is assumed and not
// asserted. So the engine keeps what it has learned for the next target of the encoding: the
// incremental solving of Said et al., NFM 2011, §5.
type question struct {
	*Encoding
	ctx         context.Context
	target      Target
	property    []solver.Bool
	budget      *solver.Budget
	bound       int           // of context switches, or unbounded
	core        []solver.Bool // after Unsat: the assumptions that contradict each other
	outOfBudget bool          // asserting the target has used up the budget
}

func (e *Encoding) question(ctx context.Context, t Target, budget *solver.Budget) *question {
	q := &question{Encoding: e, ctx: ctx, target: t, budget: budget, bound: unbounded}
	if budget != nil {
		e.limit = e.spent + max(1, budget.Steps)
	}
	q.property = e.property(t)
	e.taint.defineLiterals()
	if e.limit = 0; e.err == errOver { // of this question only
		q.outOfBudget, e.err = true, nil
	}
	e.spend(budget)
	return q
}

// ask asks under further assumptions, until a model's run is possible.
func (q *question) ask(more ...solver.Bool) (Answer, error) {
	for {
		assumptions := slices.Concat(q.property, more)
		switch {
		case q.err != nil:
			return Answer{Why: q.err.Error()}, nil
		case q.outOfBudget:
			return Answer{Why: errOver.Error()}, nil
		case slices.Contains(assumptions, q.f.False()):
			q.core = nil
			return Answer{Answer: solver.Unsat}, nil
		}
		answer, err := q.engine.Check(q.ctx, q.budget, assumptions...)
		if err != nil {
			return Answer{}, err
		}
		if answer != solver.Sat {
			a := Answer{Answer: answer}
			if answer == solver.Unknown {
				a.Why = q.engine.Why()
			} else {
				q.core = q.engine.Core()
			}
			return a, nil
		}
		run, short := q.modelRun(), true
		if q.bound != unbounded {
			run, short = q.switches.inOrderOfStretches(run, q.bound)
		}
		if short && q.refine(run, q.budget) {
			return Answer{Answer: answer, Base: q.cone.Base, Steps: q.schedule(run, q.target), DepartsAt: q.departures.firstTaken(q.target)}, nil
		}
		q.spend(q.budget)
	}
}

// property returns ρ: what holds in a run that reaches t.
func (e *Encoding) property(t Target) []solver.Bool {
	f := e.f
	var all []solver.Bool
	for _, s := range t.Pending {
		i := int32(s)
		if from := e.m.predecessor(i); from != none {
			all = append(all, e.happensUpTo(from))
		}
		// Nothing constrains the events between i and that node. If it does not happen, the run can
		// stop just before i.
		if n := e.firstNodeFrom(i); n != none {
			all = append(all, f.Not(e.happens(n)))
		}
		all = append(all, e.reads.reachedAsRecorded(i))
		if t.Fails {
			all = append(all, e.failsAtViolation(i))
			continue
		}
		if t.Blocks {
			for _, side := range e.m.waitingSides(i) {
				all = append(all, e.channels.mustWait(side)...)
			}
		}
		all = append(all, e.groups.atViolation(i, t.Blocks)...)
		switch ev := e.m.event(i); ev.Kind {
		case trace.CondWake:
			for _, signal := range t.Executed {
				all = append(all, e.conds.misses(int32(signal), i))
			}
		case trace.Close, trace.Send, trace.SelectSend:
			if c := e.m.channel(ev.Obj); c != nil {
				all = append(all, e.channels.notClosed(c)...)
			}
		}
	}
	for _, i := range t.Executed {
		all = append(all, e.happens(int32(i)))
	}
	for _, p := range t.Order {
		i, j := int32(p[0]), int32(p[1])
		all = append(all, e.happens(i), e.precedes(i, j))
		if !t.standsAt(p[1]) {
			all = append(all, e.happens(j))
		}
	}
	if len(t.DepartsAt) > 0 {
		all = append(all, e.departures.departsAtAny(t.DepartsAt))
	}
	// Targets share the encoding. What this one does not free has to be as recorded in this
	// question, even if another target of the cone frees it.
	for _, i := range slices.Sorted(maps.Keys(e.anyValue)) {
		if free := e.anyValue[i]; e.m.allowsAnyValue(&t, i) {
			all = append(all, free)
		} else {
			all = append(all, f.Not(free))
		}
	}
	return slices.DeleteFunc(all, func(b solver.Bool) bool { return b == f.True() })
}

// failsAtViolation says that the operation or condition at position i, where the violation is,
// fails.
func (e *Encoding) failsAtViolation(i int32) solver.Bool {
	switch ev := e.m.event(i); ev.Kind {
	case trace.Release, trace.RRelease:
		return e.locks.freeAtViolation(i)
	case trace.Close, trace.Send, trace.SelectSend:
		return e.channels.closedAtViolation(ev.Obj)
	}
	if e.m.group(i) != nil {
		return e.groups.fallsBelowZero(i)
	}
	return e.values.conditionComesOut(i, false)
}
