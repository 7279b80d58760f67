package solver

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gopredict/gopredict/analysis/solver/z3"
)

// z3Engine is the engine that asks Z3. Events are integers: one comes before
// another if its number is smaller, or if the numbers are the same and it was
// made first. Every assignment of numbers is so a strict total order, and an atom
// is one inequality, negated or not.
type z3Engine struct {
	f               *Formula
	ctx             *z3.Context
	solver          *z3.Solver
	nodes           []z3.AST // of each node of f, once it was asked for; so with those below
	events          []z3.AST
	ints            []z3.AST
	asserted        []Bool
	assumptionNames map[Bool]z3.AST // the names of assumptions
	lastName        int
	resourcesSpent  uint32 // of Z3's resources, that budgets know of
	stopped         bool   // the last check ended at a limit

	// What the last check has found.
	model *model
	core  []Bool
	why   string
}

// NewZ3 returns the engine that asks Z3, which it loads from the system. An error
// says what to install. A budget's memory is what Z3 holds for all engines of the
// program together.
func NewZ3(f *Formula) (Engine, error) {
	context, err := z3.NewContext()
	if err != nil {
		return nil, fmt.Errorf("solver: %w", err)
	}
	z := &z3Engine{f: f, ctx: context, assumptionNames: map[Bool]z3.AST{}}
	z.solver = z.ctx.NewSolver()
	return z, z.failure()
}

// renew puts a new solver in the place of one that was stopped: such a one may
// forget assertions, and find models that do not satisfy them (seen with Z3 4.8.12).
func (z *z3Engine) renew() {
	z.stopped = false
	z.solver.Close()
	z.solver = z.ctx.NewSolver()
	clear(z.assumptionNames)
	for _, b := range z.asserted {
		z.solver.Assert(z.term(b))
	}
}

func (z *z3Engine) Close() { z.ctx.Close() }

// failure returns what Z3 has complained of.
func (z *z3Engine) failure() error {
	if err := z.ctx.Err(); err != nil {
		return fmt.Errorf("solver: Z3 failed: %w", err)
	}
	return nil
}

// endLastCheck ends the last check, before assertions or assumptions change.
func (z *z3Engine) endLastCheck() {
	if z.stopped {
		z.renew()
	}
}

func (z *z3Engine) Assert(bs ...Bool) {
	z.endLastCheck()
	z.asserted = append(z.asserted, bs...)
	for _, b := range bs {
		z.solver.Assert(z.term(b))
	}
}

// Check asks Z3. A model in which a variable is no int64 is none of ours: the variable is
// confined, and Z3 is asked again.
func (z *z3Engine) Check(ctx context.Context, budget *Budget, assumptions ...Bool) (Answer, error) {
	z.endLastCheck()
	z.model, z.core, z.why = nil, nil, ""
	names := make([]z3.AST, len(assumptions))
	for i, a := range assumptions {
		names[i] = z.name(a)
	}
	if err := cmp.Or(z.f.Err(), ctx.Err(), z.failure()); err != nil {
		return Unknown, err
	}
	for {
		if budget.Over() {
			z.why = "steps"
			return Unknown, nil
		}
		switch z.ask(ctx, budget, names) {
		case z3.True:
			model, outside := z.newModel()
			if outside {
				continue
			}
			z.model = model
			return Sat, z.failure()
		case z3.False:
			z.core = z.newCore(assumptions, names)
			return Unsat, z.failure()
		default:
			z.stopped = true
			return Unknown, z.unknown(ctx, budget)
		}
	}
}

// unknown finds out why there was no answer.
func (z *z3Engine) unknown(ctx context.Context, budget *Budget) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("solver: stopped: %w", err)
	}
	switch {
	case z.why != "":
	case budget.Over():
		z.why = "steps"
	default:
		return cmp.Or(z.failure(), fmt.Errorf("solver: Z3 gave up: %s", z.solver.ReasonUnknown()))
	}
	return nil
}

// ask lets Z3 search, and stops it at the limits: that of steps is Z3's own, as it counts its
// work; for memory and the context somebody else has to watch.
func (z *z3Engine) ask(ctx context.Context, budget *Budget, assumptions []z3.AST) z3.LBool {
	z.limit(budget)
	defer z.spend(budget)
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		z.watch(ctx, budget, done)
	}()
	defer func() {
		close(done)
		<-watched
	}()
	return z.solver.Check(assumptions...)
}

// limit sets the limit of the next search: of what Z3 counts, and not of how
// long it takes.
func (z *z3Engine) limit(budget *Budget) {
	resources := int64(0) // no limit
	if budget != nil {
		resources = (budget.Steps + perResource - 1) / perResource
	}
	z.solver.SetResourceLimit(uint32(min(resources, math.MaxUint32)))
}

// spend takes what Z3 has done since the last check off the budget.
func (z *z3Engine) spend(budget *Budget) {
	count := z.solver.Resources()
	budget.Spend(int64(count-z.resourcesSpent) * perResource)
	z.resourcesSpent = count
}

// watch interrupts the search when the context ends, or when Z3 holds too much
// in all of its engines, until done is closed. Only there a clock has a part in an
// answer: this version of Z3 has no limit for memory that does not end the program.
func (z *z3Engine) watch(ctx context.Context, budget *Budget, done <-chan struct{}) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if budget != nil && budget.Memory > 0 && z.ctx.Allocated() > uint64(budget.Memory) {
			z.why = "memory"
			z.ctx.Interrupt()
		} else if ctx.Err() != nil {
			z.ctx.Interrupt()
		}
	}
}

// name returns a literal that stands for an assumption, as Z3 takes no terms for these: a
// variable of its own which implies the term, or the term if it is a variable. It is kept for
// checks that assume the same again.
func (z *z3Engine) name(a Bool) z3.AST {
	if z.f.nodes[a>>1].kind == variable {
		return z.term(a)
	}
	if n, ok := z.assumptionNames[a]; ok {
		return n
	}
	z.lastName++
	n := z.ctx.Bool(fmt.Sprint("assumption ", z.lastName))
	z.solver.Assert(n.Implies(z.term(a)))
	z.assumptionNames[a] = n
	return n
}

// newCore returns the assumptions whose names are in Z3's core, in their order, each once.
func (z *z3Engine) newCore(assumptions []Bool, names []z3.AST) (core []Bool) {
	in := make(map[z3.AST]bool)
	for _, n := range z.solver.UnsatCore() {
		in[n] = true
	}
	for i, n := range names {
		if in[n] {
			core = append(core, assumptions[i])
			in[n] = false
		}
	}
	return core
}

// newModel reads Z3's model. If a variable is outside int64, it asserts that no
// such variable is, and the search must go on.
func (z *z3Engine) newModel() (m *model, outside bool) {
	values := z.solver.Model()
	defer values.Close()
	numbers := make([]int64, len(z.f.events))
	for e, x := range z.events {
		numbers[e], _ = evaluate(values, x)
	}
	order := make([]Event, len(numbers))
	for e := range order {
		order[e] = Event(e)
	}
	slices.SortStableFunc(order, func(a, b Event) int { return cmp.Compare(numbers[a], numbers[b]) })
	m = newModel(z.f, order)
	for _, x := range z.ints {
		n, ok := evaluate(values, x)
		m.ints = append(m.ints, n)
		if !ok {
			z.solver.Assert(z.ctx.Number(math.MinInt64).Le(x), x.Le(z.ctx.Number(math.MaxInt64)))
			outside = z.ctx.Err() == nil
		}
	}
	for id, t := range z.nodes {
		if z.f.nodes[id].kind == variable && t != (z3.AST{}) {
			m.bools[int32(id)] = values.Bool(t)
		}
	}
	return m, outside
}

// evaluate returns the number of x, 0 if nothing depends on it. It is not ok if
// no int64 holds it.
func evaluate(values *z3.Model, x z3.AST) (n int64, ok bool) {
	if x == (z3.AST{}) {
		return 0, true
	}
	return values.Int(x)
}

func (z *z3Engine) Why() string          { return z.why }
func (z *z3Engine) Core() []Bool         { return z.core }
func (z *z3Engine) Value(b Bool) bool    { return z.model.value(b) }
func (z *z3Engine) IntValue(x Int) int64 { return z.model.number(x) }
func (z *z3Engine) Order() []Event       { return z.model.order }
