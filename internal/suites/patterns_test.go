package suites

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/anomaly"
)

// Each built-in pattern has a subject that is confirmed to show it, those of
// atomicity with an effect on the test, and a fixed twin: TestSubjects runs both.
func TestEachPatternHasSubject(t *testing.T) {
	shown := make(map[string]bool)
	for name, w := range wanted(t) {
		for _, f := range w.Confirmed {
			if f.Effect != "" && len(fixes(t, name)) > 0 {
				shown[f.Pattern] = true
			}
		}
	}
	races := shownRaces(t)
	for _, p := range anomaly.Builtin() {
		if p.Kind() == "race" {
			require.True(t, races[p.Name], "no subject's output has a race %s", p.Name)
		} else {
			require.True(t, shown[p.Name], "no want.json has %s with its effect", p.Name)
		}
	}
}

// shownRaces returns the patterns of the races in the outputs that are kept: they
// name the access that went first before the other.
func shownRaces(t *testing.T) map[string]bool {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	require.NoError(t, err)
	races, first := make(map[string]bool), ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			letter := func(from string) string { return strings.ToLower(strings.TrimPrefix(line, from)[:1]) }
			switch {
			case strings.HasPrefix(line, "Read ") || strings.HasPrefix(line, "Write "):
				first = letter("")
			case strings.HasPrefix(line, "Conflicting "):
				races[first+"-"+letter("Conflicting ")] = true
			}
		}
	}
	return races
}
