//go:build (linux || darwin) && (amd64 || arm64) && !noz3

package solver

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// z3 is the engine that asks the Z3 library (de Moura and Bjørner, Z3: An
// Efficient SMT Solver, TACAS 2008). Events are integers: one comes before
// another if its number is smaller, or if the numbers are the same and it was
// made first. Every assignment of numbers is so a strict total order, and an atom
// is one inequality, negated or not.
type z3 struct {
	api         *z3API
	f           *Formula
	ctx, solver uintptr
	boolSort    uintptr
	intSort     uintptr
	nodes       []uintptr
	events      []uintptr
	ints        []uintptr
	mentions    *mentions
	checked     bool               // the newest level of mentions is a check's
	asserted    [][]Bool           // of each level
	named       []map[Bool]uintptr // of each level: the names of assumptions
	names       int
	model       *model
	core        []Bool
	why         string
	taken       uint32 // of Z3's resources, that budgets know of
	stopped     bool   // the last check ended at a limit
}

// NewZ3 returns the engine that asks Z3, which it loads from the system. An error
// says what to install.
func NewZ3(f *Formula) (Engine, error) {
	api, err := z3Library()
	if err != nil {
		return nil, err
	}
	z := &z3{api: api, f: f, mentions: newMentions(f), asserted: make([][]Bool, 1), named: []map[Bool]uintptr{{}}}
	config := api.mkConfig()
	z.ctx = api.mkContext(config)
	api.delConfig(config)
	api.setErrorHandler(z.ctx, 0) // the default one ends the program
	z.boolSort, z.intSort = api.mkBoolSort(z.ctx), api.mkIntSort(z.ctx)
	z.open()
	return z, z.failure()
}

// open makes Z3's solver.
func (z *z3) open() {
	z.solver = z.api.mkSolver(z.ctx)
	z.api.solverIncRef(z.ctx, z.solver)
}

// renew puts a new solver in the place of one that was stopped: such a one may
// forget assertions, and find models that do not satisfy them (seen with Z3 4.8.12).
func (z *z3) renew() {
	z.stopped = false
	z.api.solverDecRef(z.ctx, z.solver)
	z.open()
	for k, level := range z.asserted {
		if k > 0 {
			z.api.solverPush(z.ctx, z.solver)
		}
		clear(z.named[k])
		for _, b := range level {
			z.api.solverAssert(z.ctx, z.solver, z.term(b))
		}
	}
}

func (z *z3) Close() {
	z.api.solverDecRef(z.ctx, z.solver)
	z.api.delContext(z.ctx)
}

// failure returns what Z3 last complained of.
func (z *z3) failure() error {
	if code := z.api.getErrorCode(z.ctx); code != 0 {
		return fmt.Errorf("solver: Z3 failed: %s", z.api.getErrorMsg(z.ctx, code))
	}
	return nil
}

// edit ends the last check.
func (z *z3) edit() {
	if z.checked {
		z.mentions.pop()
		z.checked = false
	}
	if z.stopped {
		z.renew()
	}
}

func (z *z3) Push() {
	z.edit()
	z.mentions.push()
	z.asserted = append(z.asserted, nil)
	z.named = append(z.named, map[Bool]uintptr{})
	z.api.solverPush(z.ctx, z.solver)
}

func (z *z3) Pop(n int) {
	z.edit()
	for range n {
		z.mentions.pop()
	}
	z.asserted = z.asserted[:len(z.asserted)-n]
	z.named = z.named[:len(z.named)-n]
	z.api.solverPop(z.ctx, z.solver, uint32(n))
}

func (z *z3) Assert(bs ...Bool) {
	z.edit()
	last := len(z.asserted) - 1
	z.asserted[last] = append(z.asserted[last], bs...)
	for _, b := range bs {
		z.mentions.add(b)
		z.api.solverAssert(z.ctx, z.solver, z.term(b))
	}
}

func (z *z3) Check(ctx context.Context, budget *Budget, assumptions ...Bool) (Answer, error) {
	z.edit()
	z.mentions.push()
	z.checked = true
	z.model, z.core, z.why = nil, nil, ""
	names := make([]uintptr, len(assumptions))
	for i, a := range assumptions {
		z.mentions.add(a)
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
		case 1:
			model, outside := z.newModel()
			if outside {
				continue
			}
			z.model = model
			return Sat, z.failure()
		case -1:
			z.core = z.newCore(assumptions, names)
			return Unsat, z.failure()
		default:
			z.stopped = true
			return Unknown, z.unknown(ctx, budget)
		}
	}
}

// unknown finds out why there was no answer.
func (z *z3) unknown(ctx context.Context, budget *Budget) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("solver: stopped: %w", err)
	}
	reason := z.api.solverGetReasonUnknown(z.ctx, z.solver)
	switch {
	case z.why != "":
	case budget.Over():
		z.why = "steps"
	default:
		return fmt.Errorf("solver: Z3 gave up: %s", reason)
	}
	return nil
}

// ask lets Z3 search, and stops it at the limits.
func (z *z3) ask(ctx context.Context, budget *Budget, assumptions []uintptr) int32 {
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
	var first *uintptr
	if len(assumptions) > 0 {
		first = &assumptions[0]
	}
	return z.api.solverCheckAssumptions(z.ctx, z.solver, uint32(len(assumptions)), first)
}

// perResource is how many steps one of the resources takes that Z3 counts.
const perResource = 100

// limit sets the limit of the next search: of what Z3 counts, and not of how
// long it takes.
func (z *z3) limit(budget *Budget) {
	resources := int64(0) // no limit
	if budget != nil {
		resources = (budget.Steps + perResource - 1) / perResource
	}
	params := z.api.mkParams(z.ctx)
	z.api.paramsIncRef(z.ctx, params)
	z.api.paramsSetUint(z.ctx, params, z.api.mkStringSymbol(z.ctx, "rlimit"), uint32(min(resources, math.MaxUint32)))
	z.api.solverSetParams(z.ctx, z.solver, params)
	z.api.paramsDecRef(z.ctx, params)
}

// spend takes what Z3 has done since the last check off the budget.
func (z *z3) spend(budget *Budget) {
	stats := z.api.solverGetStatistics(z.ctx, z.solver)
	z.api.statsIncRef(z.ctx, stats)
	defer z.api.statsDecRef(z.ctx, stats)
	for i := range z.api.statsSize(z.ctx, stats) {
		if z.api.statsGetKey(z.ctx, stats, i) == "rlimit count" {
			count := z.api.statsGetUintValue(z.ctx, stats, i)
			budget.Spend(int64(count-z.taken) * perResource)
			z.taken = count
		}
	}
}

// watch interrupts the search when the context ends, or when Z3 holds too much
// in all of its engines, until done is closed. Only there a clock has a part in an
// answer: this version of Z3 has no limit for memory that does not end the program.
func (z *z3) watch(ctx context.Context, budget *Budget, done <-chan struct{}) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if budget != nil && budget.Memory > 0 && z.api.getEstimatedAllocSize() > uint64(budget.Memory) {
			z.why = "memory"
			z.api.interrupt(z.ctx)
		} else if ctx.Err() != nil {
			z.api.interrupt(z.ctx)
		}
	}
}

// name returns a literal that stands for an assumption.
func (z *z3) name(a Bool) uintptr {
	if z.f.nodes[a>>1].kind == variable {
		return z.term(a)
	}
	for _, level := range z.named {
		if n, ok := level[a]; ok {
			return n
		}
	}
	z.names++
	n := z.constant(fmt.Sprint("assumption ", z.names), z.boolSort)
	z.api.solverAssert(z.ctx, z.solver, z.api.mkImplies(z.ctx, n, z.term(a)))
	z.named[len(z.named)-1][a] = n
	return n
}

func (z *z3) newCore(assumptions []Bool, names []uintptr) (core []Bool) {
	vector := z.api.solverGetUnsatCore(z.ctx, z.solver)
	z.api.astVectorIncRef(z.ctx, vector)
	in := map[uintptr]bool{}
	for i := range z.api.astVectorSize(z.ctx, vector) {
		in[z.api.astVectorGet(z.ctx, vector, i)] = true
	}
	z.api.astVectorDecRef(z.ctx, vector)
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
func (z *z3) newModel() (m *model, outside bool) {
	values := z.api.solverGetModel(z.ctx, z.solver)
	z.api.modelIncRef(z.ctx, values)
	defer z.api.modelDecRef(z.ctx, values)
	m = newModel(z.f)
	for _, x := range z.ints {
		n, ok := z.evaluate(values, x)
		m.ints = append(m.ints, n)
		if !ok {
			z.confine(x)
			outside = true
		}
	}
	numbers := make([]int64, len(z.events))
	for e, x := range z.events {
		numbers[e], _ = z.evaluate(values, x)
		m.order = append(m.order, Event(e))
	}
	slices.SortStableFunc(m.order, func(a, b Event) int { return cmp.Compare(numbers[a], numbers[b]) })
	m.placed()
	for id, t := range z.nodes {
		if z.f.nodes[id].kind == variable && t != 0 {
			var value uintptr
			z.api.modelEval(z.ctx, values, t, true, &value)
			m.bools[int32(id)] = z.api.getBoolValue(z.ctx, value) > 0
		}
	}
	return m, outside
}

// evaluate returns the number of x, 0 if nothing depends on it. It is not ok if
// no int64 holds it.
func (z *z3) evaluate(model, x uintptr) (n int64, ok bool) {
	if x == 0 {
		return 0, true
	}
	var value uintptr
	z.api.modelEval(z.ctx, model, x, true, &value)
	ok = z.api.getNumeralInt64(z.ctx, value, &n)
	return n, ok
}

func (z *z3) confine(x uintptr) {
	z.api.solverAssert(z.ctx, z.solver, z.api.mkLe(z.ctx, z.number(math.MinInt64), x))
	z.api.solverAssert(z.ctx, z.solver, z.api.mkLe(z.ctx, x, z.number(math.MaxInt64)))
}

func (z *z3) Why() string          { return z.why }
func (z *z3) Core() []Bool         { return z.core }
func (z *z3) Value(b Bool) bool    { return z.model.value(b) }
func (z *z3) IntValue(x Int) int64 { return z.model.number(x) }
func (z *z3) Order() []Event       { return z.mentions.only(z.model.order) }
