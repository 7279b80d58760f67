//go:build long

package suites

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/subjects"
)

// What blocks for ever, and what misuses that which is there to block, is confirmed with
// the kind and effect that its test names, and of the twins nothing is.
func TestBlocking(t *testing.T) {
	t.Parallel()
	dir := copySubject(t, "blocking")
	for folder, tests := range map[string]int{".": 80, "choices": 10, "cycles": 29, "tiny": 13, "network": 9, "closed": 16} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(dir, folder)
			wanted := wantedOf(t, dir)
			require.GreaterOrEqual(t, len(wanted), tests)
			assert.Equal(t, wanted, shownBy(t, dir, "."))
		})
	}
	// A run that hangs takes what a package has for its tests, so that these have runs of their own.
	tickers := filepath.Join(dir, "tickers")
	for name, want := range wantedOf(t, tickers) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, shownBy(t, tickers, "-run=^"+name+"$", ".")[name])
		})
	}
	// What is stuck ends the run that it is in. What was left behind before is no part of it.
	hangs := filepath.Join(dir, "hangs")
	const left = "TestBugLeft"
	for name, want := range wantedOf(t, hangs) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := shownBy(t, hangs, "-run=^("+left+"|"+name+")$", ".")
			assert.Equal(t, want, shown[name])
			assert.Equal(t, "leak leak", shown[left])
		})
	}
}

// wantedOf returns what the //want: comments of a folder's tests say, by test; "" for tests
// without one.
func wantedOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	tests, err := subjects.Tests(dir)
	require.NoError(t, err)
	wanted := make(map[string]string)
	for _, test := range tests {
		wanted[test.Name] = test.Want
	}
	return wanted
}

// shownBy returns the kinds and effects of what is confirmed, by test: each once, and "" for
// tests of the folder of which nothing is.
func shownBy(t *testing.T, dir string, args ...string) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	r := run(t, dir, nil, command, append([]string{"test", "-predict.json=" + file, "-predict.witnesses=witnesses/" + filepath.Base(t.Name())}, args...)...)
	require.FileExists(t, file, r)
	kinds := make(map[string][]string)
	for _, f := range readReport(t, file).confirmed() {
		kind := fmt.Sprint(f.Kind, " ", f.Effect)
		if filepath.Base(dir) == "cycles" {
			kind += " of " + strings.Join(f.goroutines(), " ")
		}
		kinds[f.Test] = append(kinds[f.Test], kind)
	}
	shown := make(map[string]string)
	for name := range wantedOf(t, dir) {
		slices.Sort(kinds[name])
		shown[name] = strings.Join(slices.Compact(kinds[name]), ", ")
	}
	return shown
}
