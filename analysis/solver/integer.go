package solver

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// This file brings comparisons into a normal form, so that equal ones are one atom. All variables
// stand on the left, ascending. Their coefficients have no common divisor, and the first one is
// positive. A number stands on the right. It is rounded down, as values are whole: 2x <= 2y + 3
// becomes x - y <= 1. A comparison that holds always, or never, becomes a constant.

// A summand is coef times an integer variable.
type summand struct {
	coef int64 // not 0
	v    int32
}

// An expr is a sum of variables plus k. The sum is apart from k, as terms that differ by a
// number have bounds of one column.
type expr struct {
	sum int32 // in Formula.sums
	k   int64
}

// Int returns the integer variable of that name. Its values are those of int64.
// Sums and products are the mathematical ones: they never wrap around.
func (f *Formula) Int(name string) Int {
	x, ok := f.intNames[name]
	if !ok {
		v := int32(len(f.ints))
		f.ints = append(f.ints, f.name(name))
		x = f.expr(expr{sum: f.sum([]summand{{1, v}})})
		f.intNames[name] = x
	}
	return x
}

// Const returns the number k.
func (f *Formula) Const(k int64) Int { return f.expr(expr{k: k}) }

// Constant returns the number that x is in every model; ok is false if it has
// variables.
func (f *Formula) Constant(x Int) (k int64, ok bool) {
	e := f.exprs[x]
	return e.k, len(f.sums[e.sum]) == 0
}

// Add returns the sum of xs; of none, it is zero.
func (f *Formula) Add(xs ...Int) Int {
	var terms []summand
	var k int64
	for _, x := range xs {
		e := f.exprs[x]
		terms = append(terms, f.sums[e.sum]...)
		k = f.plus(k, e.k)
	}
	return f.expr(expr{f.sum(f.collect(terms)), k})
}

// Mul returns k times x.
func (f *Formula) Mul(k int64, x Int) Int {
	e := f.exprs[x]
	return f.expr(expr{f.sum(f.scaled(k, f.sums[e.sum])), f.times(k, e.k)})
}

// scaled returns k times the sum of terms.
func (f *Formula) scaled(k int64, terms []summand) []summand {
	if k == 0 {
		return nil
	}
	out := make([]summand, len(terms))
	for i, t := range terms {
		out[i] = summand{f.times(k, t.coef), t.v}
	}
	return out
}

// collect sorts terms by variable and adds up those of one variable.
func (f *Formula) collect(terms []summand) []summand {
	slices.SortFunc(terms, func(a, b summand) int { return int(a.v) - int(b.v) })
	out := terms[:0]
	for i := 0; i < len(terms); {
		t := terms[i]
		for i++; i < len(terms) && terms[i].v == t.v; i++ {
			t.coef = f.plus(t.coef, terms[i].coef)
		}
		if t.coef != 0 {
			out = append(out, t)
		}
	}
	return out
}

// Le says that a is at most b.
func (f *Formula) Le(a, b Int) Bool {
	terms, k := f.difference(a, b)
	if len(terms) == 0 {
		return f.constantIf(k.Sign() >= 0)
	}
	g := divisor(terms)
	k.Div(k, big.NewInt(g)) // rounded down
	if terms[0].coef > 0 {
		return f.upperBound(divided(terms, g), k)
	}
	// For -sum <= k the atom is sum <= -k-1, negated: sum >= -k.
	return f.Not(f.upperBound(divided(terms, -g), k.Not(k)))
}

// upperBound says that the sum of terms, whose coefficients have no common
// divisor and start with a positive one, is at most k.
func (f *Formula) upperBound(terms []summand, k *big.Int) Bool {
	alone := len(terms) == 1 // the sum is one variable, whose values are int64
	switch {
	case alone && (!k.IsInt64() || k.Int64() == math.MaxInt64):
		return f.constantIf(k.Sign() > 0)
	case !k.IsInt64():
		f.fail("solver: the bound %v of a linear term leaves the range of int64", k)
		return f.False()
	}
	return f.atom(node{kind: atMost, a: f.sum(terms), k: k.Int64()})
}

// Lt says that a is less than b.
func (f *Formula) Lt(a, b Int) Bool { return f.Not(f.Le(b, a)) }

// Eq says that a and b are the same number.
func (f *Formula) Eq(a, b Int) Bool {
	terms, k := f.difference(a, b)
	if len(terms) == 0 {
		return f.constantIf(k.Sign() == 0)
	}
	g := divisor(terms)
	if terms[0].coef < 0 {
		g = -g
	}
	_, rest := k.QuoRem(k, big.NewInt(g), new(big.Int))
	switch {
	case rest.Sign() != 0:
		return f.False()
	case !k.IsInt64() && len(terms) == 1:
		return f.False()
	case !k.IsInt64() || len(terms) > 1 && k.Int64() == math.MinInt64:
		f.fail("solver: the bound %v of a linear term leaves the range of int64", k)
		return f.False()
	}
	terms = divided(terms, g)
	if len(terms) == 1 { // at an end of its range a variable is equal if it is not within
		switch k.Int64() {
		case math.MinInt64:
			return f.upperBound(terms, k)
		case math.MaxInt64:
			return f.Not(f.upperBound(terms, k.Sub(k, big.NewInt(1))))
		}
	}
	return f.atom(node{kind: equal, a: f.sum(terms), k: k.Int64()})
}

// constantIf is the constant true or false.
func (f *Formula) constantIf(holds bool) Bool {
	if holds {
		return f.True()
	}
	return f.False()
}

// difference returns terms and k so that a <= b is terms <= k. The number may leave the range
// of int64, before it is divided.
func (f *Formula) difference(a, b Int) (terms []summand, k *big.Int) {
	ea, eb := f.exprs[a], f.exprs[b]
	terms = append(terms, f.sums[ea.sum]...)
	terms = append(terms, f.scaled(-1, f.sums[eb.sum])...)
	return f.collect(terms), new(big.Int).Sub(big.NewInt(eb.k), big.NewInt(ea.k))
}

// divided divides all coefficients by g, which divides each of them.
func divided(terms []summand, g int64) []summand {
	for i := range terms {
		terms[i].coef /= g
	}
	return terms
}

// divisor returns the greatest common divisor of the coefficients.
func divisor(terms []summand) (g int64) {
	for _, t := range terms {
		g = gcd(g, t.coef)
	}
	return g
}

// expr returns the handle of e, which it keeps.
func (f *Formula) expr(e expr) Int {
	id, ok := f.exprIDs[e]
	if !ok {
		id = Int(len(f.exprs))
		f.exprs = append(f.exprs, e)
		f.exprIDs[e] = id
	}
	return id
}

// sum returns the number of the sum of terms, which it keeps.
func (f *Formula) sum(terms []summand) int32 {
	key := make([]byte, 0, 12*len(terms))
	for _, t := range terms {
		key = binary.AppendVarint(key, t.coef)
		key = binary.AppendUvarint(key, uint64(t.v))
	}
	id, ok := f.sumKeys[string(key)]
	if !ok {
		id = int32(len(f.sums))
		f.sums = append(f.sums, slices.Clone(terms))
		f.sumKeys[string(key)] = id
	}
	return id
}

// plus and times fail the formula where the result leaves the range: rounded or wrapped
// numbers would make a wrong answer, and there is no right one to give.
func (f *Formula) plus(a, b int64) int64 {
	c := a + b
	if b != 0 && (c > a) != (b > 0) {
		f.fail("solver: %d + %d in a linear term leaves the range of int64", a, b)
	}
	return c
}

func (f *Formula) times(a, b int64) int64 {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		f.fail("solver: %d * %d in a linear term leaves the range of int64", a, b)
	}
	return a * b
}

// magnitude is |a|, also of the least number, whose negation is no int64.
func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
