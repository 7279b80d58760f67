//go:build long

package suites

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func init() { testFurther = testAllWays }

// testAllWays tests a subject plainly and by replays, then with the code around its bugs changed,
// and with the bugs fixed.
func testAllWays(t *testing.T, dir string, w want, confirmed []finding) {
	testPlainly(t, dir, w)
	if len(confirmed) > 0 {
		testReplays(t, dir, confirmed)
	}
	if len(w.Confirmed) == 0 {
		return
	}
	fixed := filepath.Join(t.TempDir(), filepath.Base(dir))
	require.NoError(t, os.CopyFS(fixed, os.DirFS(dir)))
	if !w.Costly {
		t.Run("edits", func(t *testing.T) {
			t.Parallel()
			testEdits(t, dir, w, len(confirmed))
		})
	}
	t.Run("fixes", func(t *testing.T) {
		t.Parallel()
		testFixes(t, fixed, w)
	})
}

// testPlainly checks that the tests of a subject pass without gopredict. Its bug may show at times:
// a sleep of some milliseconds can be too short on a busy machine.
func testPlainly(t *testing.T, dir string, w want) {
	if w.Hangs || w.Costly {
		return
	}
	plain := run(t, dir, nil, "go", "test", "./...")
	for tries := 1; tries < 3 && plain.exit != 0 && len(w.Confirmed) > 0; tries++ {
		plain = run(t, dir, nil, "go", "test", "./...")
	}
	require.Zero(t, plain.exit, plain)
}

// testReplays checks that each witness of a subject brings its bug back. Each subject gets about
// forty replays: how many of a hundred come back, in six conditions, is for internal/measure replay.
func testReplays(t *testing.T, dir string, confirmed []finding) {
	n := max(40/len(confirmed), 4)
	again := run(t, dir, nil, command, "replay", "-n", fmt.Sprint(n), "./...")
	require.Equal(t, 1, again.exit, again)
	for _, f := range confirmed {
		require.Contains(t, again.stdout, fmt.Sprintf("%s: reached in %d of %d replays\n", f.ID, n, n))
	}
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
		file := filepath.Join(t.TempDir(), "report.json")
		again := run(t, dir, nil, command, w.test("-predict.json="+file)...)
		require.Zero(t, again.exit, again) // so the tests have passed, too
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
