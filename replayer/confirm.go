package replayer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Confirm replays w in both orders of its violating goroutines, first in the order that w has, and
// returns the result. If fewer than two goroutines are about to execute the violation, it replays
// the one order twice. It does not replay an order that the recorded run has shown
// ([Options.FirstOrderShown]). The program is what the binary was built from.
//
// The bug is confirmed only if every replay reached the violation. The effect, and the order that
// the witness should have, are those of the replay with the more severe effect. After a first
// replay that is not confirmed there is no second.
//
// If a violating access is no longer in the sources, Confirm replays nothing, and the result says
// so in Stale. An error means that replaying did not work.
func Confirm(ctx context.Context, bin Binary, w *witness.Witness, code Program, opts Options) (Result, error) {
	orders := []string{"01", "10"}
	switch {
	case len(w.Violation) < 2 || w.InOrder() || w.EndsBlocked():
		orders = []string{"01", "01"}
	case opts.FirstOrderShown:
		orders = []string{"10"}
	case w.Order == "10":
		slices.Reverse(orders)
	}
	return replayAll(ctx, bin, w, code, opts, orders, true, "")
}

// Repeat replays w n times in the order that it has. Unlike Confirm it goes on after a replay that
// did not reach the violation.
func Repeat(ctx context.Context, bin Binary, w *witness.Witness, code Program, n int, opts Options) (Result, error) {
	order := w.Order
	if order == "" {
		order = "01"
	}
	orders := make([]string, max(n, 1))
	for i := range orders {
		orders[i] = order
	}
	return replayAll(ctx, bin, w, code, opts, orders, false, "")
}

// A Delay says when a delayed goroutine goes on.
type Delay string

// The delays, as plans name them.
const (
	UntilOthersBlocked Delay = "last"    // until no other goroutine can go on
	UntilIdleForSecond Delay = "overdue" // until, moreover, no timer lets one go on within a second
)

// ReplayDelayed runs w once. The violation of w is an operation to be delayed. After the steps all
// other goroutines run freely, and the goroutine that is about to execute the operation goes on
// after the delay.
func ReplayDelayed(ctx context.Context, bin Binary, w *witness.Witness, code Program, d Delay, opts Options) (Result, error) {
	if len(w.Violation) != 1 {
		return Result{}, fmt.Errorf("witness %s: %d operations are to be put off, expected one", w.ID, len(w.Violation))
	}
	return replayAll(ctx, bin, w, code, opts, []string{"01"}, false, string(d))
}

// replayAll replays w once in each of the orders. With stop, it ends after a first replay that is
// not confirmed. Then nothing is known of the second, even if it began together with the first
// ([Options.SecondFolder]). The plans have an option for the run-time library, unless it is "".
func replayAll(ctx context.Context, bin Binary, w *witness.Witness, code Program, opts Options, orders []string, stop bool, word string) (r Result, err error) {
	r = Result{Order: orders[0], Effect: bug.NoEffect, Witness: w}
	plan, err := NewPlan(w, code, orders[0])
	if gone, ok := errors.AsType[*StaleError](err); ok {
		r.Stale, r.MissingAccesses = gone.Reasons, gone.MissingAccesses
		if gone.Witness != nil {
			r.Witness = gone.Witness
		}
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if word != "" {
		plan = plan.withOption(word)
	}
	r.Witness, r.Notes, r.GuessedAccesses = plan.Witness, plan.Notes, plan.guessedAccesses
	opts.Folder.removeExcept("")
	cancelSecond := func() {} // when the first one is not confirmed, as a rerun of it may have to run alone
	run := func(ctx context.Context, order string, opts Options, record bool) (Verdict, error) {
		return opts.Slots.run(ctx, w, word != "", func() (Verdict, error) {
			v, err := replayOnce(ctx, bin, w, plan.forOrder(order), opts, record)
			if v.Status != bug.Confirmed {
				cancelSecond()
			}
			return v, err
		})
	}
	var second func() (Verdict, error) // waits for the second replay if it has begun; else nil
	if opts.SecondFolder != nil && stop && len(orders) == 2 {
		secondOpts := opts
		secondOpts.Folder = opts.SecondFolder
		secondOpts.Folder.removeExcept("")
		secondCtx, cancel := context.WithCancel(ctx)
		cancelSecond = cancel
		second = sync.OnceValues(func() (Verdict, error) { return run(secondCtx, orders[1], secondOpts, orders[0] != orders[1]) })
		go second()
		defer func() {
			cancel()
			second() // until its folder is no longer used
			opts.SecondFolder.removeExcept(r.Trace)
		}()
	}
	for i, order := range orders {
		var v Verdict
		if i == 1 && second != nil {
			v, err = second()
		}
		if i == 0 || second == nil || errors.Is(err, context.Canceled) {
			sameAgain := i > 0 && r.Reproduced > 0 && orders[i-1] == order
			v, err = run(ctx, order, opts, !sameAgain)
		}
		if err != nil {
			return r, err
		}
		v.Order = order
		if v.Status == bug.Confirmed && v.Outcome.Effect.Severity() < bug.TestFailure.Severity() && plan.violationAllowed {
			v.Status, v.Reason = bug.Unconfirmed, "the calls come in that order, and the test does not fail by it"
		}
		if shows := r.add(v); v.traceFile != "" && (shows || i == 0) {
			r.Trace = v.traceFile
		}
		opts.Folder.removeExcept(r.Trace)
		if opts.OnReplay != nil {
			opts.OnReplay(r.Replays)
		}
		if stop && i == 0 && v.Status != bug.Confirmed {
			break
		}
	}
	r.conclude()
	err = r.checkTiming(ctx, bin, plan, opts)
	return r, err
}

// add adds the verdict of one replay, and reports whether reports should show this replay, of
// those so far.
func (r *Result) add(v Verdict) bool {
	r.Replays++
	r.Verdicts = append(r.Verdicts, v)
	if v.Status != bug.Confirmed {
		if r.Reason == "" {
			r.Reason = v.Reason
		}
		if r.Stale == nil {
			r.Stale = v.Stale
		}
		return false
	}
	r.Reproduced++
	if v.Outcome.Effect.Severity() > r.Effect.Severity() {
		r.Order, r.Effect, r.Detail = v.Order, v.Outcome.Effect, v.Outcome.Detail
		return true
	}
	return r.Reproduced == 1
}

// conclude completes the reason after all replays.
func (r *Result) conclude() {
	if r.Reproduced > 0 && r.Reproduced < r.Replays {
		r.Reason = fmt.Sprintf("stood at the violation in %d of %d replays only; else: %s", r.Reproduced, r.Replays, r.Reason)
	}
}
