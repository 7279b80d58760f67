package causality

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// Schedules go along the edges of a graph: those of the property are there also where
// the bound of all graphs was reached before, or with this one's goroutines.
func TestGraphBeyondTheBound(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		0 fork 2
		1 w x
		2 w x
		1 w x`)
	o, err := order.New(tr)
	require.NoError(t, err)
	m := New(tr, o)
	p := m.Sequence(3, 2)
	for _, left := range []int{0, 1} {
		m.spent.Store(graphs*effort - int64(left))
		g := m.Chopped(p)
		assert.Equal(t, []Edge{{3, 2}}, g.Edges(0), "with an effort of %d", left)
		assert.Zero(t, g.Cyclic())
		assert.Empty(t, g.Cycle(0))
	}
}
