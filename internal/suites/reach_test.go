//go:build long

package suites

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What recordings do not come to is found by exploring, until nothing is left.
func TestReach(t *testing.T) {
	t.Parallel()
	explores(t, "reach", "Test", func(name string) bool { return !strings.HasPrefix(name, "TestOpen") })
	// Alone, where nothing else says which object is the same in all runs.
	explores(t, "reach", "^TestQueue$", func(string) bool { return true })
}

// Of programs of SCTBench's kind some are explored until nothing is left: with many
// goroutines that do the same, with such that block for ever, and with slices. The others are for
// internal/measure exploring.
func TestSCTBench(t *testing.T) {
	t.Parallel()
	explores(t, "sctbench", "^Test(Right)?(Reorder20|TwoStage10|Philosophers3|Emptied|Sync02|Pool)$", func(string) bool { return true })
}

// explores explores the tests of a subject that match, and compares what is confirmed with
// what is wanted, and which tests are explored completely.
func explores(t *testing.T, subject, match string, completely func(name string) bool) {
	dir := copySubject(t, subject)
	file := filepath.Join(t.TempDir(), "report.json")
	r := run(t, dir, nil, command, "test", "-run="+match, "-predict.json="+file, "-predict.explore=60", "-predict.runs=1", "-predict.kinds=failure,deadlock")
	require.FileExists(t, file, r)
	report := readReport(t, file)
	shown, complete := make(map[string]string), make(map[string]bool)
	for _, f := range report.confirmed() {
		shown[f.Test] = string(f.Kind) + " " + string(f.Effect)
	}
	for _, pkg := range report.Packages {
		for _, e := range pkg.Explored {
			complete[e.Test] = e.Complete
		}
	}
	for name, want := range wantedOf(t, dir) {
		if regexp.MustCompile(match).MatchString(name) {
			assert.Equal(t, want, shown[name], name)
			assert.Equal(t, completely(name), complete[name], "%s is explored completely", name)
		}
	}
}
