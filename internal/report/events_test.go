package report

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each test with findings that fail the run runs once more, prints them and fails, and so
// does its package.
func TestTestEvents(t *testing.T) {
	one, two, outside, known := bank(t), bank(t), bank(t), bank(t)
	one.FailsRun, two.FailsRun, outside.FailsRun = true, true, true
	outside.ID, outside.Test = "race-1", ""
	known.ID = "race-2"
	write := func(w io.Writer, r *Report) error { return WriteTestEvents(w, r, TextOptions{}) }
	r := &Report{Findings: []Finding{one, outside, known, two}, Packages: []Package{{Package: one.Package}}, Totals: Totals{Confirmed: 4}}
	text := written(t, write, r)
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
		"TestTransfer": {"run", "fail"},
		"race-1":       {"run", "fail"},
		"":             {"fail"},
	}, came)
	assert.Equal(t, 4, strings.Count(output.String(), "CONFIRMED: DATA RACE"))
	assert.Contains(t, output.String(), "\ngopredict: 4 confirmed, ")
	assert.Contains(t, output.String(), "=== RUN   race-1\n    ==================\n    CONFIRMED: DATA RACE\n")
	assert.Contains(t, output.String(), "\n--- FAIL: race-1 (0.00s)\nFAIL\texample.com/bank\n")
	r.Findings = []Finding{known}
	assert.NotContains(t, written(t, write, r), `"Action":"fail"`)
}
