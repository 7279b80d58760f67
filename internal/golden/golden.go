// Package golden compares what tests get with files. Whoever writes these anew,
// with go test -update, reads what has changed.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// Equal fails the test if got is not what the file name below testdata, in the
// folder of the test's package, holds. With -update it writes the file first.
func Equal(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
