package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each finding that fails the run is one subtest that runs, prints and fails, and its
// package fails once.
func TestTestEvents(t *testing.T) {
	one, outside, known := bank(t), bank(t), bank(t)
	one.Fails, outside.Fails = true, true
	outside.ID, outside.Test = "race-1", ""
	known.ID = "race-2"
	text := written(t, WriteTestEvents, &Report{Findings: []Finding{one, outside, known}})
	came := make(map[string][]string) // actions, by test
	var output strings.Builder
	for line := range strings.Lines(text) {
		var e testEvent
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		assert.Equal(t, one.Package, e.Package)
		if e.Action != "output" {
			came[e.Test] = append(came[e.Test], e.Action)
		}
		output.WriteString(e.Output)
	}
	assert.Equal(t, map[string][]string{
		"TestTransfer/" + one.ID: {"run", "fail"},
		"race-1":                 {"run", "fail"},
		"":                       {"fail"},
	}, came)
	assert.Contains(t, output.String(), "=== RUN   race-1\n    ==================\n    CONFIRMED: DATA RACE\n")
	assert.Contains(t, output.String(), "\n--- FAIL: race-1 (0.00s)\nFAIL\texample.com/bank\n")
	assert.Empty(t, written(t, WriteTestEvents, &Report{Findings: []Finding{known}}))
}
