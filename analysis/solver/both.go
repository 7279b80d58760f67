package solver

import (
	"context"
	"fmt"
	"slices"
)

// both asks two engines and compares their answers (differential testing). They share the terms and
// nothing else, so a mistake in one of them shows.
type comparingEngine struct {
	f             *Formula
	first, second Engine
	asserted      []Bool // models are checked against all of it

	// What the last check has found.
	answering Engine // whose model is the answer
	core      []Bool
	why       string
}

// NewBoth returns an engine that asks the built-in one and Z3. It checks each
// model by evaluating all assertions and assumptions in it, and each core by
// asking the other engine. A check fails with an error if the two disagree; if
// one of them is undecided, the other's answer counts.
func NewBoth(f *Formula) (Engine, error) {
	z, err := NewZ3(f)
	if err != nil {
		return nil, err
	}
	return newComparingEngine(f, NewBuiltin(f), z), nil
}

func newComparingEngine(f *Formula, first, second Engine) *comparingEngine {
	return &comparingEngine{f: f, first: first, second: second}
}

func (b *comparingEngine) Close() {
	b.first.Close()
	b.second.Close()
}

func (b *comparingEngine) Assert(bs ...Bool) {
	b.asserted = append(b.asserted, bs...)
	b.first.Assert(bs...)
	b.second.Assert(bs...)
}

// Check asks one engine after the other with the same budget; only the first one's steps count. It
// must not change what is decided.
func (b *comparingEngine) Check(ctx context.Context, budget *Budget, assumptions ...Bool) (Answer, error) {
	b.answering, b.core, b.why = nil, nil, ""
	start := budget.copy()
	one, err := b.first.Check(ctx, budget, assumptions...)
	if err != nil {
		return Unknown, err
	}
	two, err := b.second.Check(ctx, start.copy(), assumptions...)
	if err != nil {
		return Unknown, err
	}
	if one != two && one != Unknown && two != Unknown {
		return Unknown, fmt.Errorf("solver: the engines differ: the built-in one says %v, Z3 says %v, of %s", one, two, b.question(assumptions))
	}
	if one == Unknown && two == Unknown {
		b.why = b.first.Why()
		return Unknown, nil
	}
	b.answering = b.first
	if one == Unknown {
		b.answering = b.second
	}
	if max(one, two) == Sat {
		return Sat, b.checkModels(one, two, assumptions)
	}
	b.core = b.answering.Core()
	return Unsat, b.checkCores(ctx, start, one, two, assumptions)
}

// question describes what was asked.
func (b *comparingEngine) question(assumptions []Bool) string {
	return fmt.Sprintf("%d assertions and %d assumptions: this is a mistake in gopredict: please report it with the queries, written with -predict.smt2=DIR",
		len(b.asserted), len(assumptions))
}

// checkModels checks that each model satisfies everything.
func (b *comparingEngine) checkModels(one, two Answer, assumptions []Bool) error {
	for _, e := range []struct {
		name   string
		answer Answer
		Engine
	}{{"built-in engine", one, b.first}, {"Z3 engine", two, b.second}} {
		if e.answer != Sat {
			continue
		}
		for _, t := range slices.Concat(b.asserted, assumptions) {
			if !e.Value(t) {
				return fmt.Errorf("solver: the model of the %s does not satisfy %s", e.name, b.question(assumptions))
			}
		}
	}
	return nil
}

// checkCores makes sure that each core is a contradiction for the other engine.
func (b *comparingEngine) checkCores(ctx context.Context, budget *Budget, one, two Answer, assumptions []Bool) error {
	cores := [][]Bool{b.first.Core(), b.second.Core()}
	others := []Engine{b.second, b.first}
	for i, answer := range []Answer{one, two} {
		if answer != Unsat {
			continue
		}
		again, err := others[i].Check(ctx, budget.copy(), cores[i]...)
		if err != nil {
			return err
		}
		if again == Sat {
			return fmt.Errorf("solver: engine %d of 2 gave a core of %d that can hold, of %s", i+1, len(cores[i]), b.question(assumptions))
		}
	}
	return nil
}

func (b *comparingEngine) Why() string          { return b.why }
func (b *comparingEngine) Core() []Bool         { return b.core }
func (b *comparingEngine) Order() []Event       { return b.answering.Order() }
func (b *comparingEngine) Value(t Bool) bool    { return b.answering.Value(t) }
func (b *comparingEngine) IntValue(x Int) int64 { return b.answering.IntValue(x) }
