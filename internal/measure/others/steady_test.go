package others

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
)

// The module has as many tests as its page says, thirty bugs among them, and of each kind one; it
// is the same each time.
func TestSteadyModule(t *testing.T) {
	dir := t.TempDir()
	assert.Equal(t, 30, writeSteadyModule(dir))
	kinds := make(map[string]int)
	for _, f := range steadyForms {
		kinds[f.kind]++
	}
	for _, k := range bug.Kinds() {
		assert.Positive(t, kinds[string(k)], k)
	}
	again := t.TempDir()
	writeSteadyModule(again)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*_test.go"))
	require.NoError(t, err)
	assert.Len(t, files, steadyPackages)
	for _, file := range files {
		rel, err := filepath.Rel(dir, file)
		require.NoError(t, err)
		a, err := os.ReadFile(file)
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(again, rel))
		require.NoError(t, err)
		assert.Equal(t, string(a), string(b))
	}
}

// A finding that one run lacks is a difference, and so is one with another status.
func TestSteadyDifferences(t *testing.T) {
	var l steadyLine
	l.add("idle", steadyRow{Findings: []string{"a", "b"}, Elapsed: 1})
	l.add("idle", steadyRow{Findings: []string{"a", "b"}, Elapsed: 2})
	assert.Empty(t, l.Differences)
	l.add("loaded", steadyRow{Findings: []string{"a", "c"}, Elapsed: 9})
	assert.Equal(t, []steadyDifference{{"b", "1 idle, 2 idle"}, {"c", "3 loaded"}}, l.Differences)
	assert.Equal(t, []string{"1, 2", "9"}, l.Times)
	page := run.Render(pages, "steady.md", &steadyPage{Lines: []steadyLine{l}, Missing: []string{"m"}})
	assert.Contains(t, page, "|  | 0 | 3 | 2 | 0 | 2 | 1, 2 | 9 |\n\nNot run: m.\n")
	assert.Contains(t, page, "| b | 1 idle, 2 idle |\n")
}
