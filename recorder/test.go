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
	"time"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/procgroup"
	"github.com/gopredict/gopredict/recorder/predictrt"
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

// A Run is the result of testing one package.
type Run struct {
	Package Package
	Result  Result
	Started time.Time // when the test binary was started
	Seconds float64   // its wall time
	// Processor is the processor time in seconds of the test binary, with that of the processes
	// that it has started and waited for.
	Processor float64
	TimedOut  bool // it was killed, as its time was over, see [Run.RecordAgain]
	// Binary is the saved test binary and Trace its trace, both in Config.Work; "" if it did not
	// run, or was not recorded.
	Binary, Trace   string
	TraceIncomplete bool     // the trace could not be written to its end
	Args, Env       []string // of the test binary
	Order           Order    // of its goroutines
	ExecCommand     []string // the user's -exec command that it ran through; nil: none
}

// UnrecordableFlag returns the flag of c that leaves nothing to predict from, or "": the events of
// benchmarks and of fuzzing would have no end, and the others run no test. Such a command line is
// for [RunPlain].
func (c *Config) UnrecordableFlag() string {
	for _, name := range []string{"bench", "fuzz", "list"} {
		if v, _ := c.flag(name); v != "" {
			return "-" + name
		}
	}
	for _, name := range []string{"c", "n"} {
		if c.isSet(name) {
			return "-" + name
		}
	}
	return ""
}

// RunPlain runs go test as the user typed it, without instrumentation, and returns its exit code.
func RunPlain(ctx context.Context, c *Config) (exit int, err error) {
	return c.goTest(ctx, c.Args.Args())
}

// Test runs go test. It returns the result of each package, and go test's exit code: 0 passed, 1
// failed, 2 wrong usage. An interrupted run is an error.
//
// If the command line asks for coverage, go test runs twice: as the user typed it, and then
// silently to record. The overlay does not apply to coverage: the go command gives the original
// files to cmd/cover, so covered files cannot be instrumented.
func (b *Build) Test(ctx context.Context) (runs []Run, exit int, err error) {
	c := b.conf
	if !c.Args.AsksForCoverage() {
		return b.record(ctx, c)
	}
	if exit, err = RunPlain(ctx, c); err != nil {
		return nil, 0, err
	}
	c.announce("recording")
	silent := *c
	silent.Args = c.Args.WithoutCoverage()
	silent.Stdout, silent.Stderr = io.Discard, io.Discard
	runs, _, err = b.record(ctx, &silent)
	return runs, exit, err
}

// record runs the instrumented tests, with the command line and streams of c.
func (b *Build) record(ctx context.Context, c *Config) (runs []Run, exit int, err error) {
	execs := filepath.Join(c.Work, "runs")
	if err := os.Mkdir(execs, 0o755); err != nil {
		return nil, 0, err
	}
	shim, err := c.shimFlag(execs)
	if err != nil {
		return nil, 0, err
	}
	args := c.Args.Without("vet", "exec")
	rejected := b.vetted.rejected(b.Tested)
	if len(rejected) > 0 {
		exit = 1
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
		linking, err := b.toolexecFlags()
		if err != nil {
			return nil, 0, err
		}
		code, err := c.goTest(ctx, args.Args(slices.Concat(c.buildFlags(b.overlay), linking, []string{"-vet=off", "-exec=" + shim})...))
		if err != nil {
			return nil, 0, err
		}
		exit = max(exit, code)
	}
	executions, err := readExecutions(execs)
	if err != nil {
		return nil, 0, err
	}
	through, err := c.ExecCommand()
	if err != nil {
		return nil, 0, err
	}
	for _, p := range b.Tested {
		r := newRun(p, executions)
		r.ExecCommand = through
		runs = append(runs, r)
	}
	return runs, exit, nil
}

// shimFlag returns go test's -exec flag for a shim that works in dir.
func (c *Config) shimFlag(dir string) (string, error) {
	through, err := c.ExecCommand()
	if err != nil {
		return "", err
	}
	if err := (settings{Exec: through, Env: c.Env.TestVariables}).write(dir); err != nil {
		return "", err
	}
	return gotool.JoinWords(append(slices.Clone(c.ShimCommand), dir))
}

// ExecCommand returns the command, with its arguments, that test binaries are run through: that of
// the user's -exec flag, or the go command's own for another system; nil if there is none.
func (c *Config) ExecCommand() ([]string, error) {
	v, ok := c.flag("exec")
	if !ok {
		return c.Env.CrossExec(), nil
	}
	words, err := gotool.SplitWords(v)
	if err != nil {
		return nil, &UsageError{"-exec: " + err.Error()}
	}
	return words, nil
}

// goTest runs `go test` on the user's standard streams. When ctx ends, it and
// the tests are interrupted as by Ctrl-C, and killed if that does not help.
func (c *Config) goTest(ctx context.Context, args []string) (exit int, err error) {
	cmd := c.command(ctx, append([]string{"test"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			procgroup.Kill(cmd)
		}
		return 0, ctx.Err()
	}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode(), nil
	}
	if errors.Is(err, exec.ErrWaitDelay) { // a process that a test has left running holds its output open
		return cmd.ProcessState.ExitCode(), nil
	}
	return 0, err
}

// readExecutions reads what the shims wrote in dir.
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

// newRun returns the run of p's test, which go test runs in p's folder.
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
		r.Started, r.Seconds, r.Processor = e.Started, e.Seconds, e.Processor
		r.Binary, r.Args, r.Env = e.Binary, e.Args, e.Env
		if _, err := os.Stat(e.Trace); err == nil {
			r.Trace, r.TraceIncomplete = e.Trace, isIncomplete(e.Trace)
		}
	}
	return r
}

// isIncomplete reports whether the program has noted that it could not write all of the trace.
func isIncomplete(trace string) bool {
	_, err := os.Stat(trace + predictrt.Unwritten)
	return err == nil
}

// TestBinary builds the instrumented test binary of the only tested package
// and returns its path. Compile errors go to Config.Stderr, as go test prints
// them.
func (b *Build) TestBinary(ctx context.Context) (string, error) {
	c := b.conf
	if len(b.Tested) != 1 || !b.Tested[0].HasTests {
		return "", fmt.Errorf("%s: expected one package with tests", strings.Join(c.Args.Packages, " "))
	}
	c.announce("building")
	out := filepath.Join(c.Work, filepath.Base(b.Tested[0].Dir)+".test")
	linking, err := b.toolexecFlags()
	if err != nil {
		return "", err
	}
	flags := slices.Concat(c.buildFlags(b.overlay), linking, []string{"-c", "-o=" + out, "-vet=off"})
	if _, given := c.flag("ldflags"); !given && !c.DebugInfo {
		flags = append(flags, "-ldflags=-w -s") // as go test links what it runs
	}
	args := c.Args.Args(flags...)
	sub := *c
	sub.Stdout = io.Discard
	exit, err := sub.goTest(ctx, args)
	if err == nil && exit != 0 {
		err = fmt.Errorf("%s does not build", b.Tested[0].Path)
	}
	return out, err
}

// Commands builds the instrumented main packages that the command line asks
// for into the folder dir, each under the last element of its import path.
// Config.Args must have no flags but those of go build, and -vet. Compile
// errors go to Config.Stderr; packages without them are built nevertheless.
func (b *Build) Commands(ctx context.Context, dir string) error {
	c := b.conf
	c.announce("linking")
	args := c.Args.Without("vet").Args(append(c.buildFlags(b.overlay), "-o="+dir+string(filepath.Separator))...)
	cmd := c.command(ctx, append([]string{"build"}, args...)...)
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	return nil
}

// FiltersTests reports whether the command line selects some of the tests.
func (b *Build) FiltersTests() bool {
	for _, name := range []string{"run", "skip", "short", "failfast"} {
		if _, ok := b.conf.flag(name); ok {
			return true
		}
	}
	return len(b.conf.Args.BinaryArgs) > 0
}
