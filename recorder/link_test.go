package recorder

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/gotool"
)

// asTool returns the command that calls [RunTool], and the folder for what it keeps.
func asTool(t *testing.T) (command []string, kept string) {
	self, err := os.Executable()
	require.NoError(t, err)
	return []string{self, "__tool"}, filepath.Join(t.TempDir(), "kept")
}

// linker writes a script that links as the go command has it called: to the file behind -o go the
// arguments, and a line more to calls.
func linker(t *testing.T, text string) (link, calls string) {
	dir := t.TempDir()
	link, calls = filepath.Join(dir, "link"), filepath.Join(dir, "calls")
	require.NoError(t, os.WriteFile(link, fmt.Appendf(nil, "#!/bin/sh\necho x >> %q\n%s\necho \"$@\" > \"$2\"\nchmod +x \"$2\"\n", calls, text), 0o755))
	return link, calls
}

// What was linked once of the same is there again, executable, wherever the go command works; and nothing
// else is.
func TestToolLinksOnce(t *testing.T) {
	command, kept := asTool(t)
	link, calls := linker(t, "")
	n := 0
	run := func(id, mode, importPath string) (written string) {
		t.Helper()
		n++
		work := t.TempDir()
		out := filepath.Join(work, "p.test")
		cmd := exec.Command(command[0], append(command[1:], kept, link, "-o", out, "-importcfg", filepath.Join(work, "importcfg"),
			"-buildmode="+mode, "-buildid="+id, filepath.Join(work, "main.a"))...)
		cmd.Env = append(os.Environ(), "TOOLEXEC_IMPORTPATH="+importPath)
		printed, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", printed)
		assert.Empty(t, printed)
		info, err := os.Stat(out)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&0o100, "executable")
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		_, written, _ = strings.Cut(string(text), "-buildmode")
		written, _, _ = strings.Cut(written, " /")
		return written
	}
	linked := func(times int) {
		t.Helper()
		text, err := os.ReadFile(calls)
		require.NoError(t, err)
		assert.Len(t, strings.Fields(string(text)), times)
	}
	first := run("a/b", "exe", "p.test")
	linked(1)
	assert.Equal(t, first, run("a/b", "exe", "p.test"))
	linked(1)
	run("a/b", "pie", "p.test") // otherwise
	run("a/b", "exe", "q.test") // elsewhere
	linked(3)
	run("c/d", "exe", "p.test") // of something else: from now on that is kept
	linked(4)
	assert.NotEqual(t, first, run("c/d", "exe", "p.test"))
	linked(4)
	run("a/b", "pie", "p.test")
	run("a/b", "exe", "q.test")
	linked(4)
	run("a/b", "exe", "p.test")
	linked(5)

	require.NoError(t, filepath.WalkDir(kept, func(file string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, "-d") {
			return os.Truncate(file, 1)
		}
		return err
	}))
	assert.Equal(t, first, run("a/b", "exe", "p.test"), "what is damaged is linked anew")
	linked(6)
}

// All that is no linking passes through, and a failure of the linker is the go command's to tell.
func TestToolPassesOn(t *testing.T) {
	command, kept := asTool(t)
	link, calls := linker(t, "")
	call := func(args ...string) (string, int) {
		cmd := exec.Command(command[0], append(append(command[1:], kept), args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			require.NotNil(t, cmd.ProcessState, "%v", err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	out := filepath.Join(t.TempDir(), "out")
	for range 2 { // not known of what
		_, code := call(link, "-o", out, "-buildmode=exe", "main.a")
		assert.Zero(t, code)
	}
	text, err := os.ReadFile(calls)
	require.NoError(t, err)
	assert.Len(t, strings.Fields(string(text)), 2)

	failing, _ := linker(t, "echo undefined: f >&2; exit 7")
	for range 2 {
		printed, code := call(failing, "-o", out, "-buildid=a/b", "main.a")
		assert.Equal(t, "undefined: f\n", printed)
		assert.Equal(t, 7, code)
	}
	printed, code := call(script(t, `echo "compile version go1.26"`), "-V=full")
	assert.Equal(t, "compile version go1.26\n", printed)
	assert.Zero(t, code)
	assert.NoDirExists(t, kept)

	_, code = call(filepath.Join(t.TempDir(), "missing"), "-V=full")
	assert.NotZero(t, code)
	_, code = call()
	assert.NotZero(t, code)
}

// Tests with flags of their own for the linker, or parts that the go command knows nothing of, are
// linked by the go command alone.
func TestToolexec(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	flag := func(known bool, change func(*Config)) []string {
		c := &Config{Work: t.TempDir(), ToolCommand: []string{"gopredict", "__tool"}}
		if change != nil {
			change(c)
		}
		flags, err := (&Build{conf: c, inputsKnown: known}).toolexecFlags()
		require.NoError(t, err)
		return flags
	}
	require.Len(t, flag(true, nil), 1)
	assert.Contains(t, flag(true, nil)[0], "-toolexec=gopredict __tool ")
	assert.Empty(t, flag(false, nil), "there is cgo")
	assert.Empty(t, flag(true, func(c *Config) { c.ToolCommand = nil }))
	assert.Empty(t, flag(true, func(c *Config) { c.Env.GOFLAGS = "-ldflags=-linkmode=external" }))
	assert.Empty(t, flag(true, func(c *Config) { c.Args.Flags = []gotool.Flag{{Name: "toolexec", Value: "mine"}} }))
}
