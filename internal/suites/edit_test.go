//go:build long

package suites

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/edits"
)

// testEdits changes the sources of a subject around its bugs: there are more comments,
// variables have other names, and functions are in other files. All witnesses still
// confirm, and each bug is reported once.
func testEdits(t *testing.T, dir string, subject want, bugs int) {
	for _, name := range []string{"comments", "locals", "files"} {
		_, err := edits.Named(name).Apply(dir)
		require.NoError(t, err)
	}
	file := filepath.Join(t.TempDir(), "report.json")
	again := run(t, dir, nil, command, subject.test("-predict.json="+file)...)
	r := readReport(t, file)
	require.NotEmpty(t, r.Witnesses, again)
	for _, w := range r.Witnesses {
		require.Equal(t, "confirmed", w.Status, "%s: %s\n%s", w.Witness, w.Reason, again)
	}
	require.Len(t, r.confirmed(), bugs, again)
}
