package solver

import "math"

// Simplex finds rational values, and all values of the formulas are whole. This file gets from the
// ones to the others: by branching on a value that is not whole (branch and bound). All numbers of
// a run follow from constants, once it is decided which write each read finds. So branching ends.

// makeWhole makes the values whole, once all atoms have a value. It returns done if they are. It is
// not ok, with a conflict, if they cannot be; else the search goes on.
func (p *linear) makeWhole(s *search) (done, ok bool) {
	for id := range p.columns {
		c := &p.columns[id]
		if c.variable < 0 {
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

// branch makes the search decide whether the column is at most k, or more: the value between them
// goes either way. That the search decides it, and no recursion here, lets it learn from the side
// that fails.
func (p *linear) branch(s *search, id int32, k int64) {
	s.push(p.atom(s, id, k).variable())
}

// confine keeps a variable in the range of int64, for ever.
func (p *linear) confine(s *search, id int32) bool {
	s.backtrack(0)
	return p.assertBound(s, id, true, literalBound{true, integer(math.MaxInt64), truth}) &&
		p.assertBound(s, id, false, literalBound{true, integer(math.MinInt64), truth})
}
