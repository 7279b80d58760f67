package recorder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gopredict/gopredict/internal/gotool"
)

// A Result says how the recorded run of a package's tests ended.
type Result string

// The results, in the words of the JSON report.
const (
	Pass        Result = "pass"
	Fail        Result = "fail"
	BuildFailed Result = "build-failed"
	NoTests     Result = "no tests"
)

// A Run is what came of testing one package.
type Run struct {
	Package Package
	Result  Result
	Seconds float64 // wall time of the test binary
	// Binary is the saved test binary and Trace its trace, both in
	// Config.Work; "" if it did not run, or was not recorded.
	Binary, Trace string
	Args          []string // of the test binary
}

// Test runs go test once. It returns what came of each package, and go test's
// exit code: 0 passed, 1 failed, 2 wrong usage. An interrupted run is an error.
func (b *Build) Test(ctx context.Context) (runs []Run, exit int, err error) {
	c := b.conf
	execs := filepath.Join(c.Work, "runs")
	if err := os.Mkdir(execs, 0o755); err != nil {
		return nil, 0, err
	}
	set := settings{Record: b.NotRecorded() == ""}
	if v, ok := c.flag("exec"); ok {
		if set.Exec, err = gotool.SplitWords(v); err != nil {
			return nil, 0, &UsageError{"-exec: " + err.Error()}
		}
	}
	if err := set.write(execs); err != nil {
		return nil, 0, err
	}
	shim, err := gotool.JoinWords(append(slices.Clone(c.Shim), execs))
	if err != nil {
		return nil, 0, err
	}

	args := c.Args
	rejected := b.vetted.rejected(b.Tested)
	if len(rejected) > 0 {
		args.Packages = nil
		for _, p := range b.Tested {
			if reports := rejected[p.Path]; reports != nil {
				c.printVet(p.Path, reports)
			} else {
				args.Packages = append(args.Packages, p.Path)
			}
		}
	}
	if len(rejected) == 0 || len(args.Packages) > 0 {
		args = args.Without("vet", "exec")
		if exit, err = c.goTest(ctx, args.Args("-overlay="+b.overlay, "-vet=off", "-exec="+shim)); err != nil {
			return nil, 0, err
		}
	}
	if len(rejected) > 0 {
		exit = max(exit, 1)
	}
	executions, err := readExecutions(execs)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range b.Tested {
		runs = append(runs, newRun(p, executions))
	}
	return runs, exit, nil
}

// NotRecorded returns the flag that makes recording of no use, or "": the
// events of benchmarks and of fuzzing would have no end.
func (b *Build) NotRecorded() string {
	for _, name := range []string{"bench", "fuzz", "list"} {
		if v, _ := b.conf.flag(name); v != "" {
			return "-" + name
		}
	}
	return ""
}

// grace is the time that interrupted tests have to end.
const grace = 5 * time.Second

// goTest runs `go test` on the user's standard streams. When ctx ends, it and
// the tests are interrupted as by Ctrl-C, and killed if that does not help.
func (c *Config) goTest(ctx context.Context, args []string) (exit int, err error) {
	cmd := gotool.Command(ctx, c.Dir, append([]string{"test"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	ownGroup(cmd)
	cmd.Cancel = func() error { return signalGroup(cmd, syscall.SIGINT) }
	cmd.WaitDelay = grace
	err = cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			signalGroup(cmd, syscall.SIGKILL)
		}
		return 0, ctx.Err()
	}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode(), nil
	}
	return 0, err
}

// readExecutions reads what the shims left in dir.
func readExecutions(dir string) ([]execution, error) {
	files, err := filepath.Glob(filepath.Join(dir, "exec-*", executionFile))
	if err != nil {
		return nil, err
	}
	var out []execution
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var e execution
		if err := json.Unmarshal(data, &e); err != nil {
			return nil, fmt.Errorf("%s: %v", file, err)
		}
		out = append(out, e)
	}
	return out, nil
}

// newRun finds the execution of p's test: go test runs it in p's folder.
func newRun(p Package, executions []execution) Run {
	r := Run{Package: p, Result: BuildFailed}
	if !p.HasTests && !p.Broken {
		r.Result = NoTests
	}
	for _, e := range executions {
		if e.Dir != p.Dir {
			continue
		}
		r.Result = Pass
		if e.Exit != 0 {
			r.Result = Fail
		}
		r.Seconds, r.Binary, r.Args = e.Seconds, e.Binary, e.Args
		if _, err := os.Stat(e.Trace); e.Trace != "" && err == nil {
			r.Trace = e.Trace
		}
	}
	return r
}

// TestBinary builds the instrumented test binary of the only tested package
// and returns its path. Compile errors go to Config.Stderr, as go test prints
// them.
func (b *Build) TestBinary(ctx context.Context) (string, error) {
	c := b.conf
	if len(b.Tested) != 1 || !b.Tested[0].HasTests {
		return "", fmt.Errorf("%s: want one package with tests", strings.Join(c.Args.Packages, " "))
	}
	c.phase("building")
	out := filepath.Join(c.Work, filepath.Base(b.Tested[0].Dir)+".test")
	args := c.Args.Args("-c", "-o="+out, "-overlay="+b.overlay, "-vet=off")
	sub := *c
	sub.Stdout = io.Discard
	exit, err := sub.goTest(ctx, args)
	if err == nil && exit != 0 {
		err = fmt.Errorf("%s does not build", b.Tested[0].Path)
	}
	return out, err
}

// FiltersTests reports whether the command line selects some of the tests.
func (b *Build) FiltersTests() bool {
	for _, name := range []string{"run", "skip", "short", "failfast"} {
		if _, ok := b.conf.flag(name); ok {
			return true
		}
	}
	return len(b.conf.Args.Rest) > 0
}
