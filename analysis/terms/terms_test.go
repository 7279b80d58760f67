package terms_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/terms"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// recorded is a source in which all is a constant, so that each term is one.
type recorded struct {
	*solver.Formula
	before int64
	reads  []int64
}

func (s recorded) Before() solver.Int { return s.Const(s.before) }

func (s recorded) Reading(k int, _ dataflow.Reading) solver.Int { return s.Const(s.reads[k]) }

func (s recorded) Either(c solver.Bool, a, b solver.Int) solver.Int {
	if c == s.True() {
		return a
	}
	return b
}

func (s recorded) Product(f *dataflow.Formula, k int) solver.Int {
	a, _ := s.Constant(terms.Number(s.Formula, s, &f.Args[0], k))
	return s.Mul(a, terms.Number(s.Formula, s, &f.Args[1], k+f.Args[0].Readings()))
}

// Where all that is read is a number, the term is the number that the formula comes to.
func TestTermsAreWhatFormulasComeTo(t *testing.T) {
	for _, text := range []string{
		"12",
		"(+ @1i8 @2i8 3)",
		"(- @1i8 @2i8)",
		"(* 3 @1i8)",
		"(* @1i8 3)",
		"(+ (* (+ @1i8 1) (- @2i8 @3i8)) @4i8)",
		"(+ _ @1i8)",
		"(= @1i8 @2i8)",
		"(< @1i8 @2i8)",
		"(<= @1i8 @2i8)",
		"(if (< @1i8 @2i8) @3i8 @4i8)",
		"(and (< @1i8 @2i8) @3i8 (not @4i8))",
		"(or (= @1i8 @2i8) (< @3i8 @4i8))",
		"(+ (= @1i8 @2i8) (* 2 (not (< @3i8 @4i8))))",
	} {
		f, err := dataflow.ParseFormula(text)
		require.NoError(t, err)
		for n := range 81 {
			s := recorded{solver.NewFormula(), int64(n%5 - 2), []int64{int64(n%3 - 1), int64(n/3%3 - 1), int64(n/9%3 - 1), int64(n/27%3 - 1)}}
			want := f.Eval(s.before, func(k int, _ dataflow.Reading) int64 { return s.reads[k] })
			name := fmt.Sprintf("%s of %d and %d", text, s.before, s.reads)
			got, ok := s.Constant(terms.Number(s.Formula, s, &f, 0))
			assert.True(t, ok, name)
			assert.Equal(t, want, got, name)
			holds := s.False()
			if want != 0 {
				holds = s.True()
			}
			assert.Equal(t, holds, terms.Truth(s.Formula, s, &f), name)
			require.NoError(t, s.Err())
		}
	}
}

func TestLinear(t *testing.T) {
	for text, want := range map[string]bool{
		"(+ (* 3 @1i8) (* @1i8 4))":     true,
		"(* @1i8 @2i8)":                 false,
		"(if (< (* _ @1i8) 3) 1 @1i8)":  false,
		"(* 3 (+ @1i8 (* @1i8 @1i8)))":  false,
		"(* 3 (+ @1i8 (* -1 @80i8^1)))": true,
	} {
		f, err := dataflow.ParseFormula(text)
		require.NoError(t, err)
		assert.Equal(t, want, terms.Linear(&f), text)
	}
}
