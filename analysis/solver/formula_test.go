package solver

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTermsAreSimplified(t *testing.T) {
	f := NewFormula()
	p, q, r := f.Bool("p"), f.Bool("q"), f.Bool("r")
	a, b := f.Event("a"), f.Event("b")
	for _, c := range []struct {
		name       string
		want, made Bool
	}{
		{"a name is a variable", p, f.Bool("p")},
		{"double negation", p, f.Not(f.Not(p))},
		{"nothing is before itself", f.False(), f.Before(a, a)},
		{"the order is total", f.Before(b, a), f.Not(f.Before(a, b))},
		{"an event has one name", f.Before(a, b), f.Before(f.Event("a"), f.Event("b"))},
		{"empty and", f.True(), f.And()},
		{"empty or", f.False(), f.Or()},
		{"and of true", p, f.And(p, f.True(), p)},
		{"and of false", f.False(), f.And(p, f.False(), q)},
		{"contradiction", f.False(), f.And(q, p, f.Not(q))},
		{"excluded middle", f.True(), f.Or(q, p, f.Not(q))},
		{"order of children", f.And(p, q, r), f.And(r, q, p)},
		{"nested and", f.And(p, q, r), f.And(p, f.And(q, r))},
		{"nested or", f.Or(p, q, r), f.Or(f.Or(p, q), r)},
		{"De Morgan", f.Not(f.Or(p, q)), f.And(f.Not(p), f.Not(q))},
		{"implication", f.Implies(p, q), f.Or(f.Not(p), q)},
		{"implied by false", f.True(), f.Implies(f.False(), q)},
		{"iff itself", f.True(), f.Iff(p, p)},
		{"iff its negation", f.False(), f.Iff(p, f.Not(p))},
		{"iff true", q, f.Iff(q, f.True())},
		{"iff false", f.Not(q), f.Iff(f.False(), q)},
		{"iff negated", f.Not(f.Iff(p, q)), f.Iff(f.Not(p), q)},
		{"iff of both negated", f.Iff(p, q), f.Iff(f.Not(q), f.Not(p))},
	} {
		require.Equal(t, c.want, c.made, c.name)
	}
	require.NoError(t, f.Err())
}

func TestComparisonsAreSimplified(t *testing.T) {
	f := NewFormula()
	x, y, n := f.Int("x"), f.Int("y"), f.Const
	least, most := n(math.MinInt64), n(math.MaxInt64)
	twice := func(a Int) Int { return f.Mul(2, a) }
	for _, c := range []struct {
		name       string
		want, made Bool
	}{
		{"numbers", f.True(), f.Le(n(2), n(2))},
		{"less", f.False(), f.Lt(n(2), n(2))},
		{"difference of equals", f.True(), f.Eq(f.Add(x, y), f.Add(y, x))},
		{"nothing left", f.False(), f.Le(f.Add(x, n(1)), x)},
		{"sides", f.Le(x, n(3)), f.Le(f.Add(x, n(-3)), n(0))},
		{"rounded down", f.Le(x, n(3)), f.Le(twice(x), n(7))},
		{"rounded down below zero", f.Le(x, n(-4)), f.Le(twice(x), n(-7))},
		{"rounded up", f.Le(n(4), x), f.Le(n(7), twice(x))},
		{"not at most", f.Lt(n(3), x), f.Not(f.Le(x, n(3)))},
		{"less is at most one less", f.Le(x, n(3)), f.Lt(x, n(4))},
		{"one sum", f.Le(f.Add(x, y), n(3)), f.Not(f.Le(n(4), f.Add(y, x)))},
		{"no whole solution", f.False(), f.Eq(twice(f.Add(x, y)), n(3))},
		{"common divisor", f.Eq(f.Add(x, y), n(2)), f.Eq(f.Mul(-2, f.Add(x, y)), n(-4))},
		{"times zero", f.True(), f.Eq(f.Mul(0, x), n(0))},
		{"all are at most the largest", f.True(), f.Le(x, most)},
		{"all are at least the least", f.True(), f.Le(least, x)},
		{"none is above the largest", f.False(), f.Lt(most, x)},
		{"none is below the least", f.False(), f.Lt(x, least)},
		{"at most the least", f.Eq(x, least), f.Le(x, least)},
		{"at least the largest", f.Eq(x, most), f.Le(most, x)},
		{"beyond the range", f.False(), f.Eq(f.Add(x, n(1)), least)},
	} {
		require.Equal(t, c.want, c.made, c.name)
	}
	require.NoError(t, f.Err())
}

// A comparison of a variable with a number is the same handle as any other one that
// holds for the same values of the variable.
func TestComparisonsThatMeanTheSameAreTheSame(t *testing.T) {
	var numbers, values []int64 // of the variable, those that tell all numbers apart
	for d := int64(0); d < 15; d++ {
		if d < 10 {
			numbers = append(numbers, math.MinInt64+d, d, -d, math.MaxInt64-d)
		}
		for _, part := range []int64{1, 2, 3} {
			values = append(values, math.MinInt64/part+d, d, -d, math.MaxInt64/part-d)
			if part > 1 {
				values = append(values, math.MinInt64/part-d, math.MaxInt64/part+d)
			}
		}
	}
	f := NewFormula()
	x := f.Int("x")
	first := map[string]Bool{} // by the values for which it holds
	text := map[Bool]string{}
	for _, k := range numbers {
		for _, c := range []int64{-3, -2, -1, 1, 2, 3} {
			cx, number := f.Mul(c, x), f.Const(k)
			for _, made := range []struct {
				name string
				is   Bool
				sign func(int) bool
			}{
				{"%d*x <= %d", f.Le(cx, number), func(s int) bool { return s <= 0 }},
				{"%d*x < %d", f.Lt(cx, number), func(s int) bool { return s < 0 }},
				{"%d*x = %d", f.Eq(cx, number), func(s int) bool { return s == 0 }},
				{"not %d*x = %d", f.Not(f.Eq(number, cx)), func(s int) bool { return s != 0 }},
			} {
				holds := make([]byte, len(values))
				for i, v := range values {
					product := new(big.Int).Mul(big.NewInt(c), big.NewInt(v))
					if holds[i] = '0'; made.sign(product.Cmp(big.NewInt(k))) {
						holds[i] = '1'
					}
				}
				name := fmt.Sprintf(made.name, c, k)
				if was, ok := first[string(holds)]; ok {
					require.Equal(t, was, made.is, "%s and %s", text[was], name)
					continue
				}
				first[string(holds)], text[made.is] = made.is, name
			}
		}
	}
	require.NoError(t, f.Err())
}

func TestNumbersThatDoNotFitAreAnError(t *testing.T) {
	for name, build := range map[string]func(f *Formula, x, y Int) Bool{
		"product":  func(f *Formula, x, y Int) Bool { return f.Le(f.Mul(1<<40, f.Mul(1<<40, x)), y) },
		"sum":      func(f *Formula, x, y Int) Bool { return f.Le(f.Add(f.Const(math.MaxInt64), f.Const(1)), x) },
		"negative": func(f *Formula, x, y Int) Bool { return f.Le(f.Mul(math.MinInt64, x), f.Mul(math.MinInt64, y)) },
		"bound": func(f *Formula, x, y Int) Bool {
			return f.Le(f.Add(x, y, f.Const(math.MinInt64)), f.Const(math.MaxInt64))
		},
	} {
		f := NewFormula()
		build(f, f.Int("x"), f.Int("y"))
		require.ErrorContains(t, f.Err(), "leaves the range of int64", name)
		_, err := NewBuiltin(f).Check(context.Background(), nil)
		require.ErrorIs(t, err, f.Err(), name)
	}
}

// At the ends of the range nothing wraps around.
func TestEndsOfTheRange(t *testing.T) {
	f := NewFormula()
	x, y := f.Int("x"), f.Int("y")
	e := NewBuiltin(f)
	e.Assert(f.Lt(f.Const(math.MaxInt64-3), f.Add(x, f.Const(-1))))
	requireAnswer(t, Sat, e)
	require.GreaterOrEqual(t, e.IntValue(x), int64(math.MaxInt64-1))
	e.Assert(f.Lt(x, y))
	requireAnswer(t, Sat, e)
	require.Equal(t, int64(math.MaxInt64), e.IntValue(y))
	requireAnswer(t, Unsat, e, f.Lt(f.Const(math.MaxInt64-1), x))
	requireAnswer(t, Unsat, e, f.Lt(f.Add(y, f.Const(-3)), f.Mul(2, f.Const(1<<61))))
	requireAnswer(t, Unsat, e, f.Eq(f.Add(x, y, f.Int("z")), f.Const(0)))
	requireAnswer(t, Sat, e, f.Eq(f.Add(x, y, f.Int("z"), f.Int("w")), f.Const(0)))
	// The sum of two of the largest is no int64, and still a number.
	requireAnswer(t, Unsat, e, f.Lt(f.Add(x, y), f.Const(0)))
}

func FuzzRational(f *testing.F) {
	f.Add(int64(1), int64(2), int64(-3), int64(4))
	f.Add(int64(math.MinInt64), int64(1), int64(math.MaxInt64), int64(1))
	f.Add(int64(math.MinInt64), int64(math.MaxInt64), int64(-1), int64(3))
	f.Add(int64(1<<31), int64(1<<31-1), int64(-1<<31), int64(7))
	f.Fuzz(func(t *testing.T, an, ad, bn, bd int64) {
		if ad == 0 || bd == 0 {
			return
		}
		x, y := big.NewRat(an, ad), big.NewRat(bn, bd)
		a, b := narrow(new(big.Rat).Set(x)), narrow(new(big.Rat).Set(y))
		same := func(want *big.Rat, got rational) {
			t.Helper()
			require.Zero(t, want.Cmp(got.big()), "%v, not %v", got.big(), want)
			require.Equal(t, want.IsInt() && want.Num().IsInt64(), got.fraction == nil, "an int64 needs no fraction")
		}
		same(new(big.Rat).Add(x, y), a.plus(b))
		same(new(big.Rat).Sub(x, y), a.minus(b))
		same(new(big.Rat).Mul(x, y), a.times(b))
		same(new(big.Rat).Neg(x), a.neg())
		if an != 0 {
			same(new(big.Rat).Inv(x), a.inverse())
		}
		require.Equal(t, x.Cmp(y), a.compare(b))
		require.Equal(t, x.Sign(), a.sign())
		require.Equal(t, x.IsInt(), a.isWhole())
		floor := a.floor()
		require.True(t, floor.isWhole() && floor.compare(a) <= 0 && floor.plus(one).compare(a) > 0)
	})
}

// Any small formula is decided as counting off its models decides it.
func FuzzBuiltin(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(1), uint8(1))
	f.Add(uint64(2), uint8(4), uint8(2), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, events, bools, ints uint8) {
		s := newSpace(seed, 2+int(events%3), int(bools%3), int(ints%3))
		agree(t, s, NewBuiltin(s.f), 10)
	})
}

func TestWrittenText(t *testing.T) {
	f := NewFormula()
	a, b, c := f.Event("a"), f.Event("b"), f.Event("c")
	x := f.Int("x")
	either := f.Or(f.Before(a, b), f.Bool("p"))
	var text strings.Builder
	err := WriteSMT2(&text, f,
		[]Bool{f.Before(c, b), f.Iff(either, f.Lt(f.Mul(-2, x), f.Int("y"))), f.Implies(f.Eq(x, f.Const(-1)), f.Not(either))},
		[]Bool{f.Not(f.Bool("p"))})
	require.NoError(t, err)
	require.Equal(t, `; one event is before another if its number is smaller, or if the numbers are
; the same and it is declared first
(set-logic QF_LIA)
(declare-const |bool p| Bool)
(declare-const |event a| Int)
(declare-const |event b| Int)
(declare-const |event c| Int)
(declare-const |int x| Int)
(assert (<= (- 9223372036854775808) |int x| 9223372036854775807))
(declare-const |int y| Int)
(assert (<= (- 9223372036854775808) |int y| 9223372036854775807))
(define-fun t3 () Bool (and (not (<= |event a| |event b|)) (not |bool p|)))
(assert (not (<= |event b| |event c|)))
(assert (= t3 (<= (+ (* 2 |int x|) |int y|) 0)))
(assert (not (and (not t3) (= |int x| (- 1)))))
(assert (! (not |bool p|) :named a1))
(check-sat)
`, text.String())
}

func TestEventsOfNumbers(t *testing.T) {
	f := NewFormula()
	moment := f.Event("moment")
	first := f.Events([]int32{7, 0})
	if first == moment || f.EventName(first) != "e7" || f.EventName(first+1) != "e0" || f.EventName(moment) != "moment" {
		t.Errorf("events %q, %q and %q", f.EventName(moment), f.EventName(first), f.EventName(first+1))
	}
	if b := f.Before(first, first+1); b == f.True() || b == f.False() || f.Event("moment") != moment {
		t.Error("they are not events of their own")
	}
}
