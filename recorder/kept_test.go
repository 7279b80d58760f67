package recorder

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/rewrite"
	"github.com/gopredict/gopredict/recorder/trace"
)

// writeFiles writes files, whose names are relative to dir.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
}

// inputsOf returns those of the module in dir.
func inputsOf(t *testing.T, dir string, change func(*Config)) *inputs {
	t.Helper()
	env, err := gotool.ReadEnv(t.Context(), dir)
	require.NoError(t, err)
	work := t.TempDir()
	writeFiles(t, work, map[string]string{"std.json": "{}"})
	c := &Config{Dir: dir, Env: env, Work: work, Args: gotool.TestArgs{Packages: []string{"./..."}}}
	if change != nil {
		change(c)
	}
	in, err := c.inputs(t.Context(), filepath.Join(work, "std.json"))
	require.NoError(t, err)
	return in
}

// All that a build follows from is in its key: the same gives the same, anything else another.
func TestInputs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	writeFiles(t, dir, map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.26\n\nrequire example.com/d v0.0.0\n\nreplace example.com/d => ../d\n",
		"m.go":             "package m\n\nimport _ \"example.com/d\"\n",
		"m_test.go":        "package m\n",
		"x_test.go":        "package m_test\n",
		"tagged.go":        "//go:build some\n\npackage m\n",
		"sub/s.go":         "package s\n",
		"unused/README.md": "no package",
		"../d/go.mod":      "module example.com/d\n",
		"../d/d.go":        "package d\n",
	})
	seen := map[[32]byte]string{}
	another := func(what string, in *inputs) {
		t.Helper()
		require.NotNil(t, in, what)
		assert.Empty(t, seen[in.key], what)
		seen[in.key] = what
	}
	another("as it is", inputsOf(t, dir, nil))
	again := inputsOf(t, dir, nil)
	assert.Equal(t, "as it is", seen[again.key])
	writeFiles(t, dir, map[string]string{"unused/README.md": "still none"})
	assert.Equal(t, "as it is", seen[inputsOf(t, dir, nil).key])

	for name, text := range map[string]string{
		"m.go":       "package m\n\nimport _ \"example.com/d\" // as long\n",
		"m_test.go":  "package m // a test\n",
		"x_test.go":  "package m_test // an external one\n",
		"tagged.go":  "//go:build some\n\npackage m // go vet reads it\n",
		"../d/d.go":  "package d // what is imported\n",
		"sub/new.go": "package s\n",
		"new/new.go": "package n\n",
		"m.s":        "// assembly\n",
		"go.mod":     "module example.com/m\n\ngo 1.21\n\nrequire example.com/d v0.0.0\n\nreplace example.com/d => ../d\n",
	} {
		writeFiles(t, dir, map[string]string{name: text})
		another(name, inputsOf(t, dir, nil))
	}
	for what, change := range map[string]func(*Config){
		"packages":   func(c *Config) { c.Args.Packages = []string{"."} },
		"tags":       func(c *Config) { c.Args.Flags = []gotool.Flag{{Name: "tags", Value: "some"}} },
		"vet":        func(c *Config) { c.Args.Flags = []gotool.Flag{{Name: "vet", Value: "off"}} },
		"instrument": func(c *Config) { c.InstrumentPatterns = []string{"all"} },
		"all":        func(c *Config) { c.InstrumentAll = true },
		"methods":    func(c *Config) { c.AtomicMethods = true },
		"shim":       func(c *Config) { c.ShimCommand = []string{"shim"} },
		"flags":      func(c *Config) { c.Env.GOFLAGS = "-trimpath" },
		"release":    func(c *Config) { c.Env.GOVERSION = "go1.27.0" },
	} {
		another(what, inputsOf(t, dir, change))
	}
	t.Setenv("GODEBUG", "gotypesalias=0")
	another("environment", inputsOf(t, dir, nil))

	writeFiles(t, dir, map[string]string{"cgo.go": "package m\n\nimport \"C\"\n"})
	t.Setenv("CGO_ENABLED", "1")
	assert.Nil(t, inputsOf(t, dir, nil), "headers are not known")
	writeFiles(t, dir, map[string]string{"cgo.go": "package other\n"})
	assert.Nil(t, inputsOf(t, dir, nil), "a broken package")
}

// keeping makes a build of one file, p.go of the folder dir, as if that had been rewritten.
func keeping(t *testing.T, dir string) (*Build, *inputs, map[string]string) {
	t.Helper()
	writeFiles(t, dir, map[string]string{"p.go": "package p\n"})
	c := &Config{Work: t.TempDir()}
	copied := filepath.Join(c.Work, "src", "p.go")
	writeFiles(t, c.Work, map[string]string{"src/p.go": "package p // rewritten\n"})
	b := &Build{
		conf: c, inputsKnown: true, Tested: []Package{{Path: "p", Dir: dir, HasTests: true}}, Sites: []trace.Site{{ID: 7, Func: "p.F"}},
		dirs: map[string]string{"p": dir}, leftOut: map[string]bool{"q": true}, unmatched: []string{"r"},
		skipped: map[string][]rewrite.Skipped{"p": {{File: "c.go", Reason: "uses cgo"}}}, vetted: vetResult{reports: []vetReport{{"p", "bad"}}},
	}
	file := filepath.Join(dir, "p.go")
	in := &inputs{key: [32]byte{1}, files: []string{file}, read: contentOfAll([]string{file})}
	return b, in, map[string]string{file: copied}
}

// What is kept is there again as it was; what is damaged, or may belong to other files, is not.
func TestKept(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	dir := t.TempDir()
	made, in, replace := keeping(t, dir)
	c := &Config{Work: t.TempDir()}
	missing := func(why string) {
		t.Helper()
		b, err := c.restoreBuild(in, nil)
		require.NoError(t, err)
		assert.Nil(t, b, why)
	}
	missing("nothing was kept yet")

	added := filepath.Join(dir, "new.go")
	require.NoError(t, os.WriteFile(added, nil, 0o666))
	made.storeBuild(in, replace)
	missing("a file was added while it was made")
	_, in, _ = keeping(t, dir)
	writeFiles(t, dir, map[string]string{"p.go": "package p // another\n"})
	made.storeBuild(in, replace)
	missing("a file was changed while it was made")
	_, in, _ = keeping(t, dir)
	made.Properties = []properties.Declaration{{}}
	made.storeBuild(in, replace)
	missing("properties are not kept")
	made.Properties = nil

	made.storeBuild(in, replace)
	got, err := c.restoreBuild(in, map[string]string{"std": "hooked"})
	require.NoError(t, err)
	require.NotNil(t, got)
	overlay, err := os.ReadFile(got.overlay)
	require.NoError(t, err)
	assert.Contains(t, string(overlay), `"std": "hooked"`)
	assert.Contains(t, string(overlay), filepath.Join(c.Work, "src", "p.go"))
	text, err := os.ReadFile(filepath.Join(c.Work, "src", "p.go"))
	require.NoError(t, err)
	assert.Equal(t, "package p // rewritten\n", string(text))
	got.conf, got.overlay = made.conf, made.overlay
	assert.Equal(t, made, got)

	other := *in
	other.key[0]++
	b, err := c.restoreBuild(&other, nil)
	require.NoError(t, err)
	assert.Nil(t, b)
	require.NoError(t, filepath.WalkDir(cache, func(path string, e fs.DirEntry, err error) error {
		if !strings.HasSuffix(path, "-d") {
			return err
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		data[len(data)/2] ^= 1
		return os.WriteFile(path, data, 0o666)
	}))
	missing("it is damaged")
	made.storeBuild(in, replace)
	got, err = c.restoreBuild(in, nil)
	require.NoError(t, err)
	assert.NotNil(t, got, "made anew")
}
