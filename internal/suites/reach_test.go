package suites

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What recordings do not come to is found by exploring, until nothing is left.
func TestReach(t *testing.T) {
	t.Parallel()
	dir := copySubject(t, "reach")
	file := filepath.Join(t.TempDir(), "report.json")
	r := run(t, dir, nil, command, "test", "-predict.json="+file, "-predict.explore=60", "-predict.runs=1", "-predict.kinds=failure,deadlock")
	require.FileExists(t, file, r)
	report := readReport(t, file)
	shown, complete := make(map[string]string), make(map[string]bool)
	for _, f := range report.confirmed() {
		shown[f.Test] = string(f.Kind) + " " + string(f.Effect)
	}
	for _, pkg := range report.Packages {
		for _, e := range pkg.Explored {
			complete[e.Test] = e.Complete
		}
	}
	for name, want := range wantedOf(t, dir) {
		assert.Equal(t, want, shown[name], name)
		assert.Equal(t, !strings.HasPrefix(name, "TestOpen"), complete[name], "%s is explored completely", name)
	}
}
