package replays

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file checks that it is the schedule which makes a test fail. A test may fail in each
// run but the first: that has left a file behind, or a port open; or randomness decides. So
// after the replay the test is run without a schedule, while no other test of its package
// runs, in the order of goroutines in which it has passed. This run is the control.

// PassesWithoutSchedule reports whether a test passes in the order of goroutines of rec,
// without a schedule, while no other test of its package runs.
func (r *Replayer) PassesWithoutSchedule(ctx context.Context, rec *recording.Recording, test string) (bool, error) {
	key := fmt.Sprintf("%s %s %s", rec.Run.Package.Path, test, rec.Run.Order)
	control, _ := r.controls.LoadOrStore(key, sync.OnceValues(func() (bool, error) { return r.runControl(ctx, rec, test) }))
	return control.(func() (bool, error))()
}

// runControl runs a test in the order of goroutines of rec, and reports whether it passes.
func (r *Replayer) runControl(ctx context.Context, rec *recording.Recording, test string) (passed bool, err error) {
	file := filepath.Join(r.work, fmt.Sprintf("control-%d", r.controlRuns.Add(1)))
	noRoom := r.slots.RunAloneInPackage(ctx, rec.Run.Package.Path, func() (processor, elapsed time.Duration) {
		limit := RecordTime(rec.Run.Seconds)
		args := replayer.RerunArgs(rec.Run.Args, []string{test}, replayer.SubtestFilter(rec.Run.Args), limit)
		r.NumRuns.Add(1)
		var run recorder.Run
		run, err = r.Machine.Record(ctx, rec.Run, rec.Run.Order, args, file, limit+time.Second)
		passed = run.Result == recorder.Pass
		return recording.Seconds(run.Processor), recording.Seconds(run.Seconds)
	})
	return passed, cmp.Or(err, noRoom)
}

// checkWithoutSchedule returns the result of replays of w. If the test fails without the
// schedule, too, the failure is not in the result.
func (r *Replayer) checkWithoutSchedule(ctx context.Context, rec *recording.Recording, w *witness.Witness, res replayer.Result) (replayer.Result, error) {
	switch {
	case !res.IsConfirmed(), res.Effect.Severity() < bug.TestFailure.Severity():
		return res, nil
	case w.EndsBlocked(): // that is proven
		return res, nil
	case slices.Contains(rec.FailedTests, w.Tests[0]): // it is compared with the recorded run
		return res, nil
	}
	// In less time than the test waits it is not known what makes it fail, and nothing is
	// claimed.
	why := "the test fails without the schedule, too, by now: by what its runs leave behind, as files, or by chance"
	passed, err := false, budget.ErrTimeOver
	if r.waitingTime(rec.Run, w.Tests) <= r.Clock.Left() {
		passed, err = r.PassesWithoutSchedule(ctx, rec, w.Tests[0])
	}
	switch {
	case errors.Is(err, budget.ErrTimeOver), context.Cause(ctx) == budget.ErrTimeOver:
		r.uncheckedTests.Store(strings.Join(w.Tests, " and "), true)
		why = "the test fails; " + uncheckedReason
	case err != nil || passed:
		return res, err
	}
	res.Effect, res.Detail, res.DependsOnTime, res.Overtaken = bug.NoEffect, nil, false, nil
	if w.Kind.ProofOf(len(w.Violation)) == bug.FailedTest {
		res.Unproven, res.Reason = true, why
	}
	return res, nil
}

// waitingTime returns how long some tests waited when they were recorded.
func (r *Replayer) waitingTime(run recorder.Run, tests []string) (all time.Duration) {
	for _, test := range tests {
		all += r.WaitingTimes[recording.TestFunction(test)]
	}
	return min(all, recording.Seconds(run.Seconds)) // parallel subtests wait at the same time
}

// uncheckedReason is the reason for tests that had no control.
const uncheckedReason = "whether it does so without the schedule, too, is not known, as there was no time for that"

// UncheckedWarnings returns a warning for each test that failed in replays and was not run without a
// schedule, as there was no time left.
func (r *Replayer) UncheckedWarnings() (all []string) {
	r.uncheckedTests.Range(func(tests, _ any) bool {
		all = append(all, tests.(string)+" fails in replays; "+uncheckedReason)
		return true
	})
	slices.Sort(all)
	return all
}
