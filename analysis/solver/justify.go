package solver

// Not every variable needs a value. The current order of events, the current
// numbers and the last values of booleans are a model already if all assertions
// are true in it; and if one is not, there is a literal in it that the search has
// not decided yet and that could make it true.
//
// That is what makes long traces cheap: of the atoms of a formula most speak of pairs of
// events that the assertions at hand leave open, and the order that stands settles them.
// Circuit solvers justify gates in the same way (Barrett and Donham, Combining SAT Methods
// with Non-Clausal Decision Heuristics, ENTCS 2005).

// unjustified returns a literal to decide, or ok if all assertions and
// assumptions are true as things stand. It begins where it last found one that was
// not, and goes once around.
func (e *encoding) unjustified() (l lit, ok bool) {
	e.stamp++
	for range e.asserted {
		if e.nextToJustify >= len(e.asserted) {
			e.nextToJustify = 0
		}
		if l := e.literalToDecide(e.asserted[e.nextToJustify]); l != noLiteral {
			return l, false
		}
		e.nextToJustify++
	}
	return noLiteral, true
}

// holds says whether b is true as things stand.
func (e *encoding) holds(b Bool) bool {
	id := int32(b >> 1)
	if e.work++; e.holdsStamp[id] != e.stamp {
		e.holdsStamp[id] = e.stamp
		e.holdsAt[id] = e.evaluate(id)
	}
	return e.holdsAt[id] != (b&1 == 1)
}

// evaluate finds out what a node is as things stand: an atom by the theory's present state,
// whether the search has decided it or not.
func (e *encoding) evaluate(id int32) bool {
	n := e.f.nodes[id]
	s := e.search
	switch n.kind {
	case constant:
		return true
	case variable:
		l := e.literals[id]
		return s.value[l] > 0 || s.value[l] == 0 && s.phase[l.variable()] == l
	case before:
		return s.order.positionOf[n.a] < s.order.positionOf[n.b]
	case atMost:
		return e.compare(n) <= 0
	case equal:
		return e.compare(n) == 0
	case iff:
		return e.holds(Bool(n.a)) == e.holds(Bool(n.b))
	}
	for _, c := range e.f.args[n.a:n.b] {
		if !e.holds(c) {
			return false
		}
	}
	return true
}

// compare compares the current value of a sum with its bound.
func (e *encoding) compare(n node) int {
	p := e.search.linear
	return p.columns[p.column(e.f, n.a)].value.compare(integer(n.k))
}

// literalToDecide returns a literal that may make b true, or noLiteral if b is true. What
// has a value is not to be decided again: it agrees with the order and the
// numbers, so that the literal is one below it.
func (e *encoding) literalToDecide(b Bool) lit {
	if e.holds(b) {
		return noLiteral
	}
	n := e.f.nodes[b>>1]
	switch {
	case n.kind == and && b&1 == 0:
		for _, c := range e.f.args[n.a:n.b] {
			if l := e.literalToDecide(c); l != noLiteral {
				return l
			}
		}
	case n.kind == and:
		return e.literalOfChildren(e.f.args[n.a:n.b])
	case n.kind == iff:
		return e.literalOfEquivalence(Bool(n.a), Bool(n.b))
	case n.kind == equal && b&1 == 1:
		most, least := e.boundsOfEquation(n)
		if e.search.value[most] == 0 {
			return most.not()
		}
		return least.not()
	}
	return e.literals[b>>1] ^ lit(b&1)
}

// literalOfChildren returns a literal that may make one of the negated children true: below
// one that must be, or else the most active.
func (e *encoding) literalOfChildren(children []Bool) lit {
	best := noLiteral
	s := e.search
	for _, c := range children {
		l := e.literals[c>>1] ^ lit(c&1) ^ 1
		switch {
		case s.value[l] > 0:
			return e.literalToDecide(c ^ 1)
		case s.value[l] == 0 && (best == noLiteral || s.activity[l.variable()] > s.activity[best.variable()]):
			best = l
		}
	}
	return best
}

// literalOfEquivalence returns a literal that may make a and b equal.
func (e *encoding) literalOfEquivalence(a, b Bool) lit {
	s := e.search
	for _, c := range []Bool{a, b} {
		l := e.literals[c>>1]
		switch {
		case s.value[l] == 0 && e.holds(c):
			return l
		case s.value[l] == 0:
			return l.not()
		case (s.value[l] > 0) != e.holds(c):
			if s.value[l] > 0 {
				return e.literalToDecide(c)
			}
			return e.literalToDecide(c ^ 1)
		}
	}
	return noLiteral
}
