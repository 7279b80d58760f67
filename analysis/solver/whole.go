package solver

import "math"

// Simplex finds rational values, and all of ours are whole. This file is what it takes to
// get from the ones to the others: a test of divisors that sees some contradictions at
// once, as 3x - 3y = 1, branching on a value that is not whole, and boxes where branching
// does not end, since no bounds are there to stop it.

// makeWhole makes the values whole, once all atoms have a value. It returns done if they are. It is
// not ok, with a conflict, if they cannot be; else the search goes on.
func (p *linear) makeWhole(s *search) (done, ok bool) {
	for r := range p.rows {
		if !p.gcdTest(s, p.rows[r]) {
			return false, false
		}
	}
	for id := range p.columns {
		c := &p.columns[id]
		if c.source < 0 {
			continue
		}
		floor, fits := c.value.floor().int64()
		switch {
		case !fits:
			return false, p.confine(s, int32(id))
		case !c.value.isWhole():
			p.branch(s, int32(id), floor)
			return false, true
		}
	}
	return true, true
}

// branch makes the search decide whether the column is at most k, or more: the value between
// them goes either way (branch and bound). That it is decided by the search, and no
// recursion here, lets it learn from what a side comes to.
func (p *linear) branch(s *search, id int32, k int64) {
	p.branched++
	v := p.atom(s, id, k).variable()
	p.branches = append(p.branches, v)
	s.changeDemand(v, 1)
	s.push(v)
}

// confine keeps a variable in the range of int64, for ever.
func (p *linear) confine(s *search, id int32) bool {
	s.backtrack(0)
	return p.assertBound(s, id, true, literalBound{true, whole(math.MaxInt64), truth}) &&
		p.assertBound(s, id, false, literalBound{true, whole(math.MinInt64), truth})
}

// gcdTest tells whether the columns of a row that are not fixed can make up for
// those that are: whether the greatest common divisor of the former's
// coefficients divides the sum of the latter. If not, it leaves the conflict.
// Where rows have no bounds, branching would look for ever for what this sees at once.
func (p *linear) gcdTest(s *search, r row) bool {
	all := append([]term{{r.basic, one.neg()}}, r.terms...)
	p.work += perRational * int64(len(all))
	common := int64(1) // denominator
	for _, t := range all {
		if t.coef.wide != nil || !isSmall(t.coef.d) {
			return true
		}
		if common = common / gcd(common, t.coef.d) * t.coef.d; !isSmall(common) {
			return true
		}
	}
	var g int64
	total := whole(0)
	for _, t := range all {
		if p.fixed(t.column) {
			total = total.plus(t.coef.times(p.columns[t.column].value))
			continue
		}
		coef := t.coef.times(whole(common))
		if coef.wide != nil {
			return true
		}
		g = gcd(g, coef.n)
	}
	if g == 0 || total.times(whole(common)).times(whole(g).inverse()).isWhole() {
		return true
	}
	s.conflict = s.conflict[:0]
	for _, t := range all {
		if c := &p.columns[t.column]; p.fixed(t.column) {
			s.conflict = append(s.conflict, c.lower.why.not(), c.upper.why.not())
		}
	}
	return false
}

// fixed reports whether the bounds of a column leave it one value.
func (p *linear) fixed(id int32) bool {
	c := &p.columns[id]
	return c.lower.set && c.upper.set && c.lower.value.compare(c.upper.value) == 0
}

// dropBranches takes back the demand of branching.
func (s *search) dropBranches() {
	for _, v := range s.linear.branches {
		s.changeDemand(v, -1)
	}
	s.linear.branches = s.linear.branches[:0]
}

// A box is an assumption that all variables are near zero. Branching alone can
// go on for ever where a model is near; in a box it ends.
type box struct {
	literal lit // the assumption; truth if there is none
	size    int64
}

// widen returns a box that follows b, the larger the more there were: none at the
// end.
func (b box) widen(s *search) box {
	if b.literal != truth {
		s.addClause(b.literal.not())
	}
	s.linear.inBox = true
	switch {
	case b.literal == truth:
		b.size = 8
	case b.size > 1<<24:
		return box{truth, math.MaxInt64}
	default:
		b.size *= b.size
	}
	b.literal = lit(s.newVariable(meaning{}) << 1)
	for id := range s.linear.columns {
		if s.linear.columns[id].source >= 0 {
			s.addClause(b.literal.not(), s.linear.atom(s, int32(id), b.size))
			s.addClause(b.literal.not(), s.linear.atom(s, int32(id), -b.size-1).not())
		}
	}
	return b
}
