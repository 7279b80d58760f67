//go:build z3

package theory

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/solver"
)

// Both engines are asked, the first one answers, and what the second one cannot
// decide with the work that it may do is counted.
func TestCompared(t *testing.T) {
	for _, c := range []struct{ left, undecided int64 }{{solver.Second, 0}, {0, 2}} {
		var c0 comparison
		f := solver.NewFormula()
		e, err := c0.engine(f, solver.Budget{Steps: c.left})
		require.NoError(t, err)
		a, b, p := f.Event("a"), f.Event("b"), f.Bool("p")
		e.Assert(f.Or(p, f.Before(a, b)))
		e.Assert(f.Before(b, a))
		answer, err := e.Check(context.Background(), nil, p)
		require.NoError(t, err)
		require.Equal(t, solver.Sat, answer)
		answer, err = e.Check(context.Background(), nil, f.Not(p))
		require.NoError(t, err)
		require.Equal(t, solver.Unsat, answer)
		require.Equal(t, fmt.Sprint(2, c.undecided, 0), fmt.Sprint(c0.checks, c0.undecided, c0.differ))
		e.Close()
	}
}
