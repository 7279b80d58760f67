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

// Where a flag is used as a lock, and where it nearly is, what the encoding says is
// what all interleavings say.
func TestGates(t *testing.T) {
	const enter, leave = "acq m; r f=0; w f=1; rel m", "acq m; w f=0; rel m"
	for name, c := range map[string]struct {
		first, second string
		gate          bool
	}{
		"gate":                   {enter + "; w x; w x; " + leave, enter + "; w x; " + leave, true},
		"never left":             {enter + "; w x; w x; " + leave, enter + "; w x", true},
		"left between":           {enter + "; w x; " + leave + "; w x", enter + "; w x; " + leave, false},
		"found outside":          {"r f=0; acq m; w f=1; rel m; w x; w x; " + leave, enter + "; w x; " + leave, false},
		"left without entering":  {enter + "; w x; w x; " + leave, leave + "; " + enter + "; w x", false},
		"of different locks":     {enter + "; w x; w x; " + leave, strings.ReplaceAll(enter+"; w x; "+leave, "m", "n"), false},
		"entered without a look": {enter + "; w x; w x; " + leave, "acq m; w f=1; rel m; w x; " + leave, false},
		"looked at as data":      {strings.ReplaceAll(enter, "=0;", "=0 data;") + "; w x; w x; " + leave, enter + "; w x; " + leave, false},
		"the lock is let go of":  {"acq m; r f=0; rel m; acq m; w f=1; rel m; w x; w x; " + leave, enter + "; w x; " + leave, false},
		"left by something else": {enter + "; w x; w x; acq m; w f=2; rel m", enter + "; w x", false},
		"left twice":             {enter + "; w x; " + leave + "; w x; " + leave, enter + "; w x; " + leave, false},
	} {
		t.Run(name, func(t *testing.T) {
			tr := tracetest.Parse(t, "0 fork 1\n0 fork 2\n1 begin\n2 begin\n"+lines(1, c.first)+lines(2, c.second))
			var goals []goal
			impossible := true
			for _, g := range triples(tr, 1000) {
				x := tr.Events[g.accesses[0]]
				if x.Obj == tr.Events[g.accesses[1]].Obj && x.Kind == trace.Write {
					goals = append(goals, g)
					impossible = impossible && !g.real
				}
			}
			require.NotEmpty(t, goals)
			if c.gate {
				assert.True(t, impossible)
			}
			decide(t, 0, tr, goals)
		})
	}
}

// lines are the events of a goroutine, one in a line.
func lines(g int, events string) (text string) {
	for e := range strings.SplitSeq(events, "; ") {
		text += fmt.Sprintln(g, e)
	}
	return text
}

// That a flag keeps many goroutines apart is not found out for each order in which
// they may come.
func TestGateOfMany(t *testing.T) {
	const goroutines = 12
	text := ""
	for g := 1; g <= goroutines; g++ {
		text += fmt.Sprintf("0 fork %d\n%d begin\n", g, g)
	}
	for g := 1; g <= goroutines; g++ {
		text += lines(g, "acq m; r f=0; w f=1; rel m; w x; w x; acq m; w f=0; rel m")
	}
	tr := tracetest.Parse(t, text)
	var xs []int
	for i, e := range tr.Events {
		if e.Kind == trace.Write && e.Flags&trace.FlagValue == 0 {
			xs = append(xs, i)
		}
	}
	target := symbolic.Sequence(xs[0], xs[goroutines], xs[1])
	require.False(t, len(xs) != 2*goroutines || tr.Events[xs[0]].G != tr.Events[xs[1]].G)
	o, err := order.New(tr)
	require.NoError(t, err)
	d := symbolic.New(tr, o).NewDecider(0, []symbolic.Target{target}, newEngine)
	defer d.Close()
	a, err := d.Decide(context.Background(), 0, &solver.Budget{Steps: solver.Second / 5})
	require.NoError(t, err)
	assert.Equal(t, solver.Unsat, a.Answer, a.Why)
}

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
		target := symbolic.Standing(xs[test.first], xs[test.second])
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
		cone, ok := m.Cone(0, symbolic.Standing(len(tr.Events)-2, len(tr.Events)-1))
		require.True(t, ok)
		f := solver.NewFormula()
		_, err = m.Encode(cone, f, solver.NewBuiltin(f))
		assert.EqualError(t, err, test.want)
	}
}
