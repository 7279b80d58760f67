package symbolic

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
)

// A Decider answers questions about one trace. Targets next to each other whose cones are similar
// share an encoding, and what the solver learns.
type Decider struct {
	m           *Model
	base        int
	decidedFrom int // another Decider has decided runs that begin with this many events or more
	engine      func(*solver.Formula) (solver.Engine, error)
	targets     []Target
	// The encoding that was asked last, for the targets from first to end. It is nil if no run
	// reaches them, or with a reason in why.
	encoding   *Encoding
	first, end int
	why        string
}

// NewDecider prepares for questions whether runs that begin with the first base events of the trace
// reach the targets. The function makes engines.
func (m *Model) NewDecider(base int, targets []Target, engine func(*solver.Formula) (solver.Engine, error)) *Decider {
	return &Decider{m: m, base: base, decidedFrom: math.MaxInt, engine: engine, targets: targets}
}

// NewDeciderExcept is NewDecider for one target. Another Decider has found that no run reaches it
// that begins with the first decided events. This one considers the other runs only.
func (m *Model) NewDeciderExcept(base, decided int, t Target, engine func(*solver.Formula) (solver.Engine, error)) *Decider {
	d := m.NewDecider(base, []Target{t}, engine)
	d.decidedFrom = decided
	return d
}

// Decide answers the question about target k. It is fastest if targets are asked for in their
// order.
//
// The cone of a target often reaches back to the begin of the test, as a lock or a counter connects all
// events. Most runs that reach a target differ little from the recorded one. So the first question is
// whether there is one that keeps the recorded order up to shortly before the target. A "no" proves
// nothing then; the whole cone decides. All steps come out of the budget.
func (d *Decider) Decide(ctx context.Context, k int, budget *solver.Budget) (Answer, error) {
	a, err := d.decideNearby(ctx, k, budget, false)
	if err != nil || a.Answer != solver.Unknown || a.Why != "" {
		return a, err
	}
	return d.DecideAll(ctx, k, budget)
}

// DecideNearby looks for runs that differ little from the recorded one. The answer is Unknown without
// a reason if there are none. It is Unsat only if no run reaches the target, whatever it begins with.
//
// It gives up when runs that keep the recorded order up to some event take too much to decide. Runs
// that keep less of it take more, and another target may make better use of the budget.
func (d *Decider) DecideNearby(ctx context.Context, k int, budget *solver.Budget) (Answer, error) {
	return d.decideNearby(ctx, k, budget, true)
}

// decideNearby is DecideNearby. If brief is false, it goes on with runs that keep less.
func (d *Decider) decideNearby(ctx context.Context, k int, budget *solver.Budget, brief bool) (Answer, error) {
	if t := d.targets[k]; t.Fails && d.m.comesOutAsRecorded(int32(t.Pending[0]), budget) {
		return Answer{Answer: solver.Unsat, ForEveryPrefix: true}, nil
	}
	if budget.Over() {
		return Answer{Why: "steps"}, nil
	}
	near, ok := d.coneUpToTarget(d.base, k, firstWindow, budget)
	if !ok {
		return Answer{Answer: solver.Unsat, ForEveryPrefix: true}, nil
	}
	q := windowSearch{Decider: d, ctx: ctx, budget: budget.Share(seekShare), stopEarly: brief}
	if near.events > firstWindow {
		if a, err := q.windows(k); err != nil || a.Answer == solver.Sat || a.Why != "" {
			return a, err
		}
		near, _ = d.coneUpToTarget(d.base, k, MaxEvents, q.budget)
	}
	if q.whyTooLarge == "" {
		if a, err := q.solve(near, k); err != nil || a.Answer != solver.Unsat {
			return a, err
		}
	}
	return Answer{Why: q.whyTooLarge}, nil // larger cones are too large, too
}

// windows asks for runs to target k that keep the recorded order up to shortly before it, then up
// to four times as far before it, and so on as long as the cone grows.
//
// An example: the target is at position 5,000, and firstWindow is 64. The runs keep the recorded
// order up to 4,936, then up to 4,744, then up to 3,976. Each formula is larger than the one before,
// and the first run that is found ends the search.
func (q *windowSearch) windows(k int) (Answer, error) {
	needed := 0
	for back := firstWindow; q.whyTooLarge == ""; back *= 4 {
		base := slices.Min(q.targets[k].events()) - back
		if base <= q.base {
			break
		}
		if base >= q.decidedFrom {
			continue
		}
		cone, ok := q.coneUpToTarget(base, k, MaxEvents, q.budget)
		if !ok {
			continue
		}
		// The cone no longer grows, so a wider window would ask the same question.
		if cone.events == needed {
			break
		}
		needed = cone.events
		if a, err := q.solve(cone, k); err != nil || a.Answer == solver.Sat || q.stopEarly && a.Answer == solver.Unknown {
			return a, err
		}
	}
	return Answer{}, nil
}

// coneUpToTarget returns the part of the cone of target k before the target's own events in the recorded
// run. Most runs to it need no more. It has at most so many events, and as many as the budget
// suffices for.
func (d *Decider) coneUpToTarget(base, k, most int, budget *solver.Budget) (cone *Cone, ok bool) {
	if budget != nil {
		most = int(min(int64(most), max(0, budget.Steps)/perEvent))
	}
	cone, ok = d.m.cones.findWithin(base, slices.Max(d.targets[k].events())+1, most, d.targets[k:k+1])
	if ok {
		budget.Spend(cone.steps)
	}
	return cone, ok
}

// DecideAll considers all runs. It is for targets that DecideNearby has left open.
func (d *Decider) DecideAll(ctx context.Context, k int, budget *solver.Budget) (Answer, error) {
	if budget.Over() {
		return Answer{Why: "steps"}, nil
	}
	if k < d.first || k >= d.end {
		if err := d.prepare(k, budget); err != nil {
			return Answer{}, err
		}
	}
	switch {
	case d.why != "":
		return Answer{Why: d.why}, nil
	case d.encoding == nil:
		return Answer{Answer: solver.Unsat}, nil
	}
	return d.encoding.solveWithFewSwitches(ctx, d.targets[k], budget)
}

// encode makes an encoding within the budget. If the budget does not suffice for the events, all of
// it is spent.
func (d *Decider) encode(cone *Cone, f *solver.Formula, engine solver.Engine, budget *solver.Budget) (*Encoding, error) {
	steps := perEvent * int64(cone.events)
	if budget != nil && steps >= budget.Steps {
		budget.Spend(max(0, budget.Steps))
		return nil, errOver
	}
	budget.Spend(steps)
	return d.m.encode(cone, f, engine, budget)
}

// A windowSearch asks about one target in runs that keep the recorded order up to some event: the
// events after that are the window.
type windowSearch struct {
	*Decider
	ctx         context.Context
	budget      *solver.Budget
	whyTooLarge string // why a cone was too large to encode; larger ones are, too
	stopEarly   bool   // give up after the first cone that is not decided
}

// solve solves one cone with half of the rest of the budget.
func (q *windowSearch) solve(cone *Cone, k int) (Answer, error) {
	if cone.events > MaxEvents {
		q.whyTooLarge = tooLarge
		return Answer{}, nil
	}
	f := solver.NewFormula()
	engine, err := q.engine(f)
	if err != nil {
		return Answer{}, err
	}
	defer engine.Close()
	e, err := q.encode(cone, f, engine, q.budget)
	if err != nil && err != errOver {
		q.whyTooLarge = err.Error()
	}
	if err != nil {
		return Answer{Why: err.Error()}, nil
	}
	q.budget.Spend(perEvent * int64(cone.events))
	return e.solveWithFewSwitches(q.ctx, q.targets[k], q.budget.Share(2))
}

// prepare makes the encoding for target k and the similar targets after it.
func (d *Decider) prepare(k int, budget *solver.Budget) error {
	d.Close()
	d.first, d.end = k, k+1
	cone, ok := d.m.cones.findWithin(d.base, len(d.m.t.Events), MaxEvents, d.targets[k:k+1])
	if !ok {
		return nil
	}
	budget.Spend(cone.steps)
	// n doubles while cones are similar, and halves after the first that is not. So a large group
	// takes few unions.
	for n, grows := 1, true; n > 0 && cone.events <= maxShared; {
		n = min(n, len(d.targets)-d.end, maxGroup-(d.end-d.first))
		both := d.union(cone, n)
		if both == nil {
			n, grows = n/2, false
			continue
		}
		cone = both
		if d.end += n; grows {
			n *= 2
		}
	}
	if cone.events > MaxEvents {
		d.why = tooLarge
		return nil
	}
	f := solver.NewFormula()
	engine, err := d.engine(f)
	if err != nil {
		return err
	}
	e, err := d.encode(cone, f, engine, budget)
	if err == errOver {
		d.end = k + 1 // the next one has a budget of its own
	}
	if err != nil {
		engine.Close()
		d.why = err.Error()
		return nil
	}
	d.encoding = e
	return nil
}

// union returns the cone of a group and the next n targets; nil if it is much larger than either.
func (d *Decider) union(group *Cone, n int) *Cone {
	if n == 0 {
		return nil
	}
	next, ok := d.m.cones.findWithin(d.base, len(d.m.t.Events), 2*group.events+1, d.targets[d.end:d.end+n])
	if !ok {
		return nil
	}
	if min(group.events, next.events) < max(group.events, next.events)/2 {
		return nil
	}
	most := max(group.events, next.events)*5/4 + 16
	both := d.m.cones.union(group, next, len(d.m.t.Events), most)
	if both.events > most {
		return nil
	}
	return both
}

// tooLarge is why a cone with more events is not encoded.
var tooLarge = fmt.Sprintf("it may depend on more than %d events", MaxEvents)

// Close frees the encoding.
func (d *Decider) Close() {
	if d.encoding != nil {
		d.encoding.engine.Close()
	}
	d.encoding, d.why, d.first, d.end = nil, "", 0, 0
}
