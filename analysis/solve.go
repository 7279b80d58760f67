package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/bug"
)

// Solving says how candidates are decided that nothing else decides.
type Solving struct {
	// Engine makes the solver for a formula; nil stands for the built-in one.
	Engine func(*solver.Formula) (solver.Engine, error)
	// Budget is for each candidate, and six times as much for all candidates of a
	// trace together. What is zero in it stands for 5 [solver.Second] and 1 GB.
	Budget solver.Budget
}

// engine is what makes solvers.
func (p *predictor) engine() func(*solver.Formula) (solver.Engine, error) {
	if p.opts.Solving.Engine != nil {
		return p.opts.Solving.Engine
	}
	return func(f *solver.Formula) (solver.Engine, error) { return solver.NewBuiltin(f), nil }
}

// solvedCandidates is how many candidates can take all of their budget.
const solvedCandidates = 6

// budget is for each candidate.
func (s *Solving) budget() solver.Budget {
	return solver.Budget{Steps: cmp.Or(s.Budget.Steps, 5*solver.Second), Memory: cmp.Or(s.Budget.Memory, 1<<30)}
}

// A pending candidate is one for which no schedule was found, and no proof that
// there is none.
type pending struct {
	finding    int // its index in the findings
	leads      []lead
	exhaustive bool // there are no other leads
}

// solve decides the undecided candidates as far as the budget of each suffices, and
// notes it in their findings.
func (p *predictor) solve(ctx context.Context, fs []Finding, undecided []pending) error {
	if len(undecided) == 0 {
		return nil
	}
	if n := len(p.t.Events); n > maxSolved {
		for _, o := range undecided {
			fs[o.finding].overBudget(fmt.Sprintf("the trace has %d events", n))
		}
		return nil
	}
	if p.symbols == nil {
		p.symbols = symbolic.NewConcurrent(p.t, p.o, p.flow)
	}
	s := p.newSolving(undecided)
	defer s.close()
	for k, o := range undecided {
		f := &fs[o.finding]
		if err := s.candidate(ctx, f, k, o); err != nil {
			return fmt.Errorf("analysis: ended with %d of %d candidates undecided: %w", len(undecided)-k, len(undecided), err)
		}
	}
	return nil
}

// maxSolved is the number of events of the longest traces of which candidates are
// solved: what solving has to know of a trace takes memory.
const maxSolved = 1 << 22

// A solving asks about the leads of undecided candidates.
type solving struct {
	*predictor
	engine   func(*solver.Formula) (solver.Engine, error)
	budget   solver.Budget             // of each candidate
	deciders map[int]*symbolic.Decider // by how many events come first
	at       map[[2]int]int            // by candidate and lead: the target of the decider
	targets  map[int][]symbolic.Target
}

func (p *predictor) newSolving(undecided []pending) *solving {
	s := &solving{
		predictor: p, engine: p.engine(), budget: p.opts.Solving.budget(),
		deciders: make(map[int]*symbolic.Decider), at: make(map[[2]int]int), targets: make(map[int][]symbolic.Target),
	}
	for k, o := range undecided {
		for n, l := range o.leads {
			from := p.planner.From(l.Accesses...)
			s.at[[2]int{k, n}] = len(s.targets[from])
			s.targets[from] = append(s.targets[from], l.target())
		}
	}
	return s
}

func (s *solving) close() {
	for _, d := range s.deciders {
		d.Close()
	}
}

// target is what a run has to come to that shows l.
func (l lead) target() symbolic.Target {
	if len(l.Accesses) == 1 {
		return symbolic.Failure(l.Accesses[0])
	}
	if l.Pattern == nil {
		return symbolic.Race(l.Accesses[0], l.Accesses[1])
	}
	return symbolic.Sequence(l.Accesses...)
}

// candidate decides the candidate number k.
func (s *solving) candidate(ctx context.Context, f *Finding, k int, o pending) error {
	budget := s.candidates.Part(s.budget.Steps)
	impossible := 0
	why := ""
	for n, l := range o.leads {
		if budget.Over() {
			why = "steps"
			break
		}
		a, err := s.ask(ctx, l, s.at[[2]int{k, n}], budget)
		switch {
		case err != nil:
			return err
		case a.Answer == solver.Unsat:
			impossible++
		case a.Answer == solver.Unknown:
			why = a.Why
		case s.shows(f, l, a):
			return nil
		}
	}
	switch {
	case impossible == len(o.leads) && o.exhaustive:
		f.Status, f.Tier = bug.Infeasible, TierSolver
		f.Reason = "no order of the recorded events leads to it: the solver has proven that"
	case why != "":
		f.overBudget(strings.TrimPrefix(why, "symbolic: "))
	case impossible == len(o.leads):
		f.overBudget(fmt.Sprintf("not the first %d ways, and there are more", impossible))
	}
	return nil
}

// overBudget notes why f, which has no schedule, is not proven infeasible either.
func (f *Finding) overBudget(why string) {
	if why = fmt.Sprintf("undecided within budget (%s)", why); f.Reason != "" {
		why += ": " + f.Reason
	}
	f.Reason = why
}

// ask asks for runs to l that begin as schedules of its tests do, and if there
// are none, for runs that begin where the trace does.
func (s *solving) ask(ctx context.Context, l lead, at int, budget *solver.Budget) (symbolic.Answer, error) {
	from := s.planner.From(l.Accesses...)
	d := s.deciders[from]
	if d == nil {
		d = s.symbols.NewDecider(from, s.targets[from], s.engine)
		s.deciders[from] = d
	}
	a, err := d.Decide(ctx, at, budget)
	if err != nil || a.Answer != solver.Unsat || from == 0 {
		return a, err
	}
	all := s.symbols.NewDecider(0, []symbolic.Target{l.target()}, s.engine)
	defer all.Close()
	return all.Decide(ctx, 0, budget)
}

// shows notes in f the schedule that the solver has found for l. The judge has
// to agree, as with all schedules.
func (s *solving) shows(f *Finding, l lead, a symbolic.Answer) bool {
	from := min(a.Base, s.planner.From(l.Accesses...))
	steps := make([]int, 0, a.Base-from+len(a.Steps))
	for i := from; i < a.Base; i++ {
		steps = append(steps, i)
	}
	steps = s.trim(from, append(steps, a.Steps...), l)
	if err := s.judge.CheckFrom(from, steps, l.Accesses); err != nil {
		f.Reason = refusal(err)
		return false
	}
	_, recipe := s.planner.Given(from, steps, l.target().Stands, l.Accesses)
	f.Schedules = []Recipe{{recipe, l.Pattern}}
	f.Status, f.Tier, f.Reason = bug.Predicted, TierSolver, ""
	f.Pattern, f.Accesses = l.Pattern, l.Accesses
	s.place(f)
	return true
}

// maxTrimmed bounds the steps of the schedules that are tried to shorten one.
const maxTrimmed = 1 << 18

// trim leaves out steps of a schedule that it does not need, goroutine by
// goroutine: all that it does, or else the later half, and so on. A step that
// the re-run does not need is one that it can miss.
func (s *solving) trim(from int, steps []int, l lead) []int {
	effort := 0
	for g := range s.t.Goroutines {
		var own []int // of the goroutine, indices of steps
		for k, i := range steps {
			if int(s.t.Events[i].G) == g {
				own = append(own, k)
			}
		}
		for cut := 0; cut < len(own); cut += (len(own) - cut + 1) / 2 {
			if effort += len(steps); effort > maxTrimmed {
				return steps
			}
			shorter := slices.Clone(steps[:own[cut]])
			for _, i := range steps[own[cut]:] {
				if int(s.t.Events[i].G) != g {
					shorter = append(shorter, i)
				}
			}
			if s.judge.CheckFrom(from, shorter, l.Accesses) == nil && s.leads(shorter, l) {
				steps = shorter
				break
			}
		}
	}
	return steps
}

// leads reports whether all accesses of l but the last, where they form a
// pattern, are among the steps in their order.
func (s *solving) leads(steps []int, l lead) bool {
	if l.Pattern == nil {
		return true
	}
	n := 0
	for _, i := range steps {
		if n < len(l.Accesses)-1 && i == l.Accesses[n] {
			n++
		}
	}
	return n == len(l.Accesses)-1
}
