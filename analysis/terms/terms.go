// Package terms makes terms of package solver from the formulas that a trace has of
// what is stored, decided and asserted ([dataflow.Formula]), which are over what was read.
// An encoding of runs says what a read finds there; all else means the same in each of
// them, and is here: the expressions of the CSSA form of Wang et al., Symbolic Predictive
// Analysis, FAC 2011, §4.
//
// Of the formula of a store `sum = 2*a + b`,
//
//	(+ (* 2 @80000012i8) @80000013i8)
//
// the term is 2·x + y, where x and y are what the [Source] has for the readings of a and b.
package terms

import (
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A Source has the parts of one event's formula that only an encoding of runs knows.
type Source interface {
	// Before returns what the event finds in memory, an atomic read-modify-write.
	Before() solver.Int
	// Reading returns the k-th value that is read, from 0 on in the order in which
	// [dataflow.Formula.Eval] asks for them.
	Reading(k int, r dataflow.Reading) solver.Int
	// Either returns a number that is a if c holds, and else b.
	Either(c solver.Bool, a, b solver.Int) solver.Int
	// Product returns what f comes to, a product of two terms neither of which is a
	// number of the source code, as no linear term can. Its first reading is the k-th.
	// Nobody asks for it where the formula is [Linear].
	Product(f *dataflow.Formula, k int) solver.Int
}

// Linear reports whether f multiplies by numbers of the source code only.
func Linear(f *dataflow.Formula) bool {
	if f.Op == dataflow.Times && f.Args[0].Op != dataflow.Number && f.Args[1].Op != dataflow.Number {
		return false
	}
	for k := range f.Args {
		if !Linear(&f.Args[k]) {
			return false
		}
	}
	return true
}

// Number returns the term of f, of which the first reading is the k-th of its event.
func Number(to *solver.Formula, s Source, f *dataflow.Formula, k int) solver.Int {
	t := translation{to, s, k}
	return t.number(f)
}

// Truth returns the term of f, which is a condition: a number is one if it is not 0.
func Truth(to *solver.Formula, s Source, f *dataflow.Formula) solver.Bool {
	t := translation{to, s, 0}
	return t.truth(f)
}

// A translation is a walk through a formula.
type translation struct {
	to     *solver.Formula
	source Source
	next   int // which reading comes next
}

func (t *translation) number(f *dataflow.Formula) solver.Int {
	switch f.Op {
	case dataflow.Number:
		return t.to.Const(f.Constant)
	case dataflow.Before:
		return t.source.Before()
	case dataflow.Value:
		t.next++
		return t.source.Reading(t.next-1, f.Read)
	case dataflow.Plus:
		sum := t.number(&f.Args[0])
		for k := range f.Args[1:] {
			sum = t.to.Add(sum, t.number(&f.Args[k+1]))
		}
		return sum
	case dataflow.Minus:
		a := t.number(&f.Args[0])
		return t.to.Add(a, t.to.Mul(-1, t.number(&f.Args[1])))
	case dataflow.Times:
		for k, other := range []int{1, 0} {
			if f.Args[k].Op == dataflow.Number {
				return t.to.Mul(f.Args[k].Constant, t.number(&f.Args[other]))
			}
		}
		first := t.next
		t.next += f.Readings()
		return t.source.Product(f, first)
	case dataflow.If:
		c := t.truth(&f.Args[0])
		a := t.number(&f.Args[1])
		return t.source.Either(c, a, t.number(&f.Args[2]))
	}
	return t.source.Either(t.truth(f), t.to.Const(1), t.to.Const(0))
}

func (t *translation) truth(f *dataflow.Formula) solver.Bool {
	switch f.Op {
	case dataflow.Equal:
		a := t.number(&f.Args[0])
		return t.to.Eq(a, t.number(&f.Args[1]))
	case dataflow.Less:
		a := t.number(&f.Args[0])
		return t.to.Lt(a, t.number(&f.Args[1]))
	case dataflow.LessEqual:
		a := t.number(&f.Args[0])
		return t.to.Le(a, t.number(&f.Args[1]))
	case dataflow.Not:
		return t.to.Not(t.truth(&f.Args[0]))
	case dataflow.And, dataflow.Or:
		var all []solver.Bool
		for k := range f.Args {
			all = append(all, t.truth(&f.Args[k]))
		}
		if f.Op == dataflow.And {
			return t.to.And(all...)
		}
		return t.to.Or(all...)
	}
	return t.to.Not(t.to.Eq(t.number(f), t.to.Const(0)))
}
