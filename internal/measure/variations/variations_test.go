package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/script"

	// The command runs as a process of its own. This import makes go test run
	// this test again, and not take its result from its cache, when the command
	// has changed.
	_ "github.com/gopredict/gopredict/internal/command"
)

// TestVariations runs the command once on all variations. Each is confirmed, but
// for those of open.txt, and nothing is confirmed where all is right.
func TestVariations(t *testing.T) {
	const root, subjectDir = "../../..", "../../../testdata/kinds/variations"
	tool, err := script.Build(t.Context(), root, t.TempDir())
	require.NoError(t, err)
	s := &subject{dir: filepath.Join(t.TempDir(), "variations"), tool: tool}
	require.NoError(t, s.copy(subjectDir))
	text, err := os.ReadFile(filepath.Join(s.dir, "open.txt"))
	require.NoError(t, err)
	open := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		open[strings.TrimSpace(line)] = true
	}

	require.NoError(t, s.predict(t.Context()))
	variations := 0
	for _, p := range s.pkgs {
		for _, v := range p.tests {
			name := p.name + "." + v.name
			switch {
			case p.name == right || v.warms:
				if v.anything() {
					t.Errorf("%s: expected nothing confirmed, found %+v", name, v.findings)
				}
				continue
			case v.confirmed() != "" && open[name]:
				t.Logf("%s: confirmed; it need not be in open.txt any more", name)
			case v.confirmed() == "" && !open[name]:
				t.Errorf("%s: %s expected a confirmed bug, found: %s", name, v.form, v.lost())
			}
			delete(open, name)
			variations++
		}
	}
	require.GreaterOrEqual(t, variations, 120)
	require.Empty(t, open, "open.txt names tests that are not there")
}
