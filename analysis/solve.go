package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/minimize"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/bug"
)

// A candidate is one that the tiers so far have left open: the solver is asked for a
// schedule, or those that are infeasible for where a run departs from the recorded one.
type candidate struct {
	detect.Candidate
	finding int        // its index in the findings
	open    []instance // of its instances, those that nothing has refuted
}

// solve decides the undecided candidates as far as the budget of each suffices, and
// notes it in their findings.
func (d *decider) solve(ctx context.Context, fs []Finding, undecided []candidate) error {
	if len(undecided) == 0 || !d.opts.uses(TierSolver) {
		return nil
	}
	if n := len(d.t.Events); n > maxSolved {
		for _, c := range undecided {
			fs[c.finding].overBudget(fmt.Sprintf("the trace has %d events", n))
		}
		return nil
	}
	// What candidates need little for leave goes to those that need much.
	slices.SortStableFunc(undecided, func(a, b candidate) int { return cmp.Compare(d.eventsUntil(a), d.eventsUntil(b)) })
	s := d.newSolving(undecided)
	d.model()
	defer s.close()
	// Of events there is one budget for all, and what they depend on is nearly the same.
	if !d.proposer.eventwise && len(undecided) >= manyCandidates {
		if hopeful, err := s.sample(ctx, fs, undecided); err != nil || !hopeful {
			return err
		}
	}
	for k, c := range undecided {
		f := &fs[c.finding]
		if f.Status != bug.Undecided {
			continue
		}
		if err := s.decideBySolving(ctx, f, k, c, len(undecided)-k); err != nil {
			return stopped(undecided[k:], undecided, err)
		}
	}
	return nil
}

// eventsUntil is how many events there are up to what c is about, from where its tests begin.
func (s *subject) eventsUntil(c candidate) (n int) {
	for _, v := range c.open {
		n = max(n, slices.Max(v.Accesses)-s.planner.From(v.Accesses...))
	}
	return n
}

// stopped is the error of those who were stopped by err with left of all candidates to decide.
func stopped(left, all []candidate, err error) error {
	return fmt.Errorf("analysis: ended with %d of %d candidates undecided: %w", len(left), len(all), err)
}

// sample asks about some of the candidates in short, and about no more instances of one that will not be proven
// impossible than the nearest. If that decides none it is not hopeful, and all
// stay undecided: the whole budget would be spent on some few of them.
func (s *solving) sample(ctx context.Context, fs []Finding, undecided []candidate) (hopeful bool, err error) {
	whole := s.budget
	s.budget.Steps, s.sampling = min(s.budget.Steps, s.work.Steps/int64(len(undecided)), sampledSteps), true
	defer func() { s.budget, s.sampling = whole, false }()
	n := min(len(undecided), maxSample)
	for at := range n {
		k := at * len(undecided) / n
		c := undecided[k]
		f := &fs[c.finding]
		why := f.Reason
		if err := s.decideBySolving(ctx, f, k, c, n-at); err != nil {
			return false, stopped(undecided[k:], undecided, err)
		}
		if f.Status == bug.Undecided {
			f.Reason = why // it may be asked about again
		} else {
			hopeful = true
		}
	}
	if !hopeful {
		for _, c := range undecided {
			fs[c.finding].overBudget(fmt.Sprintf("one of %d that are left, of a sample of which none was decided", len(undecided)))
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
	at        map[[2]int]int            // by candidate and instance: the target of the decider
	targets   map[int][]symbolic.Target
}

func (d *decider) newSolving(undecided []candidate) *solving {
	s := &solving{
		effort: d.effort, eventwise: d.proposer.eventwise, engine: d.opts.Solving.engine(), budget: d.opts.Solving.budget(),
		deciders: make(map[int]*symbolic.Decider), at: make(map[[2]int]int), targets: make(map[int][]symbolic.Target),
	}
	for k, c := range undecided {
		for n, v := range c.open {
			from := d.planner.From(v.Accesses...)
			s.at[[2]int{k, n}] = len(s.targets[from])
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

// target is what a run has to come to that shows v.
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

// decideBySolving decides c, the candidate number k, one of n that are left.
func (s *solving) decideBySolving(ctx context.Context, f *Finding, k int, c candidate, n int) error {
	budget := s.work.Share(max(1, int64(n)/overdraw)).Part(s.budget.Steps)
	s.allow(budget, 0)
	defer s.charge()
	ask, left := s.ask, budget // as long as all of them may be proven impossible
	whole := budget.Steps
	impossible := 0
	why := ""
	for n, v := range c.open {
		if left == budget && (!c.Exhaustive || why != "" || n > 0 && (whole-budget.Steps)/int64(n)*int64(len(c.open)-n) > budget.Steps) {
			ask, left, why = s.seek, budget.Part(s.opts.Solving.budget().Steps/seekingPart), cmp.Or(why, "steps")
		}
		if left.Over() || s.sampling && n > 0 && why != "" {
			why = cmp.Or(why, "steps")
			break
		}
		part := left
		if left == budget { // else what follows has no chance
			part = left.Share(max(1, int64(len(c.open)-n)/overdraw))
		}
		a, err := ask(ctx, v, s.at[[2]int{k, n}], part)
		switch {
		case err != nil:
			return err
		case a.Answer == solver.Unsat:
			impossible++
		case a.Answer == solver.Unknown:
			why = cmp.Or(a.Why, why)
		case s.accept(f, v, a):
			return nil
		case v.IsDeadlock:
			if a, err = s.askWithPartnersFirst(ctx, v, left); err != nil {
				return err
			} else if a.Answer == solver.Sat && s.accept(f, v, a) {
				return nil
			}
		}
	}
	switch {
	case impossible == len(c.open) && c.Exhaustive:
		f.Status, f.Tier = bug.Infeasible, TierSolver
		f.Reason = "no order of the recorded events leads to it: the solver has proven that"
	case !c.Exhaustive:
		f.overBudget(fmt.Sprintf("not the first %d ways, and there are more", len(c.open)))
	case why != "":
		f.overBudget(strings.TrimPrefix(why, "symbolic: "))
	}
	return nil
}

// decider is asked for runs to v that begin as schedules of its tests do.
func (s *solving) decider(v instance) *symbolic.Decider {
	from := s.planner.From(v.Accesses...)
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
	from := s.planner.From(v.Accesses...)
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

// accept notes in f the schedule that the solver has found for v. The judge has
// to agree, as with all schedules.
func (s *solving) accept(f *Finding, v instance, a symbolic.Answer) bool {
	from := min(a.Base, s.planner.From(v.Accesses...))
	if a.Base-from+len(a.Steps) > minimize.MaxTried { // nor are they kept
		from = a.Base
	}
	steps := make([]int, 0, a.Base-from+len(a.Steps))
	for i := from; i < a.Base; i++ {
		steps = append(steps, i)
	}
	steps = s.trim(from, append(steps, a.Steps...), v)
	if err := s.check(from, steps, v.Instance); err != nil {
		f.Reason = refusal(err)
		return false
	}
	recipe := s.planner.Given(from, steps, v.target().Pending, v.Accesses)
	f.Schedules = []Recipe{{recipe, v.Pattern}}
	f.Status, f.Tier, f.Reason = bug.Predicted, TierSolver, ""
	f.Pattern, f.Accesses = v.Pattern, recipe.Accesses
	s.locate(f)
	return true
}

// trim leaves out what goroutines do that a schedule of v does not need. Who stands at an access
// prefix all that led there.
func (s *solving) trim(from int, steps []int, v instance) []int {
	schedule := minimize.Schedule{Trace: s.t, Steps: steps}
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
