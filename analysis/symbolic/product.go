package symbolic

import (
	"errors"
	"fmt"
	"math"

	"github.com/gopredict/gopredict/analysis/solver"
)

// This file multiplies numbers that both follow from reads, which linear arithmetic cannot, by case
// splits. A product is at first any number. Where a model has a wrong one, the cases of the model
// are asserted: if one factor has its value there, the product is that many times the other. Reads
// find only so many values, so this ends. A model with right products is a run; a contradiction
// with some cases missing is a proof.
//
// An example: x*y is asserted to be less than 10, and writes leave 2 or 6 in x and 3 or 4 in y. The
// first model may have x = 6, y = 4 and x*y = 10. Then the cases are added that x*y = 6*y where x = 6,
// and x*y = 4*x where y = 4; the next model has x*y = 24.

// A product is a variable that stands for the product of two others.
//
// The value is linear where one factor is fixed, and a case fixes it: p = v·other, if the factor is
// v. A case holds in each run, so it is asserted for good, and not for one model only.
type product struct {
	value   solver.Int
	factors [2]solver.Int
	cases   [2]map[int64]bool // by factor: the values that have a case
	// defined says that everything that the factors follow from has happened and is known; else the
	// number means nothing.
	defined solver.Bool
}

// A productEncoder has the products of which neither factor is a constant.
type productEncoder struct {
	*timeline
	all   []*product
	cases int // of all products
}

// product returns a times b. It means something where defined holds.
func (e *productEncoder) product(a, b solver.Int, counts solver.Bool) solver.Int {
	f := e.f
	if k, ok := f.Constant(a); ok {
		return f.Mul(k, b)
	}
	if k, ok := f.Constant(b); ok {
		return f.Mul(k, a)
	}
	name := fmt.Sprint("product ", len(e.all))
	p := &product{value: f.Int(name), defined: counts}
	for k, factor := range []solver.Int{a, b} {
		// A variable, so that multiples of it stay in the range of coefficients.
		p.factors[k], p.cases[k] = f.Int(fmt.Sprint(name, " factor ", k)), make(map[int64]bool)
		e.assert(f.Eq(p.factors[k], factor))
	}
	e.all = append(e.all, p)
	return p.value
}

// multiply asserts the product's value where one of its factors has the given value, or both have.
func (e *productEncoder) multiply(p *product, values [2]int64) {
	f := e.f
	is := [2]solver.Bool{f.Eq(p.factors[0], f.Const(values[0])), f.Eq(p.factors[1], f.Const(values[1]))}
	wraps := false
	for k, v := range values {
		other, most := p.factors[1-k], inRange(v)
		if w := values[1-k]; w < -most || w > most {
			wraps = true
			continue
		}
		if p.cases[k][v] {
			continue
		}
		p.cases[k][v] = true
		e.cases++
		e.addWork(perChoice, 1)
		fits := f.And(f.Le(f.Const(-most), other), f.Le(other, f.Const(most)))
		e.assert(f.Implies(f.And(is[k], fits), f.Eq(p.value, f.Mul(v, other))))
	}
	if wraps { // it wraps around, as int64 does
		e.cases++
		e.addWork(perChoice, 1)
		e.assert(f.Implies(f.And(is[0], is[1]), f.Eq(p.value, f.Const(values[0]*values[1]))))
	}
	if e.cases > maxCases {
		e.err = errors.New("symbolic: it multiplies numbers of too many values")
	}
}

// inRange returns the largest magnitude of numbers whose product with v is an int64 that is not the
// least; -1 if there is none.
//
// Within that range multiplying over integers and over int64 agree. Beyond it Go wraps around, so
// multiply gives that pair of values a case of its own.
func inRange(v int64) int64 {
	switch v {
	case 0:
		return math.MaxInt64
	case math.MinInt64:
		return -1
	}
	return math.MaxInt64 / max(v, -v)
}
