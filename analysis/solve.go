package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/minimize"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/bug"
)

// solve decides the undecided candidates as far as the budget of each suffices.
func (d *decider) solve(ctx context.Context, undecided []*candidate) error {
	if len(undecided) == 0 || !d.opts.uses(TierSolver) {
		return nil
	}
	if n := len(d.trace.Events); n > maxSolved {
		for _, c := range undecided {
			c.finding.overBudget(fmt.Sprintf("the trace has %d events", n))
		}
		return nil
	}
	// What candidates leave that need little goes to those that need much.
	slices.SortStableFunc(undecided, func(a, b *candidate) int { return cmp.Compare(d.eventsUntil(a), d.eventsUntil(b)) })
	s := d.newSolving(undecided)
	d.model()
	defer s.close()
	// Of events there is one budget for all, and what they depend on is nearly the same.
	if !d.proposer.eventwise && len(undecided) >= manyCandidates {
		if hopeful, err := s.sample(ctx, undecided); err != nil || !hopeful {
			return err
		}
	}
	for k, c := range undecided {
		if !c.isOpen() {
			continue
		}
		if err := s.decideBySolving(ctx, c, len(undecided)-k); err != nil {
			return stopped(len(undecided)-k, len(undecided), err)
		}
	}
	return nil
}

// eventsUntil returns how many events there are from where the tests of c begin to its last access.
func (s *subject) eventsUntil(c *candidate) (n int) {
	for _, v := range c.open {
		n = max(n, slices.Max(v.Accesses)-s.planner.RecordedPrefix(v.Accesses...))
	}
	return n
}

// stopped returns the error for an analysis that err has stopped with some candidates left.
func stopped(left, all int, err error) error {
	return fmt.Errorf("analysis: ended with %d of %d candidates undecided: %w", left, all, err)
}

// sample asks about some of the candidates with a small budget. Of a candidate that will not be proven
// infeasible it asks about the nearest instance only. If that decides none, there is little hope, and all
// stay undecided: the whole budget would be spent on a few of them.
func (s *solving) sample(ctx context.Context, undecided []*candidate) (hopeful bool, err error) {
	whole := s.budget
	s.budget.Steps, s.sampling = min(s.budget.Steps, s.work.Steps/int64(len(undecided)), sampledSteps), true
	defer func() { s.budget, s.sampling = whole, false }()
	n := min(len(undecided), maxSample)
	for at := range n {
		k := at * len(undecided) / n
		c := undecided[k]
		reason := c.finding.Reason
		if err := s.decideBySolving(ctx, c, n-at); err != nil {
			return false, stopped(len(undecided)-k, len(undecided), err)
		}
		if c.isOpen() {
			c.finding.Reason = reason // it may be asked about again
		} else {
			hopeful = true
		}
	}
	if !hopeful {
		for _, c := range undecided {
			c.finding.overBudget(fmt.Sprintf("one of %d that are left, of a sample of which none was decided", len(undecided)))
		}
	}
	return hopeful, nil
}

// A solving asks the solver about the instances of undecided candidates.
type solving struct {
	*effort
	eventwise bool // see proposer
	engine    func(*solver.Formula) (solver.Engine, error)
	budget    solver.Budget             // of each candidate
	sampling  bool                      // see sample
	deciders  map[int]*symbolic.Decider // by how many events come first
	targetOf  map[*candidate][]int      // by instance in open: the index of its target
	targets   map[int][]symbolic.Target // of the decider, by how many events come first
}

func (d *decider) newSolving(undecided []*candidate) *solving {
	s := &solving{
		effort: d.effort, eventwise: d.proposer.eventwise, engine: d.opts.Solving.engine(), budget: d.opts.Solving.budget(),
		deciders: make(map[int]*symbolic.Decider), targetOf: make(map[*candidate][]int), targets: make(map[int][]symbolic.Target),
	}
	for _, c := range undecided {
		for _, v := range c.open {
			from := d.planner.RecordedPrefix(v.Accesses...)
			s.targetOf[c] = append(s.targetOf[c], len(s.targets[from]))
			s.targets[from] = append(s.targets[from], v.target())
		}
	}
	return s
}

func (s *solving) close() {
	for _, d := range s.deciders {
		d.Close()
	}
}

// target returns what a run that shows v has to reach.
func (v instance) target() symbolic.Target {
	switch {
	case v.IsDeadlock:
		return symbolic.Deadlock(v.Accesses, v.MissedSignals)
	case len(v.Accesses) == 1:
		return symbolic.Failure(v.Accesses[0])
	case v.Pattern == nil:
		return symbolic.Simultaneous(v.Accesses...)
	}
	return symbolic.Sequence(v.Accesses...)
}

// decideBySolving decides c, the first of the candidates that are left. It asks for a proof of each
// instance as long as all of them may be proven infeasible within the budget. After that it only seeks
// runs near to the recorded one.
func (s *solving) decideBySolving(ctx context.Context, c *candidate, candidatesLeft int) error {
	budget := s.work.Share(max(1, int64(candidatesLeft)/partFactor)).Part(s.budget.Steps)
	s.allow(budget, 0)
	defer s.charge()
	f := c.finding
	whole := budget.Steps
	ask, left := s.ask, budget
	infeasible := 0
	why := "" // not all instances are proven infeasible
	for n, v := range c.open {
		proving := left == budget
		if proving && (!c.Exhaustive || why != "" || n > 0 && (whole-budget.Steps)/int64(n)*int64(len(c.open)-n) > budget.Steps) {
			proving = false
			ask, left, why = s.seek, budget.Part(s.opts.Solving.budget().Steps/seekingPart), cmp.Or(why, "steps")
		}
		if left.Over() || s.sampling && n > 0 && why != "" {
			why = cmp.Or(why, "steps")
			break
		}
		part := left
		if proving {
			part = left.Share(max(1, int64(len(c.open)-n)/partFactor))
		}
		a, err := ask(ctx, v, s.targetOf[c][n], part)
		switch {
		case err != nil:
			return err
		case a.Answer == solver.Unsat:
			infeasible++
		case a.Answer == solver.Unknown:
			why = cmp.Or(a.Why, why)
		case s.accept(f, v, a):
			return nil
		}
	}
	switch {
	case infeasible == len(c.open) && c.Exhaustive:
		f.Status, f.Tier = bug.Infeasible, TierSolver
		f.Reason = "no order of the recorded events leads to it: the solver has proven that"
	case !c.Exhaustive:
		f.overBudget(fmt.Sprintf("not the first %d ways, and there are more", len(c.open)))
	case why != "":
		f.overBudget(strings.TrimPrefix(why, "symbolic: "))
	}
	return nil
}

// decider returns the decider for runs to v that begin as schedules of its tests do.
func (s *solving) decider(v instance) *symbolic.Decider {
	from := s.planner.RecordedPrefix(v.Accesses...)
	d := s.deciders[from]
	if d == nil {
		d = s.solverModel.NewDecider(from, s.targets[from], s.engine)
		s.deciders[from] = d
	}
	return d
}

// seek asks for runs to v near to the recorded one.
func (s *solving) seek(ctx context.Context, v instance, at int, budget *solver.Budget) (symbolic.Answer, error) {
	return s.decider(v).DecideNearby(ctx, at, budget)
}

// ask asks for runs to v that begin as schedules of its tests do, and if there
// are none, for runs that begin where the trace does.
func (s *solving) ask(ctx context.Context, v instance, at int, budget *solver.Budget) (symbolic.Answer, error) {
	from := s.planner.RecordedPrefix(v.Accesses...)
	decide := s.decider(v).Decide
	if s.eventwise {
		decide = s.decider(v).DecideAll
	}
	a, err := decide(ctx, at, budget)
	if err != nil || a.Answer != solver.Unsat || a.ForEveryPrefix || from == 0 {
		return a, err
	}
	all := s.solverModel.NewDeciderExcept(0, from, v.target(), s.engine)
	defer all.Close()
	return all.Decide(ctx, 0, budget)
}

// accept adds the schedule that the solver has found for v to f. The judge has to agree, as with all
// schedules.
func (s *solving) accept(f *Finding, v instance, a symbolic.Answer) bool {
	from := min(a.Base, s.planner.RecordedPrefix(v.Accesses...))
	if a.Base-from+len(a.Steps) > minimize.MaxTried { // too many to be minimized
		from = a.Base
	}
	steps := make([]int, 0, a.Base-from+len(a.Steps))
	for i := from; i < a.Base; i++ {
		steps = append(steps, i)
	}
	steps = s.trim(from, append(steps, a.Steps...), v)
	if err := s.check(from, steps, v.Instance); err != nil {
		f.Reason = reasonOf(err)
		return false
	}
	recipe := s.planner.FromSteps(from, steps, v.target().Pending, v.Accesses)
	f.Schedules = []Recipe{{recipe, v.Pattern}}
	f.Status, f.Tier, f.Reason = bug.Predicted, TierSolver, ""
	f.Pattern, f.Accesses = v.Pattern, recipe.Accesses
	s.locate(f)
	return true
}

// trim leaves out what goroutines do that a schedule of v does not need. A goroutine that is about to
// execute an access keeps all that led there.
func (s *solving) trim(from int, steps []int, v instance) []int {
	schedule := minimize.Schedule{Trace: s.trace, Steps: steps}
	if !v.IsDeadlock {
		schedule.Pending = v.target().Pending
	}
	return minimize.Apply(schedule, minimize.WithoutGoroutines(func(steps []int) bool {
		return s.leadsTo(steps, v) && s.check(from, steps, v.Instance) == nil
	}))
}

// leadsTo reports whether all accesses of v but the last, where they form a
// pattern, are among the steps in their order.
func (s *solving) leadsTo(steps []int, v instance) bool {
	if v.Pattern == nil {
		return true
	}
	n := 0
	for _, i := range steps {
		if n < len(v.Accesses)-1 && i == v.Accesses[n] {
			n++
		}
	}
	return n == len(v.Accesses)-1
}
