//go:build long

package suites

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tests that fail in the recorded run, in each of the ways in which Go tests fail, have a
// witness, which brings the failure back; of those that fail in each order a line says so.
func TestFailing(t *testing.T) {
	t.Parallel()
	dir := copySubject(t, "failing")
	file := filepath.Join(t.TempDir(), "report.json")
	r := run(t, dir, nil, command, "test", "-timeout=2s", "-predict.json="+file, "./...")
	require.Equal(t, 1, r.exit, r)
	kinds := make(map[string][]string)
	confirmed := readReport(t, file).confirmed()
	for _, f := range confirmed {
		kinds[f.Test] = append(kinds[f.Test], fmt.Sprint(f.Kind, " ", f.Effect))
	}
	var twins []string
	for _, folder := range []string{".", "panics", "exits", "maps", "hangs", "turns"} {
		for name, want := range wantedOf(t, filepath.Join(dir, folder)) {
			assert.Equal(t, want, strings.Join(slices.Compact(slices.Sorted(slices.Values(kinds[name]))), ", "), "%s\n%s", name, r)
			if strings.HasPrefix(name, "TestAlways") {
				twins = append(twins, name)
			}
		}
	}
	said := make(map[string]bool)
	for _, line := range regexp.MustCompile(`failed in each of \d+ orders of goroutines, which is no concurrency bug: ([^;]*);`).FindAllStringSubmatch(r.stdout, -1) {
		for name := range strings.SplitSeq(line[1], ", ") {
			said[name] = true
		}
	}
	assert.ElementsMatch(t, twins, slices.Collect(maps.Keys(said)), r)
	assert.Regexp(t, `turns: TestStop had not ended when its time was over, in the order of goroutines of go test, and ends in another\n`, r.stdout)

	const n = 5 // how many of a hundred come back is for internal/measure replay
	again := run(t, dir, nil, command, "replay", "-n", fmt.Sprint(n), "./...")
	require.Equal(t, 1, again.exit, again)
	for _, f := range confirmed {
		require.Contains(t, again.stdout, fmt.Sprintf("%s: reached in %d of %d replays\n", f.ID, n, n))
	}
}
