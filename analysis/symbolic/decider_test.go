package symbolic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// TestBudgetForEvents asks about what depends on more events than the budget suffices for: what is not
// done takes nothing of what there is for others.
func TestBudgetForEvents(t *testing.T) {
	const events, steps = 10_000, 500_000
	tr := tracetest.Parse(t, strings.Repeat("1 w x\n", events)+"1 w y\n2 w y")
	o, err := order.New(tr)
	require.NoError(t, err)
	others := &solver.Budget{Steps: 10 * steps}
	d := symbolic.New(tr, o).NewDecider(0, []symbolic.Target{symbolic.Simultaneous(events, events+1)}, newEngine)
	defer d.Close()
	a, err := d.DecideAll(t.Context(), 0, others.Part(steps))
	require.NoError(t, err)
	assert.Equal(t, solver.Unknown, a.Answer)
	assert.Equal(t, "symbolic: steps", a.Why)
	assert.InDelta(t, 9*steps, others.Steps, steps/10)
}
