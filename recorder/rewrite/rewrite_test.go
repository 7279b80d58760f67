package rewrite

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
	packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest | packages.NeedEmbedFiles

// load loads packages with their tests as the recorder does.
func load(t *testing.T, dir string, patterns ...string) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: loadMode, Dir: dir, Tests: true}, patterns...)
	require.NoError(t, err)
	return pkgs
}

// A module is a module in a temporary folder, with the stand-in for the
// run-time library as a package of its own.
type module struct {
	dir     string
	path    string // of the stand-in
	overlay string // file, "" before instrument
	result  *Result
	all     bool // see Options.InstrumentAll
	methods bool // see Options.AtomicMethods
}

// newModule writes the files of an archive.
func newModule(t *testing.T, archive *txtar.Archive) *module {
	t.Helper()
	m := &module{dir: t.TempDir(), all: true}
	for _, f := range archive.Files {
		if f.Name == "go.mod" {
			line, _, _ := strings.Cut(string(f.Data), "\n")
			m.path = strings.TrimPrefix(line, "module ") + "/predictrt"
		}
		write(t, filepath.Join(m.dir, f.Name), f.Data)
	}
	stand, err := filepath.Glob("testdata/predictrt/*.go")
	require.NoError(t, err)
	for _, name := range stand {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		// Of a newer language version than the module may have.
		data = append([]byte("//go:build go1.21\n\n"), data...)
		write(t, filepath.Join(m.dir, "predictrt", filepath.Base(name)), data)
	}
	return m
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(t, os.WriteFile(name, data, 0o666))
}

// instrument rewrites the module's packages except the stand-in.
func (m *module) instrument(t *testing.T) {
	t.Helper()
	var pkgs []*packages.Package
	for _, p := range load(t, m.dir, "./...") {
		require.Empty(t, p.Errors)
		if p.PkgPath != m.path && (m.all || !strings.HasSuffix(p.ID, ".test")) {
			pkgs = append(pkgs, p)
		}
	}
	res, err := rewrite(pkgs, filepath.Join(m.dir, ".rewritten"), Options{InstrumentAll: m.all, AtomicMethods: m.methods, Release: runtime.Version()}, m.path)
	require.NoError(t, err)
	m.result = res
	data, err := json.Marshal(map[string]any{"Replace": res.Overlay})
	require.NoError(t, err)
	m.overlay = filepath.Join(m.dir, "overlay.json")
	write(t, m.overlay, data)
}

// output builds and runs the main package, with the overlay if there is one,
// and returns what it prints and its exit status.
func (m *module) output(t *testing.T, env ...string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", exe, "-ldflags=-s -w", "-overlay="+m.overlay, ".")
	if m.overlay == "" {
		build.Args = append(build.Args[:len(build.Args)-2], ".")
	}
	build.Dir = m.dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), env...)
	out, err = cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	// A panic's trace shows addresses.
	text, _, _ := strings.Cut(string(out), "\ngoroutine ")
	return text + "\n" + cmd.ProcessState.String() + "\n"
}

// TestBehaviourIsUnchanged compares what programs print. With hooks for all accesses there are none
// for the operands of formulas.
func TestBehaviourIsUnchanged(t *testing.T) {
	archives, err := filepath.Glob("testdata/behave/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			m := newModule(t, archive)
			want := m.output(t)
			for _, m.all = range []bool{true, false} {
				m.instrument(t)
				assert.Equal(t, want, m.output(t), "all accesses: %v", m.all)
				assert.NotEmpty(t, m.result.Sites)
			}
		})
	}
}
