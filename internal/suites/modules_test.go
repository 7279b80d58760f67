package suites

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// modules are public modules whose own tests are known to be good at
// concurrency: the real input.
var modules = []string{
	"golang.org/x/sync@v0.24.0",
	"github.com/patrickmn/go-cache@v2.1.0+incompatible",
	"github.com/sourcegraph/conc@v0.3.0",
	"github.com/gammazero/workerpool@v1.3.0",
}

// TestModules runs the test suites of others, plainly and with gopredict. Each
// package must pass or fail alike, and leave a valid trace. The confirmed
// findings are printed (go test -v), to be looked at by hand.
func TestModules(t *testing.T) {
	for _, module := range modules {
		t.Run(module, func(t *testing.T) { testModule(t, download(t, module)) })
	}
}

func testModule(t *testing.T, dir string) {
	plain := run(t, dir, nil, "go", "test", "-count=1", "-json", "./...")
	wanted := results(t, plain)
	require.NotEmpty(t, wanted, plain)

	out := t.TempDir()
	file := filepath.Join(out, "report.json")
	predicted := run(t, dir, nil, command, "test",
		"-predict.json="+file, "-predict.keep="+filepath.Join(out, "keep"), "./...")
	require.Contains(t, []int{0, 1}, predicted.exit, predicted)

	r := readReport(t, file)
	got := map[string]string{}
	for _, p := range r.Packages {
		if p.Result == "no tests" {
			continue
		}
		got[p.Package] = p.Result
		require.Positive(t, p.Events, "events of %s\n%s", p.Package, predicted)
		require.Positive(t, p.TraceBytes, "trace of %s", p.Package)
	}
	require.Equal(t, wanted, got, predicted)
	checkTraces(t, filepath.Join(out, "keep"), len(got))
	for _, f := range r.Findings {
		t.Logf("%s %s %s, effect %q, at %v in %s\n%s", f.Status, f.Kind, f.ID, f.Effect, f.sites(), f.Test, f.Reason)
	}
	t.Log(predicted.stdout)
}

// results returns, by package, "pass" or "fail" from the output of go test
// -json. Packages without tests are left out.
func results(t *testing.T, r result) map[string]string {
	t.Helper()
	results := map[string]string{}
	for line := range strings.Lines(r.stdout) {
		var event struct{ Action, Package, Test string }
		require.NoError(t, json.Unmarshal([]byte(line), &event), line)
		if event.Test == "" && (event.Action == "pass" || event.Action == "fail") {
			results[event.Package] = event.Action
		}
	}
	return results
}

// checkTraces checks that dir holds n traces and that each is valid.
func checkTraces(t *testing.T, dir string, n int) {
	t.Helper()
	found := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".trace" {
			return err
		}
		found++
		checked := run(t, dir, nil, command, "trace", "check", path)
		require.Zero(t, checked.exit, checked)
		return nil
	}))
	require.Equal(t, n, found, "traces in %s", dir)
}

// download copies a module from the module cache, where nothing may be
// written, and returns the copy's folder.
func download(t *testing.T, module string) string {
	t.Helper()
	r := run(t, t.TempDir(), nil, "go", "mod", "download", "-json", module)
	require.Zero(t, r.exit, r)
	var info struct{ Dir string }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &info), r)
	dir := filepath.Join(t.TempDir(), "module")
	require.NoError(t, os.CopyFS(dir, os.DirFS(info.Dir)))
	// Modules from before Go 1.11 have no go.mod.
	mod := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(mod); err != nil {
		path, _, _ := strings.Cut(module, "@")
		require.NoError(t, os.WriteFile(mod, []byte("module "+path+"\n\ngo 1.26\n"), 0o666))
	}
	return dir
}
