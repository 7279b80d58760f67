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

// This file makes sure that it is the schedule which makes a test fail. A test may fail each
// time but the first: its first run has left a file behind, or a port open; or randomness
// decides. So the test is run without a schedule after the replay, apart from others of its
// package and in the order of goroutines in which it has passed: the control.

// controls are the runs without a schedule, by test and order of goroutines.
type controls struct {
	mu  sync.Mutex
	all map[string]*control
}

// A control is run once.
type control struct {
	once   sync.Once
	passed bool
	err    error
}

// PassesStill reports whether a test that passed in the recorded run still passes in its
// order of goroutines, apart from other runs of its package.
func (r *Replayer) PassesStill(ctx context.Context, rec *recording.Recording, test string) (bool, error) {
	c := &r.controls
	c.mu.Lock()
	key := fmt.Sprintf("%s %s %s", rec.Run.Package.Path, test, rec.Run.Order)
	if c.all == nil {
		c.all = make(map[string]*control)
	}
	k := c.all[key]
	if k == nil {
		k = new(control)
		c.all[key] = k
	}
	file := filepath.Join(r.work, fmt.Sprintf("control-%d", len(c.all)))
	c.mu.Unlock()
	k.once.Do(func() {
		noRoom := r.slots.RunAloneInPackage(ctx, rec.Run.Package.Path, func() (processor, elapsed time.Duration) {
			limit := RecordTime(rec.Run.Seconds)
			args := replayer.RerunArgs(rec.Run.Args, []string{test}, replayer.SubtestFilter(rec.Run.Args), limit)
			r.Runs.Add(1)
			run, err := r.Machine.Record(ctx, rec.Run, rec.Run.Order, args, file, limit+time.Second)
			k.passed, k.err = run.Result == recorder.Pass, err
			return recording.Seconds(run.Processor), recording.Seconds(run.Seconds)
		})
		k.err = cmp.Or(k.err, noRoom)
	})
	return k.passed, k.err
}

// withControl returns the result of replays of w without the failure of the test, if the
// schedule is not what makes it fail.
func (r *Replayer) withControl(ctx context.Context, rec *recording.Recording, w *witness.Witness, res replayer.Result) (replayer.Result, error) {
	switch {
	case res.Status != bug.Confirmed, res.Effect.Severity() < bug.TestFailure.Severity():
		return res, nil
	case w.EndsBlocked(): // that is proven
		return res, nil
	case slices.Contains(rec.Failed, w.Tests[0]): // it is compared with the recorded run
		return res, nil
	}
	why := "the test fails without the schedule, too, by now: by what its runs leave behind, as files, or by chance"
	passed, err := false, budget.ErrTimeOver
	if r.waits(rec.Run, w.Tests) <= r.Clock.Left() {
		passed, err = r.PassesStill(ctx, rec, w.Tests[0])
	}
	switch {
	case errors.Is(err, budget.ErrTimeOver), context.Cause(ctx) == budget.ErrTimeOver:
		r.unchecked.add(w)
		why = "the test fails; " + unknownWhy
	case err != nil || passed:
		return res, err
	}
	res.Effect, res.Detail, res.DependsOnTime, res.Overtaken = bug.NoEffect, nil, false, nil
	if w.Kind.ProofOf(len(w.Violation)) == bug.FailedTest {
		res.Status, res.Reproduced, res.Reason = bug.Unconfirmed, 0, why
	}
	return res, nil
}

// waits returns how long some tests waited when they were recorded.
func (r *Replayer) waits(run recorder.Run, tests []string) (all time.Duration) {
	for _, test := range tests {
		all += r.Waited[recording.Function(test)]
	}
	return min(all, recording.Seconds(run.Seconds)) // parallel subtests wait at the same time
}

// unchecked are tests that failed in replays and were not run without a schedule for lack of
// time.
type uncheckedTests struct {
	mu    sync.Mutex
	tests []string
}

func (u *uncheckedTests) add(w *witness.Witness) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if tests := strings.Join(w.Tests, " and "); !slices.Contains(u.tests, tests) {
		u.tests = append(u.tests, tests)
	}
}

// unknownWhy says that these may fail without the schedule of a bug, too.
const unknownWhy = "whether it does so without the schedule, too, is not known, as there was no time for that"

// Unchecked returns what to say of these tests.
func (r *Replayer) Unchecked() (all []string) {
	slices.Sort(r.unchecked.tests)
	for _, tests := range r.unchecked.tests {
		all = append(all, tests+" fails in replays; "+unknownWhy)
	}
	return all
}
