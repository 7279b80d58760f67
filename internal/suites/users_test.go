//go:build long

package suites

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Properties that users declare of what others have written: a resource of puddle's pools is
// not used after its release, and a group of errgroup starts nothing after Wait. Both are found
// in runs in which that did not happen, and none where the goroutines are waited for.
func TestPropertiesOfUsers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "users")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "users"))))
	edit := run(t, dir, nil, "go", "mod", "edit", "-replace=github.com/gopredict/gopredict="+root)
	require.Zero(t, edit.exit, edit)
	record := []string{"GOPREDICT=pkgs=work,github.com/jackc/puddle/v2,golang.org/x/sync/errgroup"}

	file := filepath.Join(t.TempDir(), "report.json")
	predicted := run(t, dir, record, command, "test", "-predict.kinds=property", "-predict.json="+file, ".")
	require.Equal(t, 1, predicted.exit, predicted)
	patterns := make(map[string]bool)
	for _, f := range readReport(t, file).confirmed() {
		patterns[f.Test+": "+f.Pattern] = true
	}
	require.Equal(t, map[string]bool{"TestRelease: no use after release": true, "TestGroup: nothing starts after wait": true}, patterns, predicted)
	again := run(t, dir, record, command, "replay", "-n", "10", "./...")
	require.Equal(t, 1, again.exit, again)
	require.Equal(t, len(readReport(t, file).confirmed()), strings.Count(again.stdout, "reached in 10 of 10 replays\n"), again)

	text, err := os.ReadFile(filepath.Join(dir, "wait.go.fixed"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wait.go"), text, 0o666))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "testdata")))
	fixed := run(t, dir, record, command, "test", ".")
	require.Zero(t, fixed.exit, fixed)
	require.Contains(t, fixed.stdout, "gopredict: 0 confirmed, ")
}
