package symbolic_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// TestLooseLock has a lock that one goroutine takes and another one releases, many times
// over.
func TestLooseLock(t *testing.T) {
	const round = "1 acq m\n2 rel m\n"
	for _, test := range []struct {
		rounds, first, second int // the writes that are to meet
		want                  solver.Answer
	}{
		{100, 1, 2, solver.Sat},
		{8, 0, 1, solver.Unsat}, // the last release has nothing to end then
	} {
		tr := tracetest.Parse(t, "1 begin\n2 begin\n"+strings.Repeat(round, test.rounds)+"1 w x\n"+round+"2 w x\n1 w x")
		var xs []int
		for i, e := range tr.Events {
			if e.Kind == trace.Write {
				xs = append(xs, i)
			}
		}
		o, err := order.New(tr)
		require.NoError(t, err)
		m := symbolic.New(tr, o)
		target := symbolic.Simultaneous(xs[test.first], xs[test.second])
		cone, ok := m.Cone(0, target)
		require.True(t, ok)
		f := solver.NewFormula()
		e, err := m.Encode(cone, f, solver.NewBuiltin(f))
		require.NoError(t, err)
		a, err := e.Solve(context.Background(), target, &solver.Budget{Steps: solver.Second})
		require.NoError(t, err)
		assert.Equal(t, test.want, a.Answer, a.Why)
	}
}

// TestTooManyWays has a lock that one goroutine takes and another one releases, and a
// condition, that are used too often to write down who may end, or wake, whom.
func TestTooManyWays(t *testing.T) {
	for _, test := range []struct {
		name, round string
		rounds      int
		want        string
	}{
		{"lock", "1 acq m\n2 rel m\n", 300, "symbolic: 300 sections of a lock that one goroutine takes and another releases are too many to encode"},
		{"condition", "1 wait c#%[1]d\n2 signal c#%[2]d\n1 wake c#%[1]d\n", 70, "symbolic: more than 2048 pairs of a condition's waiters and signals are too many to encode"},
	} {
		text := "1 begin\n2 begin\n"
		for n := range test.rounds {
			if strings.Contains(test.round, "%") {
				text += fmt.Sprintf(test.round, n, n+1)
			} else {
				text += test.round
			}
		}
		tr := tracetest.Parse(t, text+"1 w x\n2 w x")
		o, err := order.New(tr)
		require.NoError(t, err)
		m := symbolic.New(tr, o)
		cone, ok := m.Cone(0, symbolic.Simultaneous(len(tr.Events)-2, len(tr.Events)-1))
		require.True(t, ok)
		f := solver.NewFormula()
		_, err = m.Encode(cone, f, solver.NewBuiltin(f))
		assert.EqualError(t, err, test.want)
	}
}
