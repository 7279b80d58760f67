package theory

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.M{M: m}.Run()) }

// The count by hand names lines that have such accesses: an edit of a program
// may not leave it behind.
func TestCountsByHand(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/papers/programs/*/bugs.txt")
	require.NoError(t, err)
	require.Len(t, files, 27)
	for _, file := range files {
		for _, p := range readBugs(file) {
			require.NotEmpty(t, p.Published(), "papers.txt has no row of a paper for %s", p.Name)
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
	n, err := strconv.Atoi(m[2])
	require.NoError(t, err)
	lines := strings.Split(run.ReadFile(filepath.Join(dir, m[1])), "\n")
	require.Less(t, n, len(lines), place)
	require.Regexp(t, `[.\[=+-]`, lines[n-1], place)
}

func TestBadCount(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p", "bugs.txt")
	for _, line := range []string{"race a.go:1r", "race real", "race a.go:1r a.go:2w maybe"} {
		run.WriteFile(file, "# x\n"+line+"\n")
		require.ErrorContains(t, run.Catch(func() { readBugs(file) }), "bugs.txt:2: expected a kind")
	}
}
