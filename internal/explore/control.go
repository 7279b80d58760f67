package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file makes sure that it is the schedule which makes a test fail. A test may fail each
// time but the first: its first run has left a file behind, or a port open; or chance
// decides. So the test is run once more without a schedule, after the replay and apart from others of its package, in
// the order of goroutines in which it has passed: the control.

// controls are the runs without a schedule, by the test and the order of goroutines.
type controls struct {
	mu sync.Mutex
	of map[string]*control
}

// A control is run once.
type control struct {
	once   sync.Once
	passed bool
	err    error
}

// passesStill reports whether a test passes in the order of goroutines of the recorded run,
// in which it passed, by now and apart from other runs of its package.
func (c *confirmation) passesStill(ctx context.Context, test string) (bool, error) {
	x := &c.controls
	x.mu.Lock()
	key := fmt.Sprintf("%s %s %s", c.run.Package.Path, test, c.run.Order)
	if x.of == nil {
		x.of = make(map[string]*control)
	}
	k := x.of[key]
	if k == nil {
		k = new(control)
		x.of[key] = k
	}
	file := filepath.Join(c.work, fmt.Sprintf("control-%d", len(x.of)))
	x.mu.Unlock()
	k.once.Do(func() {
		noRoom := c.slots.Apart(ctx, c.run.Package.Path, func() (processor, elapsed time.Duration) {
			limit := recordTime(c.run.Seconds)
			args := replayer.ArgsOf(c.run.Args, []string{test}, replayer.SubtestFilter(c.run.Args), limit)
			c.runs.Add(1)
			run, err := c.run.Again(ctx, c.run.Order, args, file, limit+time.Second)
			k.passed, k.err = run.Result == recorder.Pass, err
			return took(run.Processor), took(run.Seconds)
		})
		k.err = cmp.Or(k.err, noRoom)
	})
	return k.passed, k.err
}

// withControl returns what replays of w have shown, r, without the failure of the test if
// that is none of the schedule's.
func (c *confirmation) withControl(ctx context.Context, w *witness.Witness, r replayer.Result) (replayer.Result, error) {
	switch {
	case r.Status != bug.Confirmed, r.Effect.Harm() < bug.TestFailure.Harm():
		return r, nil
	case w.Stuck(): // that is proven
		return r, nil
	case slices.Contains(c.failed, w.Tests[0]): // it is compared with the recorded run
		return r, nil
	}
	why := "the test fails without the schedule, too, by now: by what its runs leave behind, as files, or by chance"
	passed, err := false, errTimeOver
	if c.waits(w.Tests) <= c.left() {
		passed, err = c.passesStill(ctx, w.Tests[0])
	}
	switch {
	case errors.Is(err, errTimeOver), context.Cause(ctx) == errTimeOver:
		c.uncontrolled.note(w)
		why = "the test fails; " + unknownWhy
	case err != nil || passed:
		return r, err
	}
	r.Effect, r.Detail, r.Timed, r.Late = bug.NoEffect, nil, false, nil
	if w.Kind.ProofOf(len(w.Violation)) == bug.FailedTest {
		r.Status, r.Reproduced, r.Reason = bug.Unconfirmed, 0, why
	}
	return r, nil
}
