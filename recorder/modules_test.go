package recorder

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/gotool"
)

// The packages to instrument are those of other modules that the program's own packages import.
func TestImportedForeign(t *testing.T) {
	type module = struct{ Main bool }
	list := []*listedPackage{
		{ImportPath: "fmt", Standard: true},
		{ImportPath: "example.com/us", Module: &module{true}, Imports: []string{"fmt", "example.com/us/sub", "example.com/them"}},
		{ImportPath: "example.com/us [example.com/us.test]", Module: &module{true}, Imports: []string{"example.com/check [example.com/us.test]", "example.com/them"}},
		{ImportPath: "example.com/us/sub", Module: &module{true}},
		{ImportPath: "example.com/check", Module: &module{}},
		{ImportPath: "example.com/them", Module: &module{}, Imports: []string{"example.com/deep"}},
		{ImportPath: "example.com/deep", Module: &module{}},
		{ImportPath: "github.com/gopredict/gopredict/gotestplugin", Module: &module{}},
	}
	list[3].Imports = []string{"github.com/gopredict/gopredict/gotestplugin"}
	assert.Equal(t, []string{"example.com/check", "example.com/them"}, importedForeign(list))
}

func TestModuleFlags(t *testing.T) {
	flags := func(change func(*Config)) []string {
		c := &Config{ToolCommand: []string{"gopredict", "__tool"}, foreign: []string{"example.com/them"}}
		change(c)
		return c.moduleFlags()
	}
	require.Len(t, flags(func(*Config) {}), 2)
	assert.Contains(t, flags(func(*Config) {})[0], "-toolexec=gopredict __tool")
	assert.Contains(t, flags(func(*Config) {})[1], "-gcflags=example.com/them=-D="+compilerMark)
	assert.Empty(t, flags(func(c *Config) { c.foreign = nil }))
	assert.Empty(t, flags(func(c *Config) { c.ToolCommand = nil }))
	assert.Empty(t, flags(func(c *Config) { c.InstrumentPatterns = []string{"work"} }), "the user selects")
	for _, name := range []string{"gcflags", "toolexec"} {
		assert.Empty(t, flags(func(c *Config) { c.Args.Flags = []gotool.Flag{{Name: name, Value: "-N"}} }), name)
	}
}

// A marked package is compiled from copies with hooks, under its own names of files, and as it is if
// that does not work. Other packages are left alone.
func TestCompilesForeign(t *testing.T) {
	for name, source := range map[string]string{
		"plain":   "package them\n\ntype T struct{ n int }\n\nfunc (t *T) Inc() { t.n++ }\n",
		"generic": "package them\n\ntype T[E any] struct{ items []E }\n\nfunc (t *T[E]) Push(e E) { t.items = append(t.items, e) }\n",
		"shadows": "package them\n\ntype uintptr struct{ n int }\n\nfunc (t *uintptr) Inc() { t.n++ }\n",
		"nothing": "package them\n\nfunc F() int { return 1 }\n",
	} {
		dir := t.TempDir()
		file, config, out := filepath.Join(dir, "them.go"), filepath.Join(dir, "importcfg"), filepath.Join(dir, "them.a")
		require.NoError(t, os.WriteFile(file, []byte(source), 0o666))
		require.NoError(t, os.WriteFile(config, nil, 0o666))
		compile := func(mark string) string {
			args := []string{"tool", "-n", "compile"}
			tool, err := exec.Command("go", args...).Output()
			require.NoError(t, err)
			args = []string{strings.TrimSpace(string(tool)), "-o", out, "-trimpath", dir + "/work=>", "-p", "example.com/them", "-lang=go1.18", "-complete", "-importcfg", config, "-pack", file}
			if mark != "" {
				args = append(args[:3:3], append([]string{mark}, args[3:]...)...)
			}
			assert.Zero(t, RunTool("", args), name)
			text, err := os.ReadFile(out)
			require.NoError(t, err)
			return string(text)
		}
		hooked := compile("-D=" + compilerMark + "1")
		assert.Equal(t, name == "plain" || name == "generic", strings.Contains(hooked, "predictrt.LogInside"), name)
		assert.Contains(t, hooked, file, name)
		assert.NotContains(t, hooked, "gopredict-module-", name)
		assert.NotContains(t, compile(""), "predictrt", name)
	}
}
