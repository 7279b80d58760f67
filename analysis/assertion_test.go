package analysis_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An assertion of which nobody knows what it follows from is looked at where a run
// departs from the recorded one; one on the same line may be solved beside it.
func TestAssertionWithoutFormula(t *testing.T) {
	const locked = "1 acq l\n1 w x=5\n1 rel l\n0 acq l\n0 r x=5\n0 rel l\n"
	const departs = "1 acq m @201\n1 w y=1 @202\n1 rel m @203\n0 acq m @204\n0 r y=1 @205\n0 rel m @206\n0 w z=1 @207"
	for _, test := range []struct {
		name, text, formula string
		want                []string // status, whether runs depart, and whether all but these rules it out
	}{
		{"after a read", "0 fork 1\n1 begin\n" + locked + "0 branch @100", "", []string{"undecided true true"}},
		{"after reads of what is there", "0 w x=5\n0 r x=5\n0 fork 1\n1 begin\n0 branch @100", "", []string{"infeasible false false"}},
		{"after a write", "0 w x=5\n0 fork 1\n1 begin\n0 r x=5 @9\n0 branch @100\n" + departs, "(= @9i8 0)", []string{"undecided true true"}},
		{"after one of two writes", "0 fork 1\n1 begin\n1 acq l\n1 w x=6\n1 w x=5\n1 rel l\n0 acq l\n0 r x=5 @9\n0 rel l\n0 branch @100\n" + departs, "(= @9i8 7)", []string{"undecided true true"}},
		{"and with one", "0 w x=0\n0 fork 1\n1 begin\n0 branch @100\n" + locked + "0 branch @100", "(= @9i8 0)", []string{"predicted false false"}},
		{"in many rounds", "0 w x=5\n0 fork 1\n1 begin\n" + strings.Repeat("1 r x=5 @9\n1 branch @100\n", 70), "(= @9i8 0)", []string{"infeasible false false"}},
		{"in many rounds that others may turn", "0 w x=0\n0 fork 1\n0 fork 2\n1 begin\n2 begin\n2 acq l\n2 w x=5\n2 rel l\n" + strings.Repeat("1 acq l\n1 r x=5 @9\n1 rel l\n1 branch @100\n", 70), "(= @9i8 0)", []string{"predicted false false"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := asserting(t, test.text, test.formula)
			var got []string
			for _, f := range predict(t, tr).Findings {
				if f.Kind == "assertion" {
					got = append(got, fmt.Sprint(f.Status, " ", len(f.Departures) > 0, " ", f.Refuted))
				}
			}
			assert.Equal(t, test.want, got)

			all, err := analysis.Predict(t.Context(), tr, analysis.Options{})
			assert.NoError(t, err)
			some, err := analysis.Predict(t.Context(), tr, analysis.Options{OnlyScheduled: true})
			assert.NoError(t, err)
			assert.Equal(t, scheduled(all), scheduled(some), "where departures do not matter the same is predicted")
		})
	}
}

// scheduled returns what has schedules, with these.
func scheduled(r *analysis.Result) (all []string) {
	for _, f := range r.Findings {
		for _, recipe := range f.Schedules {
			all = append(all, fmt.Sprint(f.Name, f.Accesses, recipe.Schedule()))
		}
	}
	return all
}

// asserting parses a trace of which branches on line 100 fail if they are taken, and follow by the
// formula from reads on line 9.
func asserting(t *testing.T, text, formula string) *trace.Trace {
	tr := tracetest.Parse(t, text)
	for id, s := range tr.Sites {
		switch s.Line {
		case 100:
			s.FailsIf, s.Formula = trace.IfTrue, formula
		case 9:
			if formula != "" {
				s.Key, s.OnlyInFormulas = 9, true
			}
		}
		tr.Sites[id] = s
	}
	return tr
}

// What the must clock tells of an assertion needs no solver, of few rounds as of many.
func TestOrderedAssertionTakesNoSolving(t *testing.T) {
	for _, rounds := range []int{1, 70} {
		tr := asserting(t, "0 w x=5\n0 fork 1\n1 begin\n"+strings.Repeat("1 r x=5 @9\n1 branch @100\n", rounds), "(= @9i8 0)")
		r, err := analysis.Predict(t.Context(), tr, analysis.Options{Solving: analysis.Solving{Engine: func(*solver.Formula) (solver.Engine, error) {
			t.Error("the solver was asked")
			return nil, errors.New("asked")
		}}})
		assert.NoError(t, err)
		if assert.Len(t, r.Findings, 1) {
			assert.Equal(t, bug.Infeasible, r.Findings[0].Status)
			assert.Equal(t, analysis.TierMust, r.Findings[0].Tier)
		}
	}
}
