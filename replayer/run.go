package replayer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopredict/gopredict/replayer/witness"
)

// defaultGrace is how long past its own -test.timeout a test binary may take
// before it is killed. The time-out's message, with all stacks, is worth
// waiting for.
const defaultGrace = 3 * time.Second

// Run runs the tests of w in the binary once, under a plan of w, and says what
// happened. An error means that the replay itself did not work (the binary
// cannot be run, or knows no replay mode, or ctx is done); that the bug did not
// show is a verdict. When Run returns, the program and its children in the same
// process group are gone.
func Run(ctx context.Context, bin Binary, w *witness.Witness, plan *Plan, opts Options) (Verdict, error) {
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	grace := opts.grace
	if grace <= 0 {
		grace = defaultGrace
	}
	dir, err := os.MkdirTemp("", "gopredict-replay-")
	if err != nil {
		return Verdict{}, err
	}
	defer os.RemoveAll(dir)
	planFile, verdictFile := filepath.Join(dir, "plan"), filepath.Join(dir, "verdict")
	if err := os.WriteFile(planFile, plan.Text, 0o600); err != nil {
		return Verdict{}, err
	}

	mode := "replay;plan=" + planFile + ";verdict=" + verdictFile
	if opts.Trace != "" {
		mode += ";trace=" + opts.Trace
	}
	limit, cancel := context.WithTimeout(ctx, timeout+grace)
	defer cancel()
	cmd := exec.CommandContext(limit, bin.Path, replayArgs(bin.Args, w, timeout)...)
	cmd.Dir = bin.Dir
	cmd.Env = environment(bin.Env, bin.Dir, mode)
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // for pipes that a child holds open
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }

	start := time.Now()
	err = cmd.Run()
	elapsed := time.Since(start)
	if cmd.Process != nil {
		killGroup(cmd) // children that outlived the program
	}
	if ctx.Err() != nil {
		return Verdict{}, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Verdict{}, fmt.Errorf("replaying %s: %w", w.ID, err)
	}

	p, err := readVerdict(verdictFile, out.String())
	if err != nil {
		return Verdict{}, fmt.Errorf("replaying %s: %w", w.ID, err)
	}
	outcome := judge(out.String(), cmd.ProcessState.ExitCode(), cmd.ProcessState.String(), opts.Recorded.Failed)
	if limit.Err() != nil { // killed: not even the -test.timeout could run
		outcome = Outcome{Effect: NoEffect, TimedOut: true}
	}
	if p.Deadlock {
		outcome = deadlock(p.Asleep, w.Tests)
	}
	v := p.verdict(plan, outcome, timeout)
	v.Outcome = outcome.since(opts.Recorded)
	v.Output, v.Elapsed = out.String(), elapsed
	return v, nil
}

// environment returns env (nil: this process's) for a program that runs in
// dir, with mode as the word to the run-time library.
func environment(env []string, dir, mode string) []string {
	if env == nil {
		env = os.Environ()
	}
	out := make([]string, 0, len(env)+2)
	for _, e := range env {
		if !strings.HasPrefix(e, EnvVar+"=") && !strings.HasPrefix(e, "PWD=") {
			out = append(out, e)
		}
	}
	return append(out, "PWD="+dir, EnvVar+"="+mode)
}

// readVerdict reads the verdict file, which the run-time library makes before
// all else. Output is what the program printed.
func readVerdict(file, output string) (Protocol, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		first, _, _ := strings.Cut(output, "\n")
		return Protocol{}, fmt.Errorf("the test binary did not begin to replay: was it built by gopredict? It printed %.200q", first)
	}
	if err != nil {
		return Protocol{}, err
	}
	return ParseVerdict("verdict", bytes.NewReader(data))
}

// verdict judges a replay by what the run-time library saw and how the program
// ended.
func (p Protocol) verdict(plan *Plan, o Outcome, timeout time.Duration) Verdict {
	v := Verdict{Status: Unconfirmed, Steps: p.Steps, Total: len(plan.Steps), Stands: p.Stands, Blocked: p.Blocked}
	switch {
	case p.Confirmed:
		v.Status = Confirmed
	case p.Left != "":
		v.Reason = explain(p.Left, plan) + waiting(p.Blocked)
	case o.TimedOut:
		v.Reason = fmt.Sprintf("timeout: the test did not come to the violation within %v", timeout)
	case o.Effect == Panic:
		v.Reason = "the test panicked before the violation: " + strings.Join(o.Detail, " ")
	default:
		v.Reason = fmt.Sprintf("the test ended after %d of %d steps, without the violation", p.Steps, len(plan.Steps))
	}
	if v.Status != Confirmed {
		v.Stale = plan.misfits(p.Steps)
	}
	return v
}
