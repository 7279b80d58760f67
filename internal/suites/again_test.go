//go:build long

package suites

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/replayer/witness"
)

// TestAgain tests subjects a second time, when their witnesses are there: of each
// bug the same is told as before, and it is what the witness says.
func TestAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"misused", "pool", "unproven"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, file := copySubject(t, name), filepath.Join(t.TempDir(), "report.json")
			var told [2][]finding
			for i := range told {
				tested := run(t, dir, nil, command, "test", "-predict.json="+file, "./...")
				require.Equal(t, 1, tested.exit, tested)
				told[i] = readReport(t, file).confirmed()
				for k := range told[i] {
					f := &told[i][k]
					f.Replays = 0 // a recorded run spares the first time some
					require.Equal(t, values(t, filepath.Join(dir, f.Witness)), f.values(), f.ID)
				}
			}
			require.NotEmpty(t, told[0])
			require.Equal(t, told[0], told[1])
		})
	}
}

// values returns those of a finding's interleaving, by step.
func (f finding) values() map[string][]string {
	out := make(map[string][]string)
	for _, s := range f.Interleaving {
		step := f.Test + ":" + s.Goroutine + " " + s.Op
		out[step] = append(out[step], s.Value)
	}
	return out
}

// values returns those of the steps and the violation of a witness, likewise, without what
// package testing does but start tests: no report shows that.
func values(t *testing.T, file string) map[string][]string {
	t.Helper()
	w, err := witness.Load(file)
	require.NoError(t, err)
	out := make(map[string][]string)
	for _, s := range append(w.Steps, w.Violation...) {
		if op := s.Op.String(); op != "begin" && (op == "fork" || !strings.HasPrefix(s.File, "std/testing/")) {
			step := s.Goroutine + " " + s.Op.String()
			out[step] = append(out[step], s.Value)
		}
	}
	return out
}
