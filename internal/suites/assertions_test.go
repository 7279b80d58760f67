//go:build long

package suites

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAssertions finds in testdata/kinds/assertions what its lines say: an assertion is
// confirmed to fail where the comment is "confirmed", and nothing is elsewhere; it is
// infeasible just where the comment is "cannot fail".
func TestAssertions(t *testing.T) {
	t.Parallel()
	dir := copySubject(t, "assertions")
	var want, cannot []string
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			at := fmt.Sprintf("%s:%d", filepath.Base(file), n)
			switch {
			case strings.HasSuffix(lines.Text(), "// confirmed"):
				want = append(want, at)
			case strings.HasSuffix(lines.Text(), "// cannot fail"):
				cannot = append(cannot, at)
			}
		}
		require.NoError(t, lines.Err())
	}
	file := filepath.Join(t.TempDir(), "report.json")
	r := run(t, dir, nil, command, "test", "-predict.json="+file, "./...")
	require.Equal(t, 1, r.exit, r)
	var got, infeasible []string
	all := readReport(t, file)
	for _, f := range all.Findings {
		if f.Status == "infeasible" {
			infeasible = append(infeasible, f.sites()...)
		}
	}
	for _, f := range all.confirmed() {
		// What is only come to where a choice is made otherwise fails, as a run does.
		require.Contains(t, []string{"assertion", "failure"}, f.Kind, "%v", f)
		require.NotEqual(t, "none", f.Effect, "%v", f)
		got = append(got, f.sites()...)
	}
	require.ElementsMatch(t, want, got, r)
	require.ElementsMatch(t, cannot, infeasible, r)
}
