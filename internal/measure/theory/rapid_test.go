package theory

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder/trace"
)

// The traces in testdata were written for this project, with known answers:
// pairs of lines that race, and lines of atomicity violations.
func TestKnownAnswers(t *testing.T) {
	j := run.New(t.Context(), "rapid", t.TempDir())
	for name, want := range map[string]struct {
		races []pair
		atoms [][]int
	}{
		"race_syncp":       {races: []pair{{10, 23}}},
		"race_reversal":    {races: []pair{{14, 21}}},
		"atom_observed":    {atoms: [][]int{{12, 22, 15}}},
		"atom_predictable": {atoms: [][]int{{12, 22, 15}}},
		"dl_classic":       {},
		"dl_forkorder":     {},
		"dl_guarded":       {},
	} {
		file := filepath.Join("testdata", name+".std")
		c := compareRaces(j, file)
		require.ElementsMatch(t, want.races, slices.Collect(maps.Keys(c.racy.pairs)), name)
		require.Zero(t, c.undecided, name)
		require.True(t, c.covers(), name)

		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tr, err := trace.ReadRAPID(bytes.NewReader(text))
		require.NoError(t, err)
		matches, err := analysis.Predict(t.Context(), tr, analysis.Options{Kinds: []bug.Kind{bug.Atomicity, bug.AtomicSet}})
		require.NoError(t, err)
		var atoms [][]int
		for _, f := range matches.Findings {
			require.Equal(t, bug.Predicted, f.Status, name)
			var lines []int
			for _, i := range f.Accesses {
				lines = append(lines, line(tr, i))
			}
			atoms = append(atoms, lines)
		}
		require.Equal(t, want.atoms, atoms, name)
	}
}

func TestNoTraces(t *testing.T) {
	err := run.Catch(func() { rapid(run.New(t.Context(), "rapid", t.TempDir(), t.TempDir())) })
	require.ErrorContains(t, err, "no *.std files in")
}
