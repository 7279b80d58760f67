package symbolic_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// figure1 is a run of the program of NFM 2011, Figure 1: two goroutines add a's
// value to b and b's to a, each under the lock of what it changes.
const figure1 = `
	0 fork 1
	0 fork 2
	1 begin
	1 acq a
	1 r a.x=1 FLOW
	1 r b.x=1 FLOW // 5
	1 w a.x=2      // 6
	1 rel a
	2 begin
	2 acq b
	2 r b.x=1 FLOW
	2 r a.x=2 FLOW // 11
	2 w b.x=3      // 12
	2 rel b`

// figure1Locked is the same with get synchronized: run 2.
const figure1Locked = `
	0 fork 1
	0 fork 2
	1 begin
	1 acq a
	1 r a.x=1 FLOW
	1 acq b
	1 r b.x=1 FLOW // 6
	1 rel b
	1 w a.x=2      // 8
	1 rel a
	2 begin
	2 acq b
	2 r b.x=1 FLOW
	2 acq a
	2 r a.x=2 FLOW // 14
	2 rel a
	2 w b.x=3      // 16
	2 rel b`

// figure3 is NFM 2011, Figure 3: x orders the accesses of y.
const figure3 = `
	0 fork 1
	0 fork 2
	1 begin
	2 begin
	1 acq l
	1 w x=10
	1 rel l
	2 acq l
	2 r x=10
	2 w y=20 // 9
	2 rel l
	1 acq l
	1 w x=20
	1 rel l
	1 w y=30 // 14`

func encode(t *testing.T, tr *trace.Trace, target symbolic.Target) *symbolic.Encoding {
	t.Helper()
	o, err := order.New(tr)
	require.NoError(t, err)
	m := symbolic.New(tr, o)
	cone, ok := m.Cone(0, target)
	require.True(t, ok, "some run performs what must come first")
	f := solver.NewFormula()
	e, err := m.Encode(cone, f, solver.NewBuiltin(f))
	require.NoError(t, err)
	return e
}

func TestFigures1And3(t *testing.T) {
	for _, test := range []struct {
		name, text string
		race       [2]int
		want       solver.Answer
	}{
		// With recorded values one of the two has a witness (Table 3, row 1).
		{"run 1, b.x", strings.ReplaceAll(figure1, "FLOW", ""), [2]int{5, 12}, solver.Unsat},
		{"run 1, a.x", strings.ReplaceAll(figure1, "FLOW", ""), [2]int{6, 11}, solver.Sat},
		// No decision depends on what is added up, so both do.
		{"run 1, b.x, data", strings.ReplaceAll(figure1, "FLOW", "data"), [2]int{5, 12}, solver.Sat},
		{"run 1, a.x, data", strings.ReplaceAll(figure1, "FLOW", "data"), [2]int{6, 11}, solver.Sat},
		{"run 2, b.x", strings.ReplaceAll(figure1Locked, "FLOW", "data"), [2]int{6, 16}, solver.Unsat},
		{"run 2, a.x", strings.ReplaceAll(figure1Locked, "FLOW", "data"), [2]int{8, 14}, solver.Unsat},
		{"figure 3", figure3, [2]int{9, 14}, solver.Unsat},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := tracetest.Parse(t, test.text)
			target := symbolic.Simultaneous(test.race[0], test.race[1])
			o, err := order.New(tr)
			require.NoError(t, err)
			d := symbolic.New(tr, o).NewDecider(0, []symbolic.Target{target}, newEngine)
			defer d.Close()
			a, err := d.Decide(context.Background(), 0, nil)
			require.NoError(t, err)
			assert.Equal(t, test.want, a.Answer)
			if a.Answer == solver.Sat {
				assert.NoError(t, feasible.Check(tr, a.Steps, target.Pending))
			}
		})
	}
}

// A contradiction that does not need the bound on switches is one for any number
// of them (Wang et al., FAC 2011, §6.3); where there is a run, one with few
// switches is found.
func TestBound(t *testing.T) {
	tr := tracetest.Parse(t, figure3)
	target := symbolic.Simultaneous(9, 14)
	a, asked, err := encode(t, tr, target).SolveBounded(context.Background(), target, 8, nil)
	require.NoError(t, err)
	assert.Equal(t, solver.Unsat, a.Answer)
	assert.Equal(t, 2, asked, "questions: 1 switch, which one goroutine takes to begin, does not suffice; 2 are not in the core any more")

	// Goroutine 2 needs what 1 writes at last, and that needs what 2 writes at first.
	tr = tracetest.Parse(t, `
		0 fork 1
		0 fork 2
		2 begin
		2 w x=1
		1 begin
		1 r x=1
		1 w y=1
		2 r y=1
		2 w z=1 // 8
		1 w z=2 // 9`)
	target = symbolic.Simultaneous(8, 9)
	a, asked, err = encode(t, tr, target).SolveBounded(context.Background(), target, 8, nil)
	require.NoError(t, err)
	assert.Equal(t, solver.Sat, a.Answer)
	assert.Equal(t, 1, asked, "questions: what must come before what takes 3 switches")
	assert.NoError(t, feasible.Check(tr, a.Steps, target.Pending))
	switches := 0
	for k, i := range a.Steps[1:] {
		if tr.Events[i].G != tr.Events[a.Steps[k]].G {
			switches++
		}
	}
	assert.Equal(t, 3, switches)
}
