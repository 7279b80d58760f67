package solver

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// builtin is the engine in pure Go: the interface of [Engine] around a search. What a check
// assumes is assumed by the search, so that what it learns holds without.
type builtin struct {
	encoding   *encoding
	search     *search
	f          *Formula
	stepsSpent int64 // steps that budgets were charged with
	checked    bool  // the assumptions of the last check are still there

	// What the last check has found.
	core  []Bool
	model *model
	why   string
}

// NewBuiltin returns the engine that needs nothing but Go: conflict-driven clause
// learning with the order of events as a theory.
func NewBuiltin(f *Formula) Engine {
	e := newEncoding(f)
	return &builtin{f: f, encoding: e, search: e.search}
}

func (b *builtin) Close() {}

// endLastCheck removes the assumptions of the last check, before assertions or assumptions change.
func (b *builtin) endLastCheck() {
	b.search.backtrack(0)
	if b.checked {
		b.encoding.asserted = b.encoding.asserted[:b.encoding.firstAssumed]
		b.checked = false
	}
	b.encoding.grow()
}

func (b *builtin) Assert(bs ...Bool) {
	b.endLastCheck()
	for _, t := range bs {
		b.encoding.assert(t)
	}
}

// Check searches under the assumptions. It checks a model before it returns Sat.
func (b *builtin) Check(ctx context.Context, budget *Budget, assumptions ...Bool) (Answer, error) {
	b.endLastCheck()
	b.model, b.core, b.why = nil, nil, ""
	if err := b.f.Err(); err != nil {
		return Unknown, err
	}
	b.encoding.firstAssumed = len(b.encoding.asserted)
	b.checked = true
	literals := make([]lit, 0, len(assumptions))
	for _, a := range assumptions {
		literals = append(literals, b.encoding.assume(a))
	}
	s := b.search
	s.limit = newLimit(ctx, budget, b.stepsSpent)
	answer := s.solve(literals)
	budget.Spend(s.steps() - b.stepsSpent)
	b.stepsSpent = s.steps()
	switch answer {
	case Sat:
		b.model = b.newModel()
		// A wrong model would become a schedule of something that the program cannot do. The judge
		// would refuse it, without anybody knowing why.
		if slices.ContainsFunc(b.encoding.asserted, func(t Bool) bool { return !b.model.value(t) }) {
			return Unknown, errors.New("solver: the built-in engine's model does not satisfy the assertions: this is a mistake in gopredict: please report it")
		}
	case Unsat:
		b.core = b.newCore(assumptions)
	default:
		b.why = s.limit.reached
		if err := ctx.Err(); err != nil && b.why == "context" {
			return Unknown, fmt.Errorf("solver: stopped: %w", err)
		}
	}
	return answer, nil
}

// newCore returns the assumptions that the search found to contradict each other, in order, each
// once.
func (b *builtin) newCore(assumptions []Bool) []Bool {
	to := map[lit]bool{}
	for _, l := range b.search.failedAssumptions {
		to[l] = true
	}
	var core []Bool
	for _, a := range assumptions {
		if l := b.encoding.literal(a); to[l] {
			core = append(core, a)
			to[l] = false
		}
	}
	return core
}

// newModel copies the state of the search before the next call changes it: the topological order,
// the columns' values, and the last values of booleans.
func (b *builtin) newModel() *model {
	order := make([]Event, len(b.search.order.eventAt))
	for i, e := range b.search.order.eventAt {
		order[i] = Event(e)
	}
	m := newModel(b.f, order)
	for id, l := range b.encoding.literals {
		if b.f.nodes[id].kind == variable && l != noLiteral {
			m.bools[int32(id)] = b.encoding.evaluate(int32(id))
		}
	}
	m.ints = make([]int64, len(b.f.ints))
	for v, c := range b.search.linear.ofInt {
		m.ints[v], _ = b.search.linear.columns[c].value.int64()
	}
	return m
}

func (b *builtin) Why() string          { return b.why }
func (b *builtin) Core() []Bool         { return b.core }
func (b *builtin) Value(t Bool) bool    { return b.model.value(t) }
func (b *builtin) IntValue(x Int) int64 { return b.model.number(x) }
func (b *builtin) Order() []Event       { return b.model.order }
