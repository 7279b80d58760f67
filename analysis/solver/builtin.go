package solver

import (
	"context"
	"errors"
	"fmt"
)

// builtin is the engine in pure Go: the interface of [Engine] around a search. What a check
// assumes is assumed by the search, so that what it learns holds without.
type builtin struct {
	encoding *encoding
	search   *search
	f        *Formula
	mentions *mentions
	taken    int64 // steps that budgets know of
	checked  bool  // the assumptions of the last check are still there

	// What the last check has found.
	core  []Bool
	model *model
	why   string
}

// NewBuiltin returns the engine that needs nothing but Go: conflict-driven clause
// learning with the order of events as a theory.
func NewBuiltin(f *Formula) Engine {
	e := newEncoding(f)
	return &builtin{f: f, encoding: e, search: e.search, mentions: newMentions(f)}
}

func (b *builtin) Close() {}

// edit ends the last check: its assumptions go. Whatever changes the assertions begins with
// it, and so does the next check.
func (b *builtin) edit() {
	b.search.backtrack(0)
	if b.checked {
		b.encoding.endCheck()
		b.mentions.pop()
		b.checked = false
	}
	b.search.unbranch()
	b.encoding.grow()
}

func (b *builtin) Assert(bs ...Bool) {
	b.edit()
	for _, t := range bs {
		b.mentions.add(t)
		b.encoding.assert(t)
	}
}

// Check searches under the assumptions. A model is checked before it is given out.
func (b *builtin) Check(ctx context.Context, budget *Budget, assumptions ...Bool) (Answer, error) {
	b.edit()
	b.model, b.core, b.why = nil, nil, ""
	if err := b.f.Err(); err != nil {
		return Unknown, err
	}
	b.encoding.beginCheck()
	b.mentions.push()
	b.checked = true
	literals := make([]lit, 0, len(assumptions))
	for _, a := range assumptions {
		b.mentions.add(a)
		literals = append(literals, b.encoding.assume(a))
	}
	s := b.search
	s.limit = newLimit(ctx, budget, b.taken)
	answer := s.solve(literals)
	budget.Spend(s.steps() - b.taken)
	b.taken = s.steps()
	switch answer {
	case Sat:
		// A wrong model would become a schedule of something that the program cannot do.
		// The judge would refuse it, and nobody would know why.
		if !b.encoding.satisfied() {
			return Unknown, errors.New("solver: the built-in engine's model does not satisfy the assertions: this is a mistake in gopredict: please report it")
		}
		b.model = b.newModel()
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

// newCore returns the assumptions that the search has found to contradict each other, in
// their order, each once.
func (b *builtin) newCore(assumptions []Bool) []Bool {
	to := map[lit]bool{}
	for _, l := range b.search.failed {
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

// newModel copies what the search stands at, before the next call changes it: the
// topological order, the columns' values, and what booleans are or were last.
func (b *builtin) newModel() *model {
	m := newModel(b.f)
	m.order = make([]Event, len(b.search.order.at))
	for i, e := range b.search.order.at {
		m.order[i] = Event(e)
	}
	m.placed()
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
func (b *builtin) Order() []Event       { return b.mentions.only(b.model.order) }
