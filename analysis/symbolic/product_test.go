package symbolic_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/recorder/trace"
)

// newProduct is a run in which one thread writes xs to x, one ys to y, and one then
// reads both and asserts what the formula says of these readings, @1i8 and @2i8.
func newProduct(xs, ys []int64, formula string) *figure {
	f := newFigure(3)
	for _, v := range xs {
		f.write("", 1, x, fmt.Sprint(v), uint64(v))
	}
	for _, v := range ys {
		f.write("", 2, y, fmt.Sprint(v), uint64(v))
	}
	f.read("", 3, 1, x, uint64(xs[len(xs)-1]))
	f.read("", 3, 2, y, uint64(ys[len(ys)-1]))
	f.decide("assert", 3, trace.Assert, formula)
	return f
}

// What a product of two shared reads may be is decided; it wraps around as int64 does.
func TestProducts(t *testing.T) {
	const least, large = math.MinInt64, 1 << 62
	for _, c := range []struct {
		xs, ys  []int64
		formula string
	}{
		{[]int64{2, 3}, []int64{5, 7}, "(not (= (* @1i8 @2i8) 15))"},
		{[]int64{2, 3}, []int64{5, 7}, "(not (= (* @1i8 @2i8) 11))"},
		{[]int64{2, 3}, []int64{-5, 7}, "(<= 0 (* @1i8 @2i8))"},
		{[]int64{2, 3}, []int64{5, 7}, "(not (= (- (* @1i8 @2i8) (* 4 @1i8)) 2))"},
		{[]int64{2, 3}, []int64{5, 7}, "(not (= (* @1i8 @1i8) 4))"},
		{[]int64{2, 3}, []int64{5, 7}, "(not (= (* @1i8 @1i8) 6))"},
		{[]int64{2, 3}, []int64{5, 7}, "(not (= (* @1i8 (* @2i8 @2i8)) 50))"},
		{[]int64{2, 3}, []int64{5, 7}, "(not (= (* (+ @1i8 1) (- @2i8 @1i8)) 20))"},
		{[]int64{large, 3}, []int64{4, 7}, "(not (= (* @1i8 @2i8) 0))"},
		{[]int64{large, 3}, []int64{5, 7}, "(not (= (* @1i8 @2i8) 1))"},
		{[]int64{large, 3}, []int64{2, 7}, fmt.Sprintf("(not (= (* @1i8 @2i8) %d))", int64(least))},
		{[]int64{least, 3}, []int64{-1, 7}, fmt.Sprintf("(not (= (* @1i8 @2i8) %d))", int64(least))},
		{[]int64{least, 3}, []int64{-1, 7}, "(not (= (* @2i8 @1i8) -7))"},
	} {
		f := newProduct(c.xs, c.ys, c.formula)
		target := symbolic.Failure(f.at["assert"])
		want := solver.Unsat
		if feasible.Fails(f.Trace, f.at["assert"]) {
			want = solver.Sat
		}
		a := f.ask(t, f.concurrent, target)
		require.Equal(t, want, a.Answer, "%v %v %s: %s", c.xs, c.ys, c.formula, a.Why)
		if want == solver.Sat {
			require.NoError(t, feasible.Check(f.Trace, a.Steps, target.Pending))
		}
	}
}

// Of many values, too.
func TestProductOfManyValues(t *testing.T) {
	var xs, ys []int64
	for n := range int64(60) {
		xs = append(xs, n+1)
		if n%6 == 0 {
			ys = append(ys, 2*n+3)
		}
	}
	for k, want := range map[int64]solver.Answer{59 * 63: solver.Sat, 61 * 63: solver.Unsat, 60 * 3: solver.Sat, 2: solver.Unsat} {
		f := newProduct(xs, ys, fmt.Sprintf("(not (= (* @1i8 @2i8) %d))", k))
		target := symbolic.Failure(f.at["assert"])
		a := f.ask(t, f.concurrent, target)
		require.Equal(t, want, a.Answer, "%d: %s", k, a.Why)
		if want == solver.Sat {
			require.NoError(t, feasible.New(f.Trace).CheckFrom(a.Base, a.Steps, target.Pending))
		}
	}
}
