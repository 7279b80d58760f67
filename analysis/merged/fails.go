package merged

import (
	"context"
	"fmt"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A Run is a predicted run.
type Run struct {
	// Trace is what a recording of the run would have: its events, with the values that they have
	// there. The last one is the assertion, or the branch to a failure, that fails.
	Trace *trace.Trace
	// From has, by goroutine of the trace, the recordings in which it does the same.
	From [][]int
}

// Fails looks for a run in which an assertion at the site with that key fails, with engines that
// the function makes. The run is nil if there is none, or the budget did not suffice. Equal
// recordings get equal answers. It is an error if the recordings depend on each other in too many
// ways.
func (p *Program) Fails(ctx context.Context, key uint64, engine func(*solver.Formula) (solver.Engine, error), budget *solver.Budget) (*Run, error) {
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
		r, err := p.run(append(order, n))
		if err != nil {
			continue // a number has wrapped around; to the solver they have no bounds
		}
		if err := feasible.Ran(r.Trace); err != nil {
			return nil, fmt.Errorf("merged: the judge turns down what the solver has found: %w", err)
		}
		return r, nil
	}
	return nil, nil
}

// perTerm is how many steps of a budget a pair of events in the formula takes.
const perTerm = 100

// run computes what the nodes of an order find and leave. The last one is the condition that comes
// out otherwise.
func (p *Program) run(order []int32) (*Run, error) {
	x := execution{Program: p, values: make(map[int32]uint64), memory: make(map[uint64]memoryContent)}
	r := &Run{From: make([][]int, len(p.goroutines)), Trace: &trace.Trace{
		Goroutines: p.goroutines, Sites: p.sites.Sites, TestNames: p.tests,
	}}
	all := make([]int, p.recordings)
	for k := range all {
		all[k] = k
	}
	for g := range r.From {
		r.From[g] = all
	}
	for at, n := range order {
		e := p.nodes[n].Event
		if at == len(order)-1 {
			r.Trace.Events = append(r.Trace.Events, x.negated(n, e))
			break
		}
		r.From[e.G] = p.nodes[n].runs
		v, err := x.step(n)
		if err != nil {
			return nil, err
		}
		if _, told := x.memory[e.Obj]; e.Stores() && !told && p.initial[e.Obj].known {
			r.Trace.PriorValues = append(r.Trace.PriorValues, trace.PriorValue{Position: at, Val: p.initial[e.Obj].val})
		}
		e.Val = v
		r.Trace.Events = append(r.Trace.Events, e)
		if e.Stores() {
			x.memory[e.Obj] = memoryContent{v, e.HasValue()}
		}
	}
	return r, nil
}

// An execution runs nodes one after the other.
type execution struct {
	*Program
	values map[int32]uint64 // of reads and operands
	memory map[uint64]memoryContent
}

// step returns the value of the event of a node in this run. It fails if the goroutine would do
// something else.
func (x *execution) step(k int32) (uint64, error) {
	n := &x.nodes[k]
	v, before := n.Val, uint64(0)
	if n.Kind.IsRead() && n.HasValue() && !n.bySource() {
		now, ok := x.memory[n.Obj]
		if !ok {
			now = x.initial[n.Obj]
		}
		if !now.known {
			return 0, fmt.Errorf("what %d finds is not known", k)
		}
		v, before = now.val, now.val
	}
	if n.formula != nil {
		c := x.eval(n, x.numberOf(n.Obj, n.Size, before))
		switch {
		case n.Kind == trace.Branch || n.Kind == trace.Assert:
			if (c != 0) != (n.Val != 0) {
				return 0, fmt.Errorf("condition %d comes out otherwise", k)
			}
		default:
			v = uint64(c)
		}
	}
	if n.Size < 8 && n.HasValue() {
		v &= 1<<(8*n.Size) - 1
	}
	if n.HasValue() && !n.mayDiffer && v != n.Val {
		return 0, fmt.Errorf("%s %d has %d, expected %d as recorded", n.Kind, k, v, n.Val)
	}
	x.values[k] = v
	return v, nil
}

// eval computes the formula of n.
func (x *execution) eval(n *node, before int64) int64 {
	return n.formula.Eval(before, func(k int, r dataflow.Reading) int64 {
		if n.reads[k] == none {
			return 0
		}
		return r.Number(x.values[n.reads[k]])
	})
}

// negated returns the event of the condition k with the other outcome.
func (x *execution) negated(k int32, e trace.Event) trace.Event {
	if e.Val == 0 {
		e.Val = 1
	} else {
		e.Val = 0
	}
	return e
}
