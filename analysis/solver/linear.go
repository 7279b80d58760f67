package solver

import (
	"cmp"
	"slices"
)

// A linear is the theory of linear integer arithmetic: the general simplex
// method for bounds of variables and of sums (Dutertre and de Moura, A Fast
// Linear-Arithmetic Solver for DPLL(T), CAV 2006), and branching for values that
// are not whole.
//
// Each variable and each sum that is compared is a column; a sum is also a row,
// which defines it: its column is basic then. Pivoting exchanges a basic column and one
// that is not. Of x + y <= 3 and x >= 5, the columns x, y and s, and the row s = x + y,
//
//	s is 0 as x and y are; x >= 5 moves x, which is not basic, to 5, and s along;
//	s <= 3 is broken: y can go down, so that s = 3, y = s - x, and y is basic now.
//
// Two things hold between checks: columns that are not basic are within their bounds, and
// each basic one has the value that its row says. What check has to do is bring those that
// are basic within theirs.
type linear struct {
	columns []column
	rows    []row
	ofSum   map[int32]int32 // column of each sum of the formula
	ofInt   map[int32]int32 // column of each integer variable of the formula
	bounds  []bound         // the atoms; a meaning has the index of one

	// changes is the stack of bounds as they were, in the order of the trail: retract pops
	// what backtracking takes back.
	changes    []change
	mayViolate heap     // basic columns that may have left their bounds, lowest first
	mark       []uint32 // of each row: the stamp of the last walk over it
	stamp      uint32

	work int64 // terms of rows looked at
}

// A column is a variable or a sum, with its value and the bounds that hold now. Branching
// gives it more bounds; simplex moves its value.
type column struct {
	value        rational
	lower, upper literalBound
	row          int32   // that defines it, or -1
	uses         []int32 // rows whose terms have it, or had it: see eachUse
	bounds       []int32 // its atoms, by ascending k
	variable     int32   // integer variable of the formula, or -1
}

// A literalBound is a bound and the literal that set it.
type literalBound struct {
	set    bool
	value  rational
	reason lit
}

// A bound is an atom: the column is at most k. Its negation is that it is at least k+1, as all
// values become whole.
type bound struct {
	column  int32
	k       int64
	literal lit
}

// A row says that the sum of terms is the value of column basic. No column of its terms is
// basic itself.
type row struct {
	basic int32
	terms []term // ascending columns
}

// A term is coef times a column; of a row, coef is never 0.
type term struct {
	column int32
	coef   rational
}

// A change of a column's bound, to be undone when the literal why is.
type change struct {
	column   int32
	upper    bool
	previous literalBound
	reason   lit
}

func newLinear() *linear {
	return &linear{ofSum: map[int32]int32{}, ofInt: map[int32]int32{}}
}

// bytes estimates what the tableau holds: pivoting may fill its rows.
func (p *linear) bytes() int64 {
	const perColumn, perTerm, perBound = 240, 80, 64
	n := int64(len(p.columns))*perColumn + int64(len(p.bounds))*perBound
	for _, r := range p.rows {
		n += int64(len(r.terms)) * perTerm
	}
	return n
}

// newColumn adds a column at 0, without bounds and row; variable is the integer variable that it
// is, or -1 of a sum.
func (p *linear) newColumn(variable int32) int32 {
	p.columns = append(p.columns, column{value: integer(0), row: -1, variable: variable})
	p.mayViolate.grow()
	return int32(len(p.columns) - 1)
}

// column returns the column of a sum of f. It is called at level 0 only. A sum of one variable has
// no row: its bounds are those of the variable.
func (p *linear) column(f *Formula, sum int32) int32 {
	c, ok := p.ofSum[sum]
	if ok {
		return c
	}
	terms := f.sums[sum]
	if len(terms) == 1 { // its coefficient is one
		c = p.variable(terms[0].v)
	} else {
		c = p.define(terms)
	}
	p.ofSum[sum] = c
	return c
}

// variable returns the column of an integer variable of the formula, which has one from the
// first sum on that has the variable.
func (p *linear) variable(v int32) int32 {
	c, ok := p.ofInt[v]
	if !ok {
		c = p.newColumn(v)
		p.ofInt[v] = c
	}
	return c
}

// define adds a row for a sum, in terms of columns that are not basic: basic variables are replaced
// by their rows.
func (p *linear) define(sum []summand) int32 {
	var terms, own []term
	for _, t := range sum {
		c := p.variable(t.v)
		if r := p.columns[c].row; r >= 0 {
			terms = addScaled(terms, integer(t.coef), p.rows[r].terms)
		} else {
			own = append(own, term{c, integer(t.coef)})
		}
	}
	slices.SortFunc(own, func(a, b term) int { return cmp.Compare(a.column, b.column) })
	terms = addScaled(terms, one, own)
	c := p.newColumn(-1)
	id := int32(len(p.rows))
	p.rows = append(p.rows, row{c, terms})
	p.mark = append(p.mark, 0)
	p.columns[c].row = id
	value := integer(0)
	for _, t := range terms {
		value = value.plus(t.coef.times(p.columns[t.column].value))
		p.columns[t.column].uses = append(p.columns[t.column].uses, id)
	}
	p.columns[c].value = value
	return c
}

// addScaled returns a + k*b, both sorted by column.
func addScaled(a []term, k rational, b []term) []term {
	sum := make([]term, 0, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].column < b[j].column:
			sum = append(sum, a[i])
			i++
		case i == len(a) || b[j].column < a[i].column:
			sum = append(sum, term{b[j].column, k.times(b[j].coef)})
			j++
		default:
			if coef := a[i].coef.plus(k.times(b[j].coef)); coef.sign() != 0 {
				sum = append(sum, term{a[i].column, coef})
			}
			i++
			j++
		}
	}
	return sum
}

// atom returns the literal that says that column c is at most k.
func (p *linear) atom(s *search, c int32, k int64) lit {
	list := p.columns[c].bounds
	i, found := slices.BinarySearchFunc(list, k, func(b int32, k int64) int {
		return cmp.Compare(p.bounds[b].k, k)
	})
	if found {
		return p.bounds[list[i]].literal
	}
	id := int32(len(p.bounds))
	l := lit(s.newVariable(meaning{theory: boundAtom, a: id}) << 1)
	p.bounds = append(p.bounds, bound{c, k, l})
	p.columns[c].bounds = slices.Insert(list, i, id)
	// The bounds of one column imply each other; clauses with its neighbours are enough for all.
	if i > 0 {
		s.implies(p.bounds[list[i-1]].literal, l)
	}
	if list = p.columns[c].bounds; i+1 < len(list) {
		s.implies(l, p.bounds[list[i+1]].literal)
	}
	return l
}

// guess returns the literal of a bound that agrees with its column's value.
func (p *linear) guess(m meaning) lit {
	b := p.bounds[m.a]
	if p.columns[b.column].value.compare(integer(b.k)) <= 0 {
		return b.literal
	}
	return b.literal.not()
}

// assert adds the bound that l says. It returns false, and the conflict, if it
// contradicts the opposite bound.
func (p *linear) assert(s *search, l lit, m meaning) bool {
	b := p.bounds[m.a]
	if l == b.literal {
		return p.assertBound(s, b.column, true, literalBound{true, integer(b.k), l})
	}
	return p.assertBound(s, b.column, false, literalBound{true, integer(b.k).plus(one), l})
}

// assertBound tightens the upper or lower bound of a column. A column that is not basic moves into
// its bounds at once; a basic one is left for check.
func (p *linear) assertBound(s *search, id int32, upper bool, to literalBound) bool {
	c := &p.columns[id]
	own, opposite, dir := &c.lower, &c.upper, 1
	if upper {
		own, opposite, dir = &c.upper, &c.lower, -1
	}
	if own.set && to.value.compare(own.value)*dir <= 0 {
		return true
	}
	if opposite.set && to.value.compare(opposite.value)*dir > 0 {
		s.conflict = append(s.conflict[:0], to.reason.not(), opposite.reason.not())
		return false
	}
	p.changes = append(p.changes, change{id, upper, *own, to.reason})
	*own = to
	if c.row >= 0 {
		p.mayViolate.push(id)
	} else if c.value.compare(to.value)*dir < 0 {
		p.update(id, to.value)
	}
	return true
}

// retract takes back the bound of l, if it is there: the newest. Values stay: those of
// columns that are not basic are within the wider bounds, too, so that going back costs
// nothing (Dutertre and de Moura, section 3.2).
func (p *linear) retract(l lit) {
	last := len(p.changes) - 1
	if last < 0 || p.changes[last].reason != l {
		return
	}
	ch := p.changes[last]
	if ch.upper {
		p.columns[ch.column].upper = ch.previous
	} else {
		p.columns[ch.column].lower = ch.previous
	}
	p.changes = p.changes[:last]
}

// update gives a column that is not basic another value, and updates the basic columns of its rows.
func (p *linear) update(id int32, to rational) {
	by := to.minus(p.columns[id].value)
	p.columns[id].value = to
	p.eachUse(id, func(r int32, coef rational) {
		basic := p.rows[r].basic
		p.columns[basic].value = p.columns[basic].value.plus(coef.times(by))
		p.mayViolate.push(basic)
	})
}

// eachUse visits the rows whose terms have the column.
//
// Lists of uses are not kept exact: a term that went away leaves its entry, which is
// dropped here when it is met.
func (p *linear) eachUse(id int32, visit func(r int32, coef rational)) {
	p.stamp++
	uses := p.columns[id].uses
	p.work += 4 * int64(len(uses))
	kept := uses[:0]
	for _, r := range uses {
		if p.mark[r] == p.stamp {
			continue
		}
		if coef, ok := p.rows[r].coef(id); ok {
			p.mark[r] = p.stamp
			kept = append(kept, r)
			visit(r, coef)
		}
	}
	p.columns[id].uses = kept
}

// coef returns the coefficient of a column in r; ok is false if it is not in its terms.
func (r row) coef(id int32) (rational, bool) {
	i, ok := slices.BinarySearchFunc(r.terms, id, func(t term, id int32) int {
		return int(t.column) - int(id)
	})
	if !ok {
		return rational{}, false
	}
	return r.terms[i].coef, true
}

// check makes all columns keep their bounds. It returns false, and the conflict,
// if that cannot be. After some pivots the choice is always the lowest column
// (Bland's rule), so that it ends.
func (p *linear) check(s *search) bool {
	const untilBland = 500
	for pivots := 0; len(p.mayViolate.items) > 0; {
		id := p.mayViolate.items[0]
		c := &p.columns[id]
		low := c.lower.set && c.value.compare(c.lower.value) < 0
		high := c.upper.set && c.value.compare(c.upper.value) > 0
		if c.row < 0 || !low && !high {
			p.mayViolate.pop()
			continue
		}
		if pivots++; (pivots%64 == 0 || s.steps() > s.limit.steps) && s.limit.check(s) {
			return true
		}
		enter, ok := p.entering(c.row, low, pivots > untilBland)
		if !ok {
			p.explain(s, id, low)
			return false
		}
		target := c.upper.value
		if low {
			target = c.lower.value
		}
		p.pivotAndUpdate(c.row, enter, target)
	}
	return true
}

// entering returns a column that can move so that the row's value grows, or shrinks: one that few
// rows use, or the lowest.
func (p *linear) entering(r int32, grow, lowest bool) (best int32, ok bool) {
	p.work += int64(len(p.rows[r].terms))
	for _, t := range p.rows[r].terms {
		if !p.canMove(t.column, (t.coef.sign() > 0) == grow) {
			continue
		}
		if lowest {
			return t.column, true
		}
		if !ok || len(p.columns[t.column].uses) < len(p.columns[best].uses) {
			best, ok = t.column, true
		}
	}
	return best, ok
}

// canMove reports whether the column can grow, or shrink, within its bounds.
func (p *linear) canMove(id int32, grow bool) bool {
	c := &p.columns[id]
	if grow {
		return !c.upper.set || c.value.compare(c.upper.value) < 0
	}
	return !c.lower.set || c.value.compare(c.lower.value) > 0
}

// explain makes the conflict: the bound that the row cannot reach, and those that
// keep it. Each column of the row is at the bound that it would have to pass: an
// inequality that nothing can satisfy follows from these bounds alone (Farkas), so that not
// all of them can hold.
func (p *linear) explain(s *search, id int32, low bool) {
	c := &p.columns[id]
	broken := c.upper.reason
	if low {
		broken = c.lower.reason
	}
	s.conflict = append(s.conflict[:0], broken.not())
	for _, t := range p.rows[c.row].terms {
		keeps := p.columns[t.column].lower.reason
		if (t.coef.sign() > 0) == low {
			keeps = p.columns[t.column].upper.reason
		}
		s.conflict = append(s.conflict, keeps.not())
	}
}

// pivotAndUpdate gives the column that row r defines the target value by moving column
// enter, and makes the row define that one. The values of all basic columns change, and no
// row says anything else than before: pivoting is solving an equation for another variable.
func (p *linear) pivotAndUpdate(r, enter int32, target rational) {
	leave := p.rows[r].basic
	a, _ := p.rows[r].coef(enter)
	by := target.minus(p.columns[leave].value).times(a.inverse())
	p.update(enter, p.columns[enter].value.plus(by))
	p.columns[leave].value = target

	// leave = Σ t + a*enter becomes enter = leave/a - Σ t/a.
	p.columns[leave].row, p.columns[enter].row = -1, r
	p.rows[r].basic = enter
	inverse := a.inverse()
	var terms []term
	for _, t := range p.rows[r].terms {
		if t.column != enter {
			terms = append(terms, term{t.column, t.coef.times(inverse).neg()})
		}
	}
	terms = addScaled(terms, inverse, []term{{leave, one}})
	p.rows[r].terms = terms
	p.eachUse(enter, func(other int32, coef rational) { p.replace(other, enter, coef, terms) })
	p.columns[enter].uses = p.columns[enter].uses[:0]
	p.columns[leave].uses = append(p.columns[leave].uses, r)
	p.mayViolate.push(enter)
}

// replace puts terms in the place of a column, which the row has coef times. Lists of uses get the
// new columns of the row; eachUse drops the others.
func (p *linear) replace(r, id int32, coef rational, terms []term) {
	old := p.rows[r].terms
	p.work += perRational * int64(len(old)+len(terms))
	i, _ := slices.BinarySearchFunc(old, id, func(t term, id int32) int {
		return int(t.column) - int(id)
	})
	sum := addScaled(slices.Delete(slices.Clone(old), i, i+1), coef, terms)
	for _, t := range sum {
		if _, had := p.rows[r].coef(t.column); !had {
			p.columns[t.column].uses = append(p.columns[t.column].uses, r)
		}
	}
	p.rows[r].terms = sum
}
