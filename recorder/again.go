package recorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/procgroup"
	"github.com/gopredict/gopredict/recorder/predictrt"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An Order is an order in which the goroutines of a recorded program run, one at a time. Different
// orders can reach different behaviour.
type Order string

// The orders. In an ordinary run, and so in those of go test, the newest goroutine, or
// the one that was woken last, goes first.
const (
	NewestFirst Order = ""
	OldestFirst Order = "oldest" // in the order in which they were started or woken; short timers fire first
	ChildFirst  Order = "child"  // a new goroutine runs before its parent goes on
	// NonPreemptive is NewestFirst where a goroutine goes on until it waits, as short ones of go
	// test do on one processor. In other orders goroutines take turns in loops that may take work.
	NonPreemptive Order = "nonpreemptive"
)

// RandomOrder returns the order, by a seed from 1, in which goroutines yield at random times.
func RandomOrder(n int) Order { return Order(fmt.Sprintf("seed%d", n)) }

// OtherChance returns NewestFirst with other random numbers, and other orders of maps, than all
// other orders have, by a seed from 1: those of odd seeds are the opposite of the seed before, so
// that of two equally likely outcomes each comes in one of two runs.
func OtherChance(n int) Order { return Order(fmt.Sprintf("chance%d", n)) }

// POS returns the order, by a seed from 1, in which each operation has a random rank and the
// possible operation with the highest rank is the next: partial order sampling (Yuan, Yang and Gu,
// CAV 2018).
func POS(n int) Order { return Order(fmt.Sprintf("pos%d", n)) }

// MaxDepth is the greatest depth of a bug that PCT looks for.
const MaxDepth = 8

// PCT returns the order, by a seed from 1, in which each goroutine has a random rank and loses it
// at depth-1 random steps of so many: probabilistic concurrency testing (Burckhardt et al., ASPLOS
// 2010).
func PCT(n, depth, steps int) Order { return Order(fmt.Sprintf("pct%d/%d/%d", n, depth, steps)) }

// PCTSteps returns the number of steps for PCT of a test that was recorded in t: those since it
// has several goroutines.
func PCTSteps(t *trace.Trace, test string) (n int) {
	several := false
	for i := range t.Events {
		e := &t.Events[i]
		if t.Goroutines[e.G].Test != test {
			continue
		}
		several = several || e.Kind == trace.Fork
		if several && e.Kind.CanHold() {
			n++
		}
	}
	return max(n, 1)
}

// unlimited is the time of tests that may take as long as they like (unit: time). Chosen: longer
// than any timer of a test.
const unlimited = 100 * 365 * 24 * time.Hour

// TestTime returns the time that the tests have by the arguments of a test binary. Without
// -test.timeout, it is what go test gives them.
func TestTime(args []string) time.Duration {
	d := 10 * time.Minute
	for i, arg := range args {
		value, ok := strings.CutPrefix(strings.TrimPrefix(arg, "-"), "-test.timeout")
		switch {
		case arg == "--" || !strings.HasPrefix(arg, "-"):
			continue
		case ok && value == "" && i+1 < len(args):
			value = args[i+1]
		}
		if v, err := time.ParseDuration(strings.TrimPrefix(value, "=")); ok && err == nil {
			d = v
		}
	}
	if d <= 0 {
		return unlimited
	}
	return d
}

// orderForm matches the names of orders.
var orderForm = regexp.MustCompile(strings.ReplaceAll(fmt.Sprintf(`^(oldest|child|nonpreemptive|(seed|chance|pos)N|pctN/[1-%d]/N)?$`, MaxDepth), "N", `[1-9]\d{0,17}`))

// ParseOrder returns the order of that name.
func ParseOrder(name string) (Order, error) {
	if !orderForm.MatchString(name) {
		return Order(name), fmt.Errorf("found %q as an order of goroutines, expected oldest, child, nonpreemptive, seedN, chanceN, posN, or pctN/DEPTH/STEPS, of numbers from 1", name)
	}
	return Order(name), nil
}

// RecordAgain runs the saved binary of r again and records it into a file. Goroutines run in the
// order o. Args are the binary's arguments; its output is discarded. RecordAgain ends with ctx,
// and kills the binary after so much time of its own, see [procgroup.AfterOwnTime]. It returns a
// run with r's package and binary, without a Trace if the binary did not write one. An error
// means that there was no run.
func (r Run) RecordAgain(ctx context.Context, o Order, args []string, file string, limit time.Duration) (Run, error) {
	again := r
	again.Order, again.Args, again.Trace, again.Result = o, args, "", Pass
	timed, cancel := context.WithCancel(ctx)
	defer cancel()
	line := append(append(slices.Clone(r.ExecCommand), r.Binary), args...)
	cmd := exec.CommandContext(timed, line[0], line[1:]...)
	cmd.Dir = r.Package.Dir
	temporary, remove, err := newTempDir(r.ExecCommand, r.Package.Dir)
	if err != nil {
		return again, err
	}
	defer remove()
	cmd.Env = append(slices.Concat(r.Env, temporary), "PWD="+cmd.Dir, predictrt.Mode{Trace: file, Limit: trace.MaxLoggedBytes, Order: string(o), Brief: true, Tests: TestTime(r.Args)}.Env())
	cmd.WaitDelay = time.Second // for pipes that a child holds open
	procgroup.Own(cmd)
	cmd.Cancel = func() error { return procgroup.Kill(cmd) }
	start := time.Now()
	if err = cmd.Start(); err == nil {
		go procgroup.AfterOwnTime(timed, cmd.Process.Pid, limit, cancel)
		err = cmd.Wait()
		procgroup.Kill(cmd) // children that outlived the program
	}
	again.TimedOut = timed.Err() != nil
	again.Seconds = time.Since(start).Seconds()
	if state := cmd.ProcessState; state != nil {
		again.Processor = (state.UserTime() + state.SystemTime()).Seconds()
	}
	if ctx.Err() != nil {
		return again, ctx.Err()
	}
	if _, ended := errors.AsType[*exec.ExitError](err); ended || again.TimedOut {
		again.Result = Fail
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return again, fmt.Errorf("recording %s again: %w", r.Package.Path, err)
	}
	if _, err := os.Stat(file); err == nil {
		again.Trace, again.TraceIncomplete = file, isIncomplete(file)
	}
	return again, nil
}
