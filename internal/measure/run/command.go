package run

import (
	"bytes"
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
	"github.com/gopredict/gopredict/internal/report"
)

// A Command is run in a folder. A relative Dir is below the module's root.
type Command struct {
	Dir   string
	Env   []string      // beside this process's own
	Limit time.Duration // 0: none
	Watch bool          // measure the memory of the process itself, without its children
	Args  []string
	// Through is a command that Args are run through, with its arguments.
	Through []string
}

// A Process is what a command has done and taken.
type Process struct {
	Stdout    string
	Output    string // standard output and standard error
	Code      int    // -1: a signal has ended it
	State     string // "exit status 1"
	Ended     bool   // within the limit
	Elapsed   time.Duration
	Processor time.Duration // with all children
	Memory    float64       // greatest resident memory of one process, in MiB; 0: unknown
}

// Run runs a command to its end. An exit code other than 0 is no error.
func (j *Job) Run(c Command) Process {
	ctx, cancel := j.ctx, func() {}
	if c.Limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.Limit)
	}
	defer cancel()
	line := slices.Concat(c.Through, c.Args)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // gopredict ends its own children
	cmd.WaitDelay = time.Minute
	cmd.Dir = c.Dir
	cmd.Env = append(cmd.Environ(), c.Env...)
	var stdout, both bytes.Buffer
	output := &lockedWriter{w: &both}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, output), output
	start := time.Now()
	Check(cmd.Start())
	peak := func() float64 { return Peak(cmd.ProcessState) }
	if c.Watch {
		peak = watchMemory(cmd.Process.Pid)
	}
	err := cmd.Wait()
	p := Process{Ended: ctx.Err() == nil, Elapsed: time.Since(start), Memory: peak()}
	Check(context.Cause(j.ctx))
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) && p.Ended {
		Fail("%s: %w\n%s", strings.Join(c.Args, " "), err, both.String())
	}
	state := cmd.ProcessState
	p.Stdout, p.Output, p.Code, p.State = stdout.String(), both.String(), state.ExitCode(), state.String()
	p.Processor = state.UserTime() + state.SystemTime()
	return p
}

// Succeed runs a command that has to exit with one of the codes; without any, with 0.
func (j *Job) Succeed(c Command, codes ...int) Process {
	p := j.Run(c)
	good := p.Ended && p.Code == 0
	for _, code := range codes {
		good = good || p.Ended && p.Code == code
	}
	if !good {
		Fail("%s: %s\n%s", strings.Join(c.Args, " "), p.State, p.Output)
	}
	return p
}

// Go runs the go command in dir, which has to succeed, and returns its standard output.
func (j *Job) Go(dir string, args ...string) string {
	return strings.TrimSpace(string(Must(gotool.Output(j.ctx, dir, args...))))
}

// Test runs a test of a package verbosely, with these flags, and reports whether it passes.
func (j *Job) Test(pkg, test string, flags ...string) bool {
	p := j.Run(Command{Args: append([]string{"go", "test", "-tags=long", "-count=1", "-v", "-timeout=0", "-run=" + test, pkg}, flags...)})
	fmt.Print(p.Output)
	return p.Code == 0
}

// Predict runs gopredict test with these arguments in dir, and returns its report. However busy
// the machine is, what is found follows from no time.
func (j *Job) Predict(dir string, args ...string) (*report.Report, Process) {
	return j.PredictWith(Command{Dir: dir, Args: args})
}

// PredictWith is Predict with an environment and a limit.
func (j *Job) PredictWith(c Command) (*report.Report, Process) {
	file := filepath.Join(Must(os.MkdirTemp(j.Dir, "report-")), "report.json")
	defer os.RemoveAll(filepath.Dir(file))
	c.Args = append([]string{j.Tool(), "test", "-predict.json=" + file}, c.Args...)
	p := j.Run(c)
	if !p.Ended {
		Fail("gopredict did not end in %v", c.Limit)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		Fail("gopredict wrote no report: %s\n%s", p.State, p.Output)
	}
	r := new(report.Report)
	Check(json.Unmarshal(text, r))
	return r, p
}
