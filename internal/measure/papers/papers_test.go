package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// A sample: the whole takes ten minutes.
func TestPrograms(t *testing.T) {
	t.Chdir("../../..")
	dir := t.TempDir()
	tool, err := script.Build(t.Context(), ".", dir)
	require.NoError(t, err)
	results, err := measure(t.Context(), tool, dir, regexp.MustCompile("^(cache4j|loader|openjms)$"), "-short")
	require.NoError(t, err)
	require.Len(t, results, 3)
	for _, r := range results {
		all, hit := r.count()
		require.Equal(t, all, hit, "%s: missed %v", r.name, r.missed())
		require.Empty(t, r.unknown, r.name)
		require.GreaterOrEqual(t, r.open[0], hit, r.name)
	}
	require.Equal(t, 24, results[2].goroutines)
	text := document(results)
	require.Contains(t, text, "| loader | 2 | 2 | 1.00 | 0.83 | 0 |\n")
	require.Contains(t, text, "| | PECAN | 4 | 1 | 48 |")
}

// The count by hand names lines that have such accesses: an edit of a program
// may not leave it behind.
func TestCountsByHand(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/papers/programs/*/bugs.txt")
	require.NoError(t, err)
	require.Len(t, files, 27)
	for _, file := range files {
		programs, err := readPrograms(file)
		require.NoError(t, err)
		for _, p := range programs {
			require.Contains(t, papers, p.name, "reference.go has no row of a paper")
			for _, b := range p.bugs {
				for _, place := range b.places {
					requirePlace(t, filepath.Dir(file), place)
				}
			}
		}
	}
}

// requirePlace checks that a place is one: a file and line with some code, and
// r or w.
func requirePlace(t *testing.T, dir, place string) {
	t.Helper()
	m := regexp.MustCompile(`^(\w+\.go):(\d+)[rw]$`).FindStringSubmatch(place)
	require.NotNil(t, m, place)
	text, err := os.ReadFile(filepath.Join(dir, m[1]))
	require.NoError(t, err)
	n := 0
	for _, digit := range m[2] {
		n = n*10 + int(digit-'0')
	}
	lines := strings.Split(string(text), "\n")
	require.Less(t, n, len(lines), place)
	require.Regexp(t, `[.\[=+-]`, lines[n-1], place)
}

func TestBadCount(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	require.NoError(t, os.Mkdir(dir, 0o777))
	file := filepath.Join(dir, "bugs.txt")
	for _, line := range []string{"race a.go:1r", "race real", "race a.go:1r a.go:2w maybe"} {
		require.NoError(t, os.WriteFile(file, []byte("# x\n"+line+"\n"), 0o666))
		_, err := readPrograms(file)
		require.ErrorContains(t, err, "bugs.txt:2: expected a kind")
	}
}
