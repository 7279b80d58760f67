package analysis_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// No trace takes more than a tenth more work than there is for it, whatever it has many of; some
// take most of it.
func TestWorkIsBounded(t *testing.T) {
	used := 0
	for name, tr := range map[string]*trace.Trace{
		"many places":           tracetest.ServerTraceOf(3_000, 8, 150),
		"many goroutines":       tracetest.ServerTraceOf(10_000, 64, 40),
		"two goroutines":        tracetest.ServerTraceOf(10_000, 2, 40),
		"many ways to choose":   tracetest.ServerTraceOf(30_000, 64, 140),
		"few places":            tracetest.ServerTraceOf(100_000, 8, 4),
		"many circles of locks": tracetest.NestedLocks(100_000, 8, true),
	} {
		for _, parts := range []int64{1, 8, 64} {
			whole, left, err := analysis.WorkLeft(t.Context(), tr, parts, analysis.Options{})
			require.NoError(t, err)
			t.Logf("%s: of %d steps %d are left", name, whole, left)
			assert.GreaterOrEqual(t, left, -whole/10, name)
			if name != "few places" {
				assert.Less(t, left, whole-whole/100, "%s: nothing is counted", name)
			}
			if left < whole*3/5 {
				used++
			}
		}
	}
	assert.NotZero(t, used, "there is no work to speak of: nothing is tested")
}
