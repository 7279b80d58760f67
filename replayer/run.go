package replayer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/procgroup"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/predictrt"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Run runs the tests of w in the binary once, under a plan of w, and returns what happened. An
// error means that the replay itself did not work: the binary cannot be run, or has no replay
// mode, or ctx is done. That the bug did not show is a verdict. When Run returns, the program and
// its children in the same process group have ended.
func Run(ctx context.Context, bin Binary, w *witness.Witness, plan *Plan, opts Options) (Verdict, error) {
	return replayOnce(ctx, bin, w, plan, opts, true)
}

// replayOnce is Run, optionally without recording.
func replayOnce(ctx context.Context, bin Binary, w *witness.Witness, plan *Plan, opts Options, record bool) (Verdict, error) {
	timeout := cmp.Or(max(opts.Timeout, 0), DefaultTimeout)
	if opts.Folder == nil {
		dir, err := os.MkdirTemp("", "gopredict-replay-")
		if err != nil {
			return Verdict{}, err
		}
		defer os.RemoveAll(dir)
		opts.Folder, record = NewFolder(dir), false
	}
	file, err := opts.Folder.nextFiles()
	if err != nil {
		return Verdict{}, err
	}
	if err := os.WriteFile(file.plan, plan.Text, 0o600); err != nil {
		return Verdict{}, err
	}

	mode := predictrt.Mode{Plan: file.plan, Verdict: file.verdict, Order: string(plan.recordedOrder), Hold: opts.HoldTime, Tests: recorder.TestTime(bin.Args)}
	if record {
		mode.Trace, mode.Limit = file.trace, trace.MaxLoggedBytes
	}
	var temp string
	if len(bin.Exec) == 0 { // otherwise the program may run where there is no such folder
		temp = opts.Folder.tempDir()
		if err := os.MkdirAll(temp, 0o777); err != nil {
			return Verdict{}, err
		}
		defer opts.Folder.emptyTemp()
	}
	var stoppedEarly atomic.Bool
	watching, endWatching := context.WithCancel(ctx)
	defer endWatching()
	started := func(pid int, stop func()) {
		if opts.HoldTime > 0 && opts.OnViolation != nil {
			go func() {
				if p, ok := awaitVerdict(watching, file.verdict, func(p RuntimeVerdict) bool { return p.Confirmed }); ok {
					opts.OnViolation(pid, p.Accesses)
				}
			}()
		}
		if opts.TimeAfterLeaving > 0 {
			go func() {
				if _, left := awaitVerdict(watching, file.verdict, func(p RuntimeVerdict) bool { return p.LeftReason != "" }); left {
					procgroup.AfterOwnTime(watching, pid, opts.TimeAfterLeaving, func() {
						stoppedEarly.Store(true)
						stop()
					})
				}
			}()
		}
	}
	start := time.Now()
	ran, err := bin.run(ctx, w, mode, temp, timeout+opts.HoldTime, opts, started)
	elapsed := time.Since(start)
	if err != nil {
		return Verdict{}, err
	}
	out, outcome := ran.output, ran.outcome
	p, err := readVerdict(file.verdict, out)
	if err != nil {
		return Verdict{}, fmt.Errorf("replaying %s: %w", w.ID, err)
	}
	if p.Deadlock {
		outcome = deadlockOutcome(p.Deadlocked, w.Tests)
	}
	v := p.verdict(plan, outcome, timeout)
	v.Outcome = outcome.sinceRecorded(opts.RecordedOutcome)
	if w.EndsBlocked() && len(p.BlockedForever) > 0 && v.Outcome.Effect.Severity() < bug.Leaks.Severity() {
		v.Outcome.Effect = bug.Leaks
	}
	if v.Status == bug.Confirmed {
		v.unconfirm(p.missingProof(plan, v.Outcome, out))
	}
	v.Reason = witness.ReadableGoroutines(v.Reason, w.Tests)
	v.Output, v.Elapsed, v.Processor, v.EndedEarly, v.anyBlockedForever = out, elapsed, ran.processor, stoppedEarly.Load(), len(p.BlockedForever) > 0
	if record {
		v.traceFile = file.trace
	}
	return v, nil
}

// RunWithoutSchedule runs the tests of w in the binary once without a schedule, and returns how
// they ended.
func RunWithoutSchedule(ctx context.Context, bin Binary, w *witness.Witness, opts Options) (Outcome, error) {
	ran, err := bin.run(ctx, w, predictrt.Mode{}, "", cmp.Or(opts.Timeout, DefaultTimeout), opts, func(int, func()) {})
	return ran.outcome, err
}

// A runResult is the result of one run of a test binary.
type runResult struct {
	output    string // what it has printed
	outcome   Outcome
	processor time.Duration // processor time that it has used
}

// run runs the tests of w in the binary, in a mode of the run-time library, and returns how they
// ended. Temp is the folder for its temporary files; "": the usual one. It calls started with the
// number of the process, and with a function that ends it as if its time were over.
func (bin Binary) run(ctx context.Context, w *witness.Witness, mode predictrt.Mode, temp string, timeout time.Duration, opts Options, started func(pid int, stop func())) (runResult, error) {
	limit, cancel := context.WithCancel(ctx)
	defer cancel()
	line := append(append(slices.Clone(bin.Exec), bin.Path), ReplayArgs(bin.Args, w, timeout)...)
	cmd := exec.CommandContext(limit, line[0], line[1:]...)
	cmd.Dir = bin.Dir
	cmd.Env = environment(bin.Env, bin.Dir, temp, mode)
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // for pipes that a child holds open
	procgroup.Own(cmd)
	cmd.Cancel = func() error { return procgroup.Kill(cmd) }

	err := cmd.Start()
	if err == nil {
		go procgroup.AfterOwnTime(limit, cmd.Process.Pid, timeout+cmp.Or(opts.grace, defaultGrace), cancel)
		started(cmd.Process.Pid, cancel)
		err = cmd.Wait()
		procgroup.Kill(cmd) // children that outlived the program
	}
	if ctx.Err() != nil {
		return runResult{}, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return runResult{}, fmt.Errorf("replaying %s: %w", w.ID, recorder.ExplainExecError(err))
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if limit.Err() != nil { // killed: even -test.timeout had no effect
		return runResult{out.String(), Outcome{Effect: bug.NoEffect, TimedOut: true}, used}, nil
	}
	return runResult{out.String(), judgeOutput(out.String(), cmd.ProcessState.ExitCode(), cmd.ProcessState.String(), opts.RecordedOutcome.Failed), used}, nil
}

// awaitVerdict reads the verdict that a running program writes until it is as wanted, and returns
// it; ok is false if ctx ends before.
func awaitVerdict(ctx context.Context, file string, wanted func(RuntimeVerdict) bool) (p RuntimeVerdict, ok bool) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return p, false
		case <-tick.C:
		}
		if p = verdictSoFar(file); wanted(p) {
			return p, true
		}
	}
}

// verdictSoFar returns the verdict that a running program has written so far.
func verdictSoFar(file string) RuntimeVerdict {
	data, err := os.ReadFile(file)
	if err != nil {
		return RuntimeVerdict{}
	}
	p, err := ParseVerdict(file, bytes.NewReader(data))
	if err != nil {
		return RuntimeVerdict{}
	}
	return p
}

// environment returns env (nil: this process's) for a program that runs in
// dir in a mode of the run-time library, and has its temporary files in temp, unless that is "".
func environment(env []string, dir, temp string, mode predictrt.Mode) []string {
	if env == nil {
		env = os.Environ()
	}
	out := make([]string, 0, len(env)+2)
	for _, e := range env {
		if !strings.HasPrefix(e, predictrt.EnvVar+"=") && !strings.HasPrefix(e, "PWD=") {
			out = append(out, e)
		}
	}
	out = append(out, "PWD="+dir)
	if temp != "" {
		out = append(out, recorder.TempDirVariables(temp)...)
	}
	if mode == (predictrt.Mode{}) {
		return out
	}
	return append(out, mode.Env())
}

// readVerdict reads the verdict file, which the run-time library empties before anything else.
// Output is what the program printed.
func readVerdict(file, output string) (RuntimeVerdict, error) {
	data, err := os.ReadFile(file)
	if err == nil && string(data) == notBegun {
		first, _, _ := strings.Cut(output, "\n")
		return RuntimeVerdict{}, fmt.Errorf("the test binary did not begin to replay: was it built by gopredict? It printed %.200q", first)
	}
	if err != nil {
		return RuntimeVerdict{}, err
	}
	return ParseVerdict("verdict", bytes.NewReader(data))
}

// verdict judges a replay by what the run-time library saw and how the program ended.
func (p RuntimeVerdict) verdict(plan *Plan, o Outcome, timeout time.Duration) Verdict {
	v := Verdict{Status: bug.Unconfirmed, StepsDone: p.StepsDone, StepsTotal: len(plan.Steps), Accesses: p.Accesses, Blocked: p.Blocked, Overtaken: p.Overtaken, TimerDue: p.TimerDue}
	switch {
	case p.Confirmed:
		v.Status = bug.Confirmed
	case p.LeftReason != "":
		v.Reason = explainReason(p.LeftReason, plan) + waitingText(p.Blocked)
	case o.TimedOut:
		v.Reason = fmt.Sprintf("timeout: the test did not come to the violation within %v", timeout)
	case o.Effect == bug.Panic:
		v.Reason = "the test panicked before the violation: " + strings.Join(o.Detail, " ")
	default:
		v.Reason = "the test ended before " + p.firstMissing(plan)
	}
	if v.Status != bug.Confirmed {
		v.Stale = plan.staleParts(p.StepsDone)
	}
	return v
}

// firstMissing returns the first part of the plan that did not happen: "TestX:0.1 came to write to
// ready in p.f (x.go:3)".
func (p RuntimeVerdict) firstMissing(plan *Plan) string {
	if p.StepsDone < len(plan.Steps) {
		return arrivalText(plan.Steps[p.StepsDone])
	}
	if plan.Witness.InOrder() {
		return arrivalText(plan.Violation[len(plan.Violation)-1])
	}
	for _, s := range plan.Violation {
		if !slices.ContainsFunc(p.Accesses, func(at PendingAccess) bool { return at.Goroutine == s.Goroutine }) {
			return arrivalText(s)
		}
	}
	return "the violation"
}

func arrivalText(s witness.Step) string { return s.Goroutine + " came to " + s.String() }

// missingProof returns what is missing for the bug of the plan's witness, in a replay that
// followed the schedule to its end and printed output; "" if nothing is. For races, reaching the
// violation is the bug itself (PECAN §5).
func (p RuntimeVerdict) missingProof(plan *Plan, o Outcome, output string) string {
	w := plan.Witness
	switch w.Proof() {
	case bug.InOrder:
		return patternDifference(p.Accesses, w.Violation)
	case bug.BlockedForever:
		for i, s := range plan.Violation {
			in := func(at BlockedOperation) bool {
				return at.Goroutine == s.Goroutine && at.Op == blockingOperation(s.Op) && at.Key == plan.violationKeys[i]
			}
			if !slices.ContainsFunc(p.BlockedForever, in) {
				return s.Goroutine + " was not blocked for ever in " + s.String()
			}
		}
	case bug.FailedTest:
		switch {
		case o.TimedOut:
			return "the test had not ended when its time was over"
		case o.Effect != bug.TestFailure && o.Effect != bug.Panic:
			return "the test did not fail"
		case p.assertionHeld(plan, output):
			return "the assertion held: the test failed elsewhere"
		}
	case bug.Monitored:
		if last := w.Violation[len(w.Violation)-1].Goroutine; !slices.Contains(p.ViolatedBy, last) {
			return fmt.Sprintf("the calls have satisfied the property %q", w.Pattern)
		}
	case bug.Misused:
		if p.MisusedBy != w.Violation[0].Goroutine {
			return w.Kind.NoMisuseReason()
		}
		if o.Effect == bug.NoEffect {
			return "the program recovered from the panic, as it is meant to"
		}
	}
	return ""
}

// blockingOperation returns the operation in which a goroutine waits before op: for a Once it
// waits before Do returns.
func blockingOperation(op trace.Kind) trace.Kind {
	if op == trace.OnceDone {
		return trace.OnceBegin
	}
	return op
}

// assertionHeld reports whether the assertion at which the plan ends is known to have held: its
// condition had the good outcome, or the failure names other lines than that of the assertion.
func (p RuntimeVerdict) assertionHeld(plan *Plan, output string) bool {
	place := plan.Violation[0]
	switch {
	case plan.FailsIf == trace.NoOutcome || len(p.Accesses) == 0:
		return false
	case place.Op == trace.Branch:
		return p.Accesses[0].Value != "" && (p.Accesses[0].Value != "0") != (plan.FailsIf == trace.IfTrue)
	case place.SiteOperation() == "assert":
		line := fmt.Sprintf("%s:%d", path.Base(place.File), place.Line)
		return !strings.Contains(output, line+":") && !strings.Contains(output, line+"\n")
	}
	return false
}

// patternDifference returns how the accesses of a replay differ from those of a pattern; "" if
// they do not. Accesses are to one variable, or in one atomic region, exactly where those of the
// pattern are.
func patternDifference(stands []PendingAccess, pattern []witness.Step) string {
	if len(stands) != len(pattern) {
		return fmt.Sprintf("%d of %d accesses came", len(stands), len(pattern))
	}
	for j, b := range stands {
		for i, a := range stands[:j] {
			p, q := pattern[i], pattern[j]
			if a.overlaps(b) != (p.Variable == q.Variable) {
				word := "different variables"
				if a.overlaps(b) {
					word = "one variable"
				}
				return fmt.Sprintf("%s and %s were of %s", p.String(), q.String(), word)
			}
			same := a.Goroutine == b.Goroutine && a.Region != 0 && a.Region == b.Region
			if same != (p.Region == q.Region) {
				word := "different atomic regions"
				if same {
					word = "one atomic region"
				}
				return fmt.Sprintf("%s and %s were in %s", p.String(), q.String(), word)
			}
		}
	}
	return ""
}

// overlaps reports whether two accesses touch the same memory. One without a size, of a sync.Map,
// is to its first byte.
func (s PendingAccess) overlaps(o PendingAccess) bool {
	return s.Addr < o.Addr+uint64(max(o.Size, 1)) && o.Addr < s.Addr+uint64(max(s.Size, 1))
}

// unconfirm makes v unconfirmed for a reason, unless that is "".
func (v *Verdict) unconfirm(reason string) {
	if reason != "" {
		v.Status, v.Reason = bug.Unconfirmed, "the schedule was kept to its end, but "+reason
	}
}
