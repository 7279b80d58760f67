package property

import "slices"

// A formula is a formula of linear temporal logic, without implication and with negation only
// before events and formulas of the past. Equal formulas are the same pointer.
type formula struct {
	id   int
	op   formulaOp
	arg  int // of an event
	a, b *formula
	// memory is the index of the formula's value at the previous event, which monitors
	// remember; -1 for none.
	memory int
	past   bool // it has an operator of the past
	future bool // it has an operator of the future
}

type formulaOp byte

const (
	never   formulaOp = iota // false
	happens                  // the event
	negated                  // of an event, or of a formula of the past
	conjunction
	disjunction

	next
	weakNext // the dual of next: true at the last event
	until
	release // the dual of until

	previously
	since
)

// formulas makes formulas.
type formulas struct {
	byKey  map[[4]int]*formula
	memory []*formula // the formulas with a memory, subformulas first
}

func (x *formulas) make(op formulaOp, arg int, a, b *formula) *formula {
	key := [4]int{int(op), arg, -1, -1}
	for k, part := range []*formula{a, b} {
		if part != nil {
			key[2+k] = part.id
		}
	}
	if f := x.byKey[key]; f != nil {
		return f
	}
	f := &formula{id: len(x.byKey), op: op, arg: arg, a: a, b: b, memory: -1}
	for _, part := range []*formula{a, b} {
		if part != nil {
			f.past, f.future = f.past || part.past, f.future || part.future
		}
	}
	switch {
	case op >= previously:
		f.past, f.memory = true, len(x.memory)
		x.memory = append(x.memory, f)
	case op >= next:
		f.future = true
	}
	x.byKey[key] = f
	return f
}

func (x *formulas) never() *formula { return x.make(never, 0, nil, nil) }

func (x *formulas) true() *formula { return x.make(negated, 0, x.never(), nil) }

// not returns the negation of f, pushed to events and formulas of the past.
func (x *formulas) not(f *formula) *formula {
	dual := map[formulaOp]formulaOp{
		conjunction: disjunction, disjunction: conjunction, next: weakNext, weakNext: next, until: release, release: until,
	}
	switch to, ok := dual[f.op]; {
	case f.op == negated:
		return f.a
	case !ok || !f.future:
		return x.make(negated, 0, f, nil)
	case f.b == nil:
		return x.make(to, 0, x.not(f.a), nil)
	default:
		return x.make(to, 0, x.not(f.a), x.not(f.b))
	}
}

// always and eventually are of the future, historically and once of the past.
func (x *formulas) always(f *formula) *formula { return x.make(release, 0, x.never(), f) }

func (x *formulas) eventually(f *formula) *formula { return x.make(until, 0, x.true(), f) }

func (x *formulas) once(f *formula) *formula { return x.make(since, 0, x.true(), f) }

// reserved are the words of the language.
var reserved = map[string]bool{
	"true": true, "false": true, "next": true, "eventually": true, "always": true, "until": true,
	"previously": true, "once": true, "historically": true, "since": true,
}

// implication reads a formula.
func (p *parser) implication(x *formulas) (*formula, error) {
	return nested(p, func() (*formula, error) {
		a, err := p.chain(x, "||", disjunction)
		if err != nil || !p.accept("->") {
			return a, err
		}
		b, err := p.implication(x)
		if err != nil {
			return nil, err
		}
		return x.make(disjunction, 0, x.not(a), b), nil
	})
}

// chain reads formulas with || or && between them.
func (p *parser) chain(x *formulas, sep string, op formulaOp) (*formula, error) {
	part := func() (*formula, error) { return p.binary(x) }
	if op == disjunction {
		part = func() (*formula, error) { return p.chain(x, "&&", conjunction) }
	}
	a, err := part()
	for err == nil && p.accept(sep) {
		var b *formula
		if b, err = part(); err == nil {
			a = x.make(op, 0, a, b)
		}
	}
	return a, err
}

// binary reads until and since.
func (p *parser) binary(x *formulas) (*formula, error) {
	return nested(p, func() (*formula, error) {
		a, err := p.unary(x)
		op := p.peek()
		if err != nil || op.text != "until" && op.text != "since" {
			return a, err
		}
		p.take()
		b, err := p.binary(x)
		if err != nil {
			return nil, err
		}
		if op.text == "until" {
			return x.make(until, 0, a, b), nil
		}
		return p.ofPast(x.make(since, 0, a, b), op)
	})
}

// ofPast returns an error if f, an operand of the past operator op, has an operator of the
// future.
func (p *parser) ofPast(f *formula, op token) (*formula, error) {
	if f.future {
		return nil, errorf(op.offset, "expected no operator of the future (next, eventually, always, until) under %v, found one", op)
	}
	return f, nil
}

func (p *parser) unary(x *formulas) (*formula, error) {
	op := p.take()
	switch op.text {
	case "(":
		f, err := p.implication(x)
		if err != nil {
			return nil, err
		}
		return f, p.expect(")")
	case "true":
		return x.true(), nil
	case "false":
		return x.never(), nil
	case "!", "next", "eventually", "always", "previously", "once", "historically":
		f, err := nested(p, func() (*formula, error) { return p.unary(x) })
		if err != nil {
			return nil, err
		}
		switch op.text {
		case "!":
			return x.not(f), nil
		case "next":
			return x.make(next, 0, f, nil), nil
		case "eventually":
			return x.eventually(f), nil
		case "always":
			return x.always(f), nil
		case "previously":
			return p.ofPast(x.make(previously, 0, f, nil), op)
		case "once":
			return p.ofPast(x.once(f), op)
		}
		if _, err := p.ofPast(f, op); err != nil {
			return nil, err
		}
		return x.not(x.once(x.not(f))), nil
	}
	if !op.name || slices.Contains([]string{"until", "since"}, op.text) {
		return nil, errorf(op.offset, "expected %s, an operator or (, found %v", p.known(), op)
	}
	e, err := p.event(op)
	if err != nil {
		return nil, err
	}
	return x.make(happens, e, nil, nil), nil
}
