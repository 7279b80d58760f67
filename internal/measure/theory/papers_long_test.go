//go:build long

package theory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// A sample: the whole takes ten minutes.
func TestPapers(t *testing.T) {
	t.Chdir("../../..")
	j := run.New(t.Context(), "papers", t.TempDir(), "-run=^(cache4j|loader|openjms)$")
	j.Parse()
	results := measurePapers(j, "-short")
	require.Len(t, results, 3)
	for _, r := range results {
		require.Empty(t, r.MissedReal(), r.Name)
		require.Empty(t, r.Unknown, r.Name)
		require.GreaterOrEqual(t, r.Open[0], r.ConfirmedReal(), r.Name)
	}
	require.Equal(t, 24, results[2].Goroutines)
	text := run.Render(pages, "papers.md", paperPage{results})
	require.Contains(t, text, "| loader | 2 | 2 | 1.00 | 0.83 | 0 |\n")
	require.Contains(t, text, "| | PECAN | 4 | 1 | 48 |")
}
