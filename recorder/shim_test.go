package recorder

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/testenv"
	"github.com/gopredict/gopredict/recorder/trace"
)

// TestMain lets this test binary stand for the command and for test binaries:
// called as `recorder.test __exec DIR ...` it is the shim, and with __tool what the go command
// runs its tools through.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "__exec" {
		os.Exit(RunShim(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "__tool" {
		os.Exit(RunTool(os.Args[2], os.Args[3:]))
	}
	os.Exit(testenv.M{M: m}.Run())
}

// script writes an executable shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Fatal("these tests need a shell")
	}
	file := filepath.Join(t.TempDir(), "fake.test")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755))
	return file
}

func shimOf(t *testing.T, set settings, args ...string) (*exec.Cmd, string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, set.write(dir))
	self, err := os.Executable()
	require.NoError(t, err)
	return exec.Command(self, append([]string{"__exec", dir}, args...)...), dir
}

// limited ends what tells predictrt to record.
var limited = fmt.Sprintf(";limit=%d", trace.MaxLoggedBytes)

func TestShimRunsTheBinary(t *testing.T) {
	bin := script(t, `echo "$1 $GOPREDICT_RT"; echo err >&2; cat; exit 7`)
	cmd, dir := shimOf(t, settings{}, bin, "-test.v")
	in, err := os.Open(script(t, "input"))
	require.NoError(t, err)
	defer in.Close()
	cmd.Stdin = in
	out, err := cmd.Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 7, exit.ExitCode())
	assert.Equal(t, "err\n", string(exit.Stderr))

	runs, err := readExecutions(dir)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	wd, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, wd, runs[0].Dir)
	assert.Equal(t, []string{"-test.v"}, runs[0].Args)
	assert.Equal(t, 7, runs[0].Exit)
	assert.Equal(t, "-test.v record;trace="+runs[0].Trace+limited+"\n#!/bin/sh\ninput", string(out))
	saved, err := os.ReadFile(runs[0].Binary)
	require.NoError(t, err)
	assert.Contains(t, string(saved), "exit 7")
}

// What a run leaves among its temporary files no other one finds.
func TestRunsHaveTemporaryFilesOfTheirOwn(t *testing.T) {
	bin := script(t, `set -e; mkdir "${TMPDIR:-/tmp}/left"; echo "$TMPDIR" >>said`)
	dir := t.TempDir()
	for range 2 {
		cmd, _ := shimOf(t, settings{}, bin)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		again, err := Run{Package: Package{Dir: dir}, Binary: bin, Env: os.Environ()}.RecordAgain(t.Context(), NewestFirst, nil, filepath.Join(dir, "trace"), time.Minute)
		require.NoError(t, err)
		assert.Equal(t, Pass, again.Result)
	}
	said, err := os.ReadFile(filepath.Join(dir, "said"))
	require.NoError(t, err)
	used := strings.Fields(string(said))
	assert.Len(t, used, 4)
	assert.Len(t, slices.Compact(slices.Clone(used)), 1, "the same one, as no other run was there")
	for _, folder := range used {
		assert.NoDirExists(t, folder)
	}
}

func TestShimChainsTheUsersExec(t *testing.T) {
	bin := script(t, `echo "bin $1 $GOPREDICT_RT"`)
	wrapper := script(t, `echo "wrapped $1"; shift; exec "$@"`)
	cmd, dir := shimOf(t, settings{Exec: []string{wrapper, "arg"}}, bin, "x")
	out, err := cmd.Output()
	require.NoError(t, err)
	runs, err := readExecutions(dir)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	assert.Equal(t, "wrapped arg\nbin x record;trace="+runs[0].Trace+limited+"\n", string(out))
	saved, err := os.ReadFile(runs[0].Binary)
	require.NoError(t, err)
	assert.Contains(t, string(saved), "bin $1") // not the wrapper
}

func TestShimForwardsQuit(t *testing.T) {
	// The binary says that it is ready, and waits for the signal.
	ready := filepath.Join(t.TempDir(), "ready")
	require.NoError(t, exec.Command("mkfifo", ready).Run())
	bin := script(t, `trap 'echo caught; exit 2' QUIT; echo >"`+ready+`"; while :; do sleep 0.01; done`)
	cmd, _ := shimOf(t, settings{}, bin)
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer out.Close()
	cmd.Stdout = out
	require.NoError(t, cmd.Start())
	_, err = os.ReadFile(ready) // blocks until it is written
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGQUIT))
	assert.EqualError(t, cmd.Wait(), "exit status 2")
	data, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	assert.Equal(t, "caught\n", string(data))
}

func TestShimDiesAsTheBinaryDid(t *testing.T) {
	cmd, dir := shimOf(t, settings{}, script(t, `kill -TERM $$`))
	assert.EqualError(t, cmd.Run(), "signal: terminated")
	runs, err := readExecutions(dir)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	assert.Equal(t, -1, runs[0].Exit)
}

func TestShimErrors(t *testing.T) {
	cmd, _ := shimOf(t, settings{}, filepath.Join(t.TempDir(), "missing.test"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 3, exit.ExitCode())
	assert.Contains(t, string(out), "missing.test: no such file or directory")
}

func TestRunOfPackage(t *testing.T) {
	executions := []execution{{Dir: "/m/a", Exit: 0, Seconds: 2, Binary: "/w/a.test"}, {Dir: "/m/b", Exit: 2}}
	for _, tt := range []struct {
		pkg  Package
		want Result
	}{
		{Package{Dir: "/m/a", HasTests: true}, Pass},
		{Package{Dir: "/m/b", HasTests: true}, Fail},
		{Package{Dir: "/m/c", HasTests: true}, BuildFailed},
		{Package{Dir: "/m/d"}, NoTests},
		{Package{Dir: "/m/e", Broken: true}, BuildFailed},
	} {
		assert.Equal(t, tt.want, newRun(tt.pkg, executions).Result, tt.pkg.Dir)
	}
	assert.Equal(t, "/w/a.test", newRun(Package{Dir: "/m/a"}, executions).Binary)
}

// A binary for another processor is told of as such.
func TestShimOfAForeignBinary(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "foreign.test")
	require.NoError(t, os.WriteFile(bin, []byte("\x00foreign"), 0o755))
	cmd, _ := shimOf(t, settings{}, bin)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Regexp(t, `^gopredict: running .*foreign.test: .*exec format error: it is built for another system .*; -exec=COMMAND names what runs it.*\n$`, string(out))
}
