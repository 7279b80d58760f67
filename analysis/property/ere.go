package property

import (
	"fmt"
	"slices"
)

// An expr is an extended regular expression. Equal expressions are the same pointer, so that
// they compare by number.
type expr struct {
	id   int
	op   exprOp
	arg  int // of an event
	of   []*expr
	null bool // the empty word is in its language
}

type exprOp byte

const (
	nothing exprOp = iota
	empty
	event
	concat
	star
	either
	both
	not
)

// exprs makes expressions. It simplifies them so far that an expression has finitely many
// derivatives (Brzozowski, 1964).
type exprs struct {
	byKey   map[string]*expr
	derived map[[2]int]*expr // by expression and event
	size    int              // of all: parts
}

// maxSize bounds the size of the expressions that are made for one monitor.
const maxSize = 200 * MaxStates

func (x *exprs) make(op exprOp, arg int, of ...*expr) *expr {
	key := []byte{byte(op)}
	key = fmt.Append(key, arg)
	for _, a := range of {
		key = fmt.Append(key, ",", a.id)
	}
	if a := x.byKey[string(key)]; a != nil {
		return a
	}
	a := &expr{id: len(x.byKey), op: op, arg: arg, of: of}
	switch has := func(a *expr) bool { return a.null }; op {
	case empty, star:
		a.null = true
	case concat, both:
		a.null = !slices.ContainsFunc(of, func(a *expr) bool { return !has(a) })
	case either:
		a.null = slices.ContainsFunc(of, has)
	case not:
		a.null = !of[0].null
	}
	x.byKey[string(key)] = a
	x.size += 1 + len(of)
	return a
}

func (x *exprs) nothing() *expr { return x.make(nothing, 0) }

func (x *exprs) all() *expr { return x.not(x.nothing()) }

func (x *exprs) not(a *expr) *expr {
	if a.op == not {
		return a.of[0]
	}
	return x.make(not, 0, a)
}

func (x *exprs) star(a *expr) *expr {
	switch a.op {
	case nothing, empty:
		return x.make(empty, 0)
	case star:
		return a
	}
	return x.make(star, 0, a)
}

func (x *exprs) concat(a, b *expr) *expr {
	switch {
	case a.op == nothing || b.op == empty:
		return a
	case b.op == nothing || a.op == empty:
		return b
	case a.op == concat: // leans to the right
		return x.concat(a.of[0], x.concat(a.of[1], b))
	}
	return x.make(concat, 0, a, b)
}

// join returns the union or the intersection of the parts.
func (x *exprs) join(op exprOp, parts ...*expr) *expr {
	zero, one := x.all(), x.nothing() // of either
	if op == both {
		zero, one = one, zero
	}
	var set []*expr
	for _, a := range parts {
		if a.op == op {
			set = append(set, a.of...)
		} else if a != one {
			set = append(set, a)
		}
	}
	slices.SortFunc(set, func(a, b *expr) int { return a.id - b.id })
	set = slices.Compact(set)
	switch {
	case slices.Contains(set, zero):
		return zero
	case len(set) == 0:
		return one
	case len(set) == 1:
		return set[0]
	}
	return x.make(op, 0, set...)
}

// derive returns the derivative of a: an expression of what follows e in words of a.
func (x *exprs) derive(a *expr, e int) *expr {
	if x.size > maxSize {
		return x.nothing() // given up: see next
	}
	key := [2]int{a.id, e}
	if d := x.derived[key]; d != nil {
		return d
	}
	d := x.nothing()
	switch a.op {
	case event:
		if a.arg == e {
			d = x.make(empty, 0)
		}
	case star:
		d = x.concat(x.derive(a.of[0], e), a)
	case not:
		d = x.not(x.derive(a.of[0], e))
	case concat:
		d = x.concat(x.derive(a.of[0], e), a.of[1])
		if a.of[0].null {
			d = x.join(either, d, x.derive(a.of[1], e))
		}
	case either, both:
		parts := make([]*expr, len(a.of))
		for k, part := range a.of {
			parts[k] = x.derive(part, e)
		}
		d = x.join(a.op, parts...)
	}
	x.derived[key] = d
	return d
}

// ere returns the monitor of the expression that p reads.
func (p *parser) ere() (*Monitor, error) {
	x := &exprs{byKey: make(map[string]*expr), derived: make(map[[2]int]*expr)}
	first, err := p.alternatives(x)
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, err
	}
	next := func(a *expr, e int) (*expr, error) {
		d := x.derive(a, e)
		if x.size > maxSize {
			return nil, tooLarge()
		}
		return d, nil
	}
	return build(p.events, first, func(a *expr) string { return fmt.Sprint(a.id) }, next, func(a *expr) bool { return a.null })
}

func (p *parser) alternatives(x *exprs) (*expr, error) {
	return nested(p, func() (*expr, error) {
		return p.list(x, "|", either, func() (*expr, error) {
			return p.list(x, "&", both, func() (*expr, error) { return p.sequence(x) })
		})
	})
}

// list reads parts with an operator between them.
func (p *parser) list(x *exprs, sep string, op exprOp, part func() (*expr, error)) (*expr, error) {
	a, err := part()
	if err != nil || p.peek().text != sep {
		return a, err
	}
	parts := []*expr{a}
	for p.accept(sep) {
		if a, err = part(); err != nil {
			return nil, err
		}
		parts = append(parts, a)
	}
	return x.join(op, parts...), nil
}

func (p *parser) sequence(x *exprs) (*expr, error) {
	var parts []*expr
	for t := p.peek(); len(parts) == 0 || t.name || t.text == "(" || t.text == "~"; t = p.peek() {
		a, err := p.factor(x)
		if err != nil {
			return nil, err
		}
		parts = append(parts, a)
	}
	a := x.make(empty, 0)
	for _, b := range slices.Backward(parts) {
		a = x.concat(b, a)
	}
	return a, nil
}

func (p *parser) factor(x *exprs) (*expr, error) {
	if p.accept("~") {
		a, err := nested(p, func() (*expr, error) { return p.factor(x) })
		if err != nil {
			return nil, err
		}
		return x.not(a), nil
	}
	a, err := p.atom(x)
	for err == nil {
		switch {
		case p.accept("*"):
			a = x.star(a)
		case p.accept("+"):
			a = x.concat(a, x.star(a))
		case p.accept("?"):
			a = x.join(either, a, x.make(empty, 0))
		default:
			return a, nil
		}
	}
	return nil, err
}

func (p *parser) atom(x *exprs) (*expr, error) {
	t := p.take()
	if t.text == "(" {
		a, err := p.alternatives(x)
		if err != nil {
			return nil, err
		}
		return a, p.expect(")")
	}
	switch {
	case t.text == "empty":
		return x.make(empty, 0), nil
	case t.text == "any":
		one := make([]*expr, len(p.events))
		for e := range p.events {
			one[e] = x.make(event, e)
		}
		return x.join(either, one...), nil
	case !t.name:
		return nil, errorf(t.offset, "expected %s, any, empty, ( or ~, found %v", p.known(), t)
	}
	e, err := p.event(t)
	if err != nil {
		return nil, err
	}
	return x.make(event, e), nil
}
