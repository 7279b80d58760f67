package hooks

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// What tests and examples come to is in the trace, and what they log up to some length, in a
// verbose run as well.
func TestResultsAreTold(t *testing.T) { eachRelease(t, testResultsAreTold) }

func testResultsAreTold(t *testing.T, toolchain string) {
	for _, flag := range []string{"-test.v=false", "-test.v=test2json"} {
		file := filepath.Join(t.TempDir(), "trace")
		cmd := selftest(t, toolchain, flag, "-test.run=^(TestTested|Example_tested)$")
		cmd.Env = append(cmd.Environ(), "TESTED=1", "GOPREDICT_RT=record;trace="+file)
		out, err := cmd.CombinedOutput()
		require.Error(t, err, "%s", out)
		tr, err := trace.ReadFile(file)
		require.NoError(t, err)
		require.True(t, tr.Complete)
		var got []string
		long := 0
		for _, e := range tr.TestEvents {
			require.Less(t, e.Elapsed, time.Minute)
			if strings.Contains(e.Output, "xxx") {
				long++
				continue
			}
			got = append(got, e.Action+" "+e.Test+" "+e.Output)
		}
		require.Equal(t, []string{
			"output TestTested/fails tested_test.go:18: two",
			"output TestTested/fails     lines",
			"output TestTested/fails no end",
			"fail TestTested/fails ",
			"output TestTested/skips tested_test.go:21: no reason",
			"skip TestTested/skips ",
			"output TestTested/bubble tested_test.go:25: inside",
			"pass TestTested/bubble ",
			"output TestTested/talks ...",
			"pass TestTested/talks ",
			"fail TestTested ",
			"output Example_tested got:",
			"output Example_tested one",
			"output Example_tested want:",
			"output Example_tested two",
			"fail Example_tested ",
		}, got)
		require.Less(t, long, 20)
	}
}
