//go:build long

package bugs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	// The command runs as a process of its own. This import makes go test run
	// these tests again, and not take their results from its cache, when the
	// command has changed.
	_ "github.com/gopredict/gopredict/internal/command"
	"github.com/gopredict/gopredict/internal/measure/run"
)

// TestVariations runs the command once on all variations. Each is confirmed, but
// for those of open.txt, and nothing is confirmed where all is right.
func TestVariations(t *testing.T) {
	t.Chdir("../../..")
	j := run.New(t.Context(), "variations", t.TempDir())
	j.Parse()
	dir, sets := copyVariations(j)
	open := make(map[string]bool)
	for _, line := range strings.Fields(run.ReadFile(filepath.Join(dir, "open.txt"))) {
		open[line] = true
	}
	predictVariations(j, dir, sets)
	n := 0
	for _, s := range sets {
		for _, v := range s.Tests {
			name := s.Name + "." + v.Name
			switch {
			case v.IsCorrect || v.IsSetup:
				if len(confirmed(v.findings)) > 0 {
					t.Errorf("%s: expected nothing confirmed, found %+v", name, v.findings)
				}
				continue
			case v.Confirmed() != "" && open[name]:
				t.Logf("%s: confirmed; it need not be in open.txt any more", name)
			case v.Confirmed() == "" && !open[name]:
				t.Errorf("%s: %s expected a confirmed bug, found: %s", name, v.Form, v.unconfirmedReason())
			}
			delete(open, name)
			n++
		}
	}
	require.GreaterOrEqual(t, n, 120)
	require.Empty(t, open, "open.txt names tests that are not there")
}

// A sample: the whole takes some minutes.
func TestReplayOneSubject(t *testing.T) {
	t.Chdir("../../..")
	j := run.New(t.Context(), "replay", t.TempDir())
	j.Parse()
	p := replayPage{N: 3, Conditions: replayConditions}
	p.reach(j, []string{"rwcache"})
	require.True(t, p.good())
	text := run.Render(pages, "replay.md", p)
	require.Equal(t, 2, strings.Count(text, "| 3 | 3 | 3 | 3 | 3 | 3 |\n"), "%s", text)
}

// Of each form of what was told wrongly the right is told, but for those of open.
func TestForms(t *testing.T) {
	t.Chdir("../../..")
	j := run.New(t.Context(), "forms", t.TempDir())
	j.Parse()
	open := map[string]bool{
		"afterfunc.TestSubtest":       true,
		"recorded.TestKernelPipe":     true,
		"recorded.TestStartStop":      true,
		"recorded.TestBothRead":       true,
		"tickers.TestPolls":           true,
		"tickers.TestSetsItselfAgain": true,
	}
	for _, s := range formSets {
		subject, folder, _ := strings.Cut(s.folder, "/")
		if subject != "forms" {
			continue // others test these
		}
		for _, f := range s.measure(j, 0, 0).Forms {
			if name := folder + "." + f.Name; f.IsWrong() && !open[name] {
				t.Errorf("%s: expected %q, found %q", name, f.Want, f.Said)
			}
		}
	}
}
