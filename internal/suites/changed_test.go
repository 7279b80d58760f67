//go:build long

package suites

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func init() { testChanged = testEditsAndFixes }

// testEditsAndFixes tests a subject with the code around its bugs changed, and with the
// bugs fixed.
func testEditsAndFixes(t *testing.T, dir string, w want, confirmed int) {
	fixed := filepath.Join(t.TempDir(), filepath.Base(dir))
	require.NoError(t, os.CopyFS(fixed, os.DirFS(dir)))
	if !w.Costly {
		t.Run("edits", func(t *testing.T) {
			t.Parallel()
			testEdits(t, dir, w, confirmed)
		})
	}
	t.Run("fixes", func(t *testing.T) {
		t.Parallel()
		testFixes(t, fixed, w)
	})
}

// testFixes fixes the bugs of a subject, of which dir is a copy with its witnesses,
// in the usual ways: with a lock, with a channel, with atomics. Then no witness
// confirms, and nothing else is found.
func testFixes(t *testing.T, dir string, w want) {
	ways := fixes(t, filepath.Base(dir))
	require.NotEmpty(t, ways)
	witnesses := filesIn(t, dir, "*-*")
	witnesses = slices.DeleteFunc(witnesses, func(file string) bool { return !strings.Contains(file, "/testdata/predict/") })
	require.NotEmpty(t, witnesses)
	for _, way := range ways {
		for _, file := range filesIn(t, dir, "*.go"+way) {
			require.NoError(t, os.Rename(file, strings.TrimSuffix(file, way)))
		}
		if !w.Costly {
			plain := run(t, dir, nil, "go", "test", "./...")
			require.Zero(t, plain.exit, plain)
		}
		file := filepath.Join(t.TempDir(), "report.json")
		again := run(t, dir, nil, command, w.test("-predict.json="+file)...)
		require.Zero(t, again.exit, again)
		r := readReport(t, file)
		require.Empty(t, r.confirmed(), again)
		require.Len(t, r.Witnesses, len(witnesses), again)
		for _, w := range r.Witnesses {
			// What is undecided then may be there by another schedule, as far as is known.
			require.Contains(t, []string{"fixed", "stale", "unconfirmed"}, w.Status, again)
			t.Logf("%s: %s: %s", way, w.Witness, w.Status)
		}
	}
}
