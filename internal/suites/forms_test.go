//go:build long

package suites

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestForms tests the modules of many small tests, a form each: of each test in a
// package racy a race is confirmed, at the program's own lines, and of those in a package
// clean none is, nor is any left that replays have not shown.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"oldranges", "stdmemory"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copySubject(t, name)
			file := filepath.Join(t.TempDir(), "report.json")
			r := run(t, dir, nil, command, "test", "-predict.json="+file, "./...")
			require.Equal(t, 1, r.exit, r)
			var confirmed []string
			all := readReport(t, file)
			for _, f := range all.Findings {
				left := f.Kind == "race" && f.Status == "unconfirmed" && filepath.Base(f.Package) == "clean"
				require.False(t, left, "%s at %v: %s", f.Test, f.sites(), f.Reason)
			}
			for _, f := range all.confirmed() {
				require.Equal(t, "racy", filepath.Base(f.Package), "%s at %v\n%s", f.Test, f.sites(), r)
				if f.Kind == "failure" { // the panic that the race ends in, in other orders
					continue
				}
				require.Equal(t, "race", f.Kind, "%s at %v", f.Test, f.sites())
				require.NotContains(t, strings.Join(f.sites(), " "), "std/", f.Test)
				confirmed = append(confirmed, f.Test)
			}
			slices.Sort(confirmed)
			require.Equal(t, tests(t, dir, "./racy"), slices.Compact(confirmed), r.stderr)
		})
	}
}

// tests returns the names of the tests in a package of the module in dir.
func tests(t *testing.T, dir, pkg string) []string {
	t.Helper()
	r := run(t, dir, nil, "go", "test", "-list", "^Test", pkg)
	require.Zero(t, r.exit, r)
	names := regexp.MustCompile(`(?m)^Test\w+$`).FindAllString(r.stdout, -1)
	require.NotEmpty(t, names, strings.TrimSpace(r.stdout))
	slices.Sort(names)
	return names
}
