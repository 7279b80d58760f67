//go:build long

package suites

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestObserved compares what code observes of itself in a plain run and in a recorded one.
func TestObserved(t *testing.T) {
	t.Parallel()
	dir := copySubject(t, "observed")
	seen := func(r result) (lines []string) {
		require.Zero(t, r.exit, r)
		for line := range strings.Lines(r.stdout) {
			if strings.HasPrefix(line, "see ") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	args := []string{"test", "-v", "-count=1", "-p=1", "./..."}
	want := seen(run(t, dir, nil, "go", args...))
	require.Greater(t, len(want), 400)
	got := seen(run(t, dir, nil, command, append([]string{"test", "-predict.explore=off", "-predict.fail-on=none"}, args[1:]...)...))
	assert.Equal(t, want, got)
}
