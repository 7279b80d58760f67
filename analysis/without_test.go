package analysis_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// A race that several schedulers can show is shown by the next one when the first is switched off.
func TestWithout(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 w y\n1 w x\n2 w z\n2 w x\n")
	var without []string
	tiers := []string{analysis.TierCone, analysis.TierPecan, analysis.TierSolver}
	for _, want := range tiers {
		r, err := analysis.Predict(context.Background(), tr, analysis.Options{DisabledTiers: without})
		require.NoError(t, err)
		require.Len(t, r.Findings, 1)
		assert.Equal(t, want, r.Findings[0].Tier)
		without = append(without, want)
	}
	r, err := analysis.Predict(context.Background(), tr, analysis.Options{DisabledTiers: without})
	require.NoError(t, err)
	assert.Empty(t, r.Findings[0].Schedules)
}
