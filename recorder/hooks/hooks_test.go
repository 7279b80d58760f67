package hooks

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// goEnv returns GOROOT and GOVERSION of the toolchain that GOTOOLCHAIN names.
func goEnv(t *testing.T, toolchain string) (goroot, version string) {
	t.Helper()
	cmd := exec.Command("go", "env", "GOROOT", "GOVERSION")
	cmd.Dir = t.TempDir()
	if toolchain != "" {
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain)
	}
	out, err := cmd.Output()
	require.NoError(t, err)
	f := strings.Fields(string(out))
	require.Len(t, f, 2)
	return f[0], f[1]
}

var selftest = struct {
	sync.Once
	binary string
	err    error
}{}

// selftestBinary compiles testdata/selftest under the overlay, once, and returns the
// test binary.
func selftestBinary(t *testing.T) string {
	t.Helper()
	selftest.Do(func() {
		goroot, version := goEnv(t, "")
		var dir string
		if dir, selftest.err = os.MkdirTemp("", "hooks"); selftest.err != nil {
			return
		}
		replace, err := Overlay(goroot, version, filepath.Join(dir, "std"))
		if err != nil {
			selftest.err = err
			return
		}
		text, _ := json.Marshal(map[string]any{"Replace": replace})
		overlay := filepath.Join(dir, "overlay.json")
		if selftest.err = os.WriteFile(overlay, text, 0o666); selftest.err != nil {
			return
		}
		selftest.binary = filepath.Join(dir, "self.test")
		cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-c", "-o", selftest.binary, ".")
		cmd.Dir = filepath.Join("testdata", "selftest")
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			selftest.err = &exec.Error{Name: string(out), Err: err}
		}
	})
	require.NoError(t, selftest.err)
	return selftest.binary
}

func TestMain(m *testing.M) {
	code := m.Run()
	if selftest.binary != "" {
		os.RemoveAll(filepath.Dir(selftest.binary))
	}
	os.Exit(code)
}

// run runs the tests of the self-test that pattern names. mode is what
// GOPREDICT_RT holds, with $DIR for the folder that is returned.
func run(t *testing.T, mode, pattern string, env ...string) (dir, output string, err error) {
	t.Helper()
	dir = t.TempDir()
	cmd := exec.Command(selftestBinary(t), "-test.run", pattern)
	cmd.Env = append(append(os.Environ(), env...), "GOPREDICT_RT="+strings.ReplaceAll(mode, "$DIR", dir))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return dir, out.String(), err
}

// record runs tests in record mode and returns the valid trace.
func record(t *testing.T, pattern string) *trace.Trace {
	t.Helper()
	dir, out, err := run(t, "record;trace=$DIR/trace", pattern)
	require.NoError(t, err, out)
	tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
	require.NoError(t, err)
	require.True(t, tr.Complete)
	tr.AddSites(sites)
	require.NoError(t, trace.Validate(tr))
	return tr
}

// sites are what the self-test calls the rewriter's sites.
var sites = []trace.Site{
	{ID: trace.SiteRewritten | 1, Key: 1<<31 | 1, Func: "write", File: "race_test.go", Line: 1, Op: "write"},
	{ID: trace.SiteRewritten | 2, Key: 1<<31 | 2, Func: "read", File: "race_test.go", Line: 2, Op: "read"},
	{ID: trace.SiteRewritten | 3, Key: 1<<31 | 3, Func: "spin", File: "race_test.go", Line: 3, Op: "read"},
	{ID: trace.SiteRewritten | 4, Key: 1<<31 | 4, Func: "atomic", File: "race_test.go", Line: 4, Op: "armw"},
}

// testName is the test of the self-test that makes a hook fire.
func testName(h Hook) string {
	prefix := "Test"
	if h.Decl == "fRunner" {
		prefix = "Fuzz"
	}
	return prefix + camel(h.Package) + camel(h.Decl)
}

func camel(s string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("(*)./_ ", r) }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func TestEveryHookFires(t *testing.T) {
	tr := record(t, "^(Test(Runtime|Sync|Time|Testing)|FuzzTesting)")
	seen := map[string]map[trace.Kind]bool{}
	for _, e := range tr.Events {
		switch fn := tr.Sites[e.Site].Func; {
		case strings.HasPrefix(fn, "testing."), strings.HasPrefix(fn, "fmt."):
			continue
		}
		name := tr.Goroutines[e.G].Test
		if seen[name] == nil {
			seen[name] = map[trace.Kind]bool{}
		}
		seen[name][e.Kind] = true
	}
	for _, h := range Table() {
		for _, k := range h.Kinds {
			if !seen[testName(h)][k] {
				t.Errorf("%s.%s: expected an event %s in %s, found none", h.Package, h.Decl, k, testName(h))
			}
		}
	}
}

func TestEveryAtomicMethodFires(t *testing.T) {
	tr := record(t, "^TestSyncAtomicTypes$")
	n := map[trace.Kind]int{}
	for _, e := range tr.Events {
		if strings.HasPrefix(tr.Sites[e.Site].Func, "selftest.") {
			n[e.Kind]++
		}
	}
	require.Equal(t, 7, n[trace.AtomicLoad])
	require.Equal(t, 7, n[trace.AtomicStore])
	require.Equal(t, 29, n[trace.AtomicRMW])
}

func TestSpinLoopsEnd(t *testing.T) { record(t, "^TestSpin$") }

func TestModeIsNotInherited(t *testing.T) { record(t, "^TestEnvironment$") }

func TestOffWritesNothing(t *testing.T) {
	dir, out, err := run(t, "", "^Test")
	require.NoError(t, err, out)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
}

func TestCrashLeavesTrace(t *testing.T) {
	dir, out, err := run(t, "record;trace=$DIR/trace", "^TestCrash$", "CRASH=1")
	require.Error(t, err, out)
	require.Contains(t, out, "panic: expected")
	tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
	require.NoError(t, err)
	require.False(t, tr.Complete)
	require.NoError(t, trace.Validate(tr))
	var kinds []trace.Kind
	for _, e := range tr.Events {
		kinds = append(kinds, e.Kind)
	}
	require.Contains(t, kinds, trace.Panic)
}

func TestBadModeIsRefused(t *testing.T) {
	for _, mode := range []string{"record", "replay;plan=$DIR/none;verdict=$DIR/v", "record;trace=$DIR/no/such", "x"} {
		_, out, err := run(t, mode, "^TestRace$")
		require.Error(t, err, mode)
		require.Contains(t, out, "gopredict: ", mode)
	}
}
