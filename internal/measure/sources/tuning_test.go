package sources

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// docs/measured/tuning.md is what the sources say: go run ./internal/measure tuning writes it.
func TestTuningPageIsOfTheseSources(t *testing.T) {
	page := run.Render(pages, "tuning.md", readTuning("../../.."))
	if page != run.ReadFile("../../../docs/measured/tuning.md") {
		t.Error("docs/measured/tuning.md is not of these sources: go run ./internal/measure tuning -o docs/measured/tuning.md")
	}
}

func TestParseTuning(t *testing.T) {
	got := parseTuning("tuning.go", `package p

// maxSets bounds the sets of operations that
// a cycle keeps (unit: sets). Trades schedules to try for time: it may be infeasible. Chosen: more. And more.
const maxSets = 1 << 4

// Both are of one trace (unit: steps).
const (
	base = 3 // for short ones
	each = base | 1
)
`)
	assert.Equal(t, []tuningConstant{
		{"maxSets", "1 << 4", "sets", "maxSets bounds the sets of operations that a cycle keeps.", "Trades schedules to try for time: it may be infeasible.", "Chosen: more. And more."},
		{"base", "3", "", "for short ones", "", ""},
		{"each", "base | 1", "steps", "Both are of one trace.", "", ""},
	}, got)
}
