package solver

// An encoding translates terms of a formula into clauses of a search. Each connective gets a
// variable and the clauses that define it, in the needed direction only (Plaisted and Greenbaum, A
// Structure-Preserving Clause Form Translation, JSC 1986). Definitions stay when the assumptions of
// a check go; the search then no longer decides their variables.
type encoding struct {
	f      *Formula
	search *search

	literals []lit      // of each node, or noLiteral
	defined  []polarity // of each node: the directions that have clauses; these stay

	asserted     []Bool // what must hold, without facts; conjunctions are taken apart
	firstAssumed int    // where the assumptions of a check begin in asserted

	// The state of looking for what does not hold yet (justify.go).
	nextToJustify int // of asserted: where to look next
	stamp         int32
	holdsStamp    []int32 // of each node: the stamp of its entry in holdsAt
	holdsAt       []bool  // of each node: it holds by the present state

	work int64 // nodes looked at
}

// A polarity is a set of directions: that a node is true, that it is false. An asserted term needs
// only the clauses by which it implies its meaning: for t = a and b, (not t or a) and (not t or b),
// and not (t or not a or not b).
type polarity uint8

// noLiteral is the literal of a term that the search does not know.
const noLiteral lit = -1

// newEncoding returns an encoding of f, with a search of its own, in which nothing is
// asserted.
func newEncoding(f *Formula) *encoding {
	e := &encoding{f: f, search: newSearch()}
	e.search.terms = e
	return e
}

// bytes estimates what the formula and its encoding hold, but for clauses.
func (e *encoding) bytes() int64 {
	const perNode, perArgument = 80, 4
	return int64(len(e.literals))*perNode + int64(len(e.f.args))*perArgument
}

// grow makes room for new terms of the formula.
func (e *encoding) grow() {
	const perNode = 16
	e.work += perNode * int64(len(e.f.nodes)-len(e.literals))
	for len(e.literals) < len(e.f.nodes) {
		e.literals = append(e.literals, noLiteral)
		e.defined = append(e.defined, 0)
		e.holdsStamp = append(e.holdsStamp, 0)
		e.holdsAt = append(e.holdsAt, false)
	}
	e.search.order.grow(len(e.f.events))
	e.literals[0] = truth
}

// polarityOf returns what must be defined for b to imply the term.
func polarityOf(b Bool) polarity { return 1 << (b & 1) }

// assert adds clauses that say that b holds.
func (e *encoding) assert(b Bool) {
	id := int32(b >> 1)
	n := e.f.nodes[id]
	switch {
	case n.kind == and && b&1 == 0:
		for _, c := range e.f.args[n.a:n.b] {
			e.assert(c)
		}
	case n.kind == and:
		e.remember(b)
		var clause []lit
		for _, c := range e.f.args[n.a:n.b] {
			clause = append(clause, e.literal(c^1))
		}
		e.search.addClause(clause...)
	case n.kind == before: // most of the program order: edges that stay, and no variable
		first, second := n.a, n.b
		if b&1 == 1 {
			first, second = second, first
		}
		e.search.order.fact(first, second)
	default:
		e.remember(b)
		e.search.addClause(e.literal(b))
	}
}

// assume returns the literal of b, which is to hold for one check.
func (e *encoding) assume(b Bool) lit {
	e.remember(b)
	return e.literal(b)
}

// remember notes that b must hold.
func (e *encoding) remember(b Bool) { e.asserted = append(e.asserted, b) }

// literal returns the literal of b, defined so that it implies b.
func (e *encoding) literal(b Bool) lit {
	e.work++
	id := int32(b >> 1)
	sign := lit(b & 1)
	n := e.f.nodes[id]
	if e.literals[id] == noLiteral {
		e.literals[id] = e.newLiteral(id, n)
	}
	l := e.literals[id]
	if e.defined[id]&polarityOf(b) != 0 {
		return l ^ sign
	}
	e.defined[id] |= polarityOf(b)
	switch n.kind {
	case and:
		e.defineAnd(l, n, b&1 == 0)
	case iff:
		e.defineIff(l, n, b&1 == 0)
	case equal:
		e.defineEqual(l, n, b&1 == 0)
	}
	return l ^ sign
}

// newLiteral makes the variable of a node. An atom's has a meaning for its theory.
func (e *encoding) newLiteral(id int32, n node) lit {
	switch n.kind {
	case before:
		l := lit(e.search.newVariable(meaning{orderAtom, n.a, n.b}) << 1)
		e.search.order.newAtom(n.a, n.b, l)
		return l
	case atMost:
		return e.bound(n.a, n.k)
	case variable:
		return lit(e.search.newVariable(meaning{}) << 1)
	default:
		return lit(e.search.newVariable(meaning{theory: definition, a: id}) << 1)
	}
}

// bound returns the literal that says that a sum is at most k.
func (e *encoding) bound(sum int32, k int64) lit {
	p := e.search.linear
	return p.atom(e.search, p.column(e.f, sum), k)
}

// boundsOfEquation returns the two bounds that make up an equation: the sum is at most k,
// and at least.
func (e *encoding) boundsOfEquation(n node) (most, least lit) {
	return e.bound(n.a, n.k), e.bound(n.a, n.k-1).not()
}

// defineAnd defines l as the conjunction n: l implies each child, or all children imply l.
func (e *encoding) defineAnd(l lit, n node, positive bool) {
	children := e.f.args[n.a:n.b]
	if positive {
		for _, c := range children {
			e.search.addClause(l.not(), e.literal(c))
		}
		return
	}
	clause := []lit{l}
	for _, c := range children {
		clause = append(clause, e.literal(c^1))
	}
	e.search.addClause(clause...)
}

// defineIff defines l as the equivalence n, in one direction.
func (e *encoding) defineIff(l lit, n node, positive bool) {
	a, b := Bool(n.a), Bool(n.b)
	x, y := e.literal(a), e.literal(b)
	e.literal(a ^ 1)
	e.literal(b ^ 1)
	if positive {
		e.search.addClause(l.not(), x.not(), y)
		e.search.addClause(l.not(), x, y.not())
		return
	}
	e.search.addClause(l, x, y)
	e.search.addClause(l, x.not(), y.not())
}

// defineEqual defines l as the equation n, in one direction.
func (e *encoding) defineEqual(l lit, n node, positive bool) {
	most, least := e.boundsOfEquation(n)
	if positive {
		e.search.addClause(l.not(), most)
		e.search.addClause(l.not(), least)
		return
	}
	e.search.addClause(l, most.not(), least.not())
}
