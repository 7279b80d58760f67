//go:build long

package others

import (
	"testing"

	"github.com/stretchr/testify/require"

	// The command runs as a process of its own. This import makes go test run
	// these tests again, and not take their results from its cache, when the
	// command has changed.
	_ "github.com/gopredict/gopredict/internal/command"
	"github.com/gopredict/gopredict/internal/measure/run"
)

// TestSuites runs suites of others that take a few seconds each, plainly and with gopredict: each
// test must come out alike, and each trace be valid. The versions of the modules are fixed: what
// others publish must not break a build here.
func TestSuites(t *testing.T) {
	t.Chdir("../../..")
	j := run.New(t.Context(), "suites", t.TempDir())
	j.Parse()
	for _, s := range parseSuites([]string{
		"github.com/gammazero/workerpool@v1.3.0",
		// One test expects what lasts 70 ms to be there after 55: a busy machine is late.
		"github.com/patrickmn/go-cache@v2.1.0+incompatible -skip=^TestCacheTimes$",
		"context",
	}) {
		t.Run(s.name, func(t *testing.T) {
			b := &suiteBench{Job: j, rounds: 1, keep: t.TempDir()}
			var r suiteRow
			require.NoError(t, run.Catch(func() { b.compare(s, &r) }))
			require.Empty(t, r.Differences)
			require.Positive(t, r.Pass)
			require.Positive(t, r.Events)
			require.Positive(t, r.TraceBytes)
		})
	}
}
