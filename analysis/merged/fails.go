package merged

import (
	"context"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// perTerm is how many steps of a budget a pair of events in the formula takes.
const perTerm = 100

// Fails looks for a run in which an assertion at the site with that key fails, with engines that
// the function makes. It returns what a recording of the run would have: its events, with the values
// that they have there. The last one is the assertion, or the branch to a failure, that fails. The
// trace is nil if there is no such run, or the budget did not suffice. Equal recordings get equal
// answers. It is an error if the recordings depend on each other in too many ways.
func (p *Program) Fails(ctx context.Context, key uint64, engine func(*solver.Formula) (solver.Engine, error), budget *solver.Budget) (*trace.Trace, error) {
	var targets []int32
	for k := range p.nodes {
		n := &p.nodes[k]
		s := p.sites.Sites[n.Site]
		if s.Key == key && n.formula != nil && s.FailsIf != trace.NoOutcome && (s.FailsIf == trace.IfTrue) != (n.Val != 0) {
			targets = append(targets, int32(k))
		}
	}
	if len(targets) == 0 {
		return nil, nil
	}
	f := solver.NewFormula()
	en, err := engine(f)
	if err != nil {
		return nil, err
	}
	defer en.Close()
	e, err := p.encode(f, en)
	if err != nil {
		return nil, err
	}
	budget.Spend(perTerm * int64(e.terms+len(p.nodes)))
	for _, n := range targets {
		if budget.Over() {
			break
		}
		answer, order, err := e.solve(ctx, n, budget)
		if err != nil {
			return nil, err
		}
		if answer != solver.Sat {
			continue
		}
		// The judge refuses a run in which a number has wrapped around: to the solver numbers have
		// no bounds.
		if run := e.run(append(order, n)); feasible.Ran(run) == nil {
			return run, nil
		}
	}
	return nil, nil
}

// run returns the trace of a run of the engine's model. The last node of the order is the condition
// that comes out otherwise.
func (e *encoding) run(order []int32) *trace.Trace {
	run := &trace.Trace{Goroutines: e.goroutines, Sites: e.sites.Sites, TestNames: e.tests}
	written := make(map[uint64]bool) // by address
	for at, k := range order {
		event := e.nodes[k].Event
		if at == len(order)-1 {
			event.Val = 1 - min(event.Val, 1)
		} else {
			event.Val = e.valueInModel(k)
		}
		if before := e.initial[event.Obj]; event.Stores() && !written[event.Obj] {
			written[event.Obj] = true
			if before.known {
				run.PriorValues = append(run.PriorValues, trace.PriorValue{Position: at, Val: before.val})
			}
		}
		run.Events = append(run.Events, event)
	}
	return run
}

// valueInModel returns the value of the event of a node in the engine's model: what it finds, leaves
// or decides.
func (e *encoding) valueInModel(k int32) uint64 {
	n := &e.nodes[k]
	if !n.mayDiffer {
		return n.Val
	}
	value := e.foundValues[k]
	if n.formula != nil {
		value = e.formulaValues[k]
	}
	v := uint64(e.engine.IntValue(value))
	if n.Size < 8 {
		v &= 1<<(8*n.Size) - 1
	}
	return v
}
