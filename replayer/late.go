package replayer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// onTime finds out whether a failure of the test that was confirmed under
// plan depends on time: on other goroutines being delayed while the failing
// one waited for a timer.
//
// Replays say who was held, though it could go on, while timers fired. If
// anyone was, the same schedule is replayed once more, promptly: a goroutine
// that could go on does so before any timer fires, in its turn or not. If the
// test passes then, the failure depends on time. If it depends on more than
// patience, it is not confirmed.
//
// There are exceptions. A failure that depends on the wait of a goroutine
// other than the failing one is left alone, unless that wait was longer than
// patience: sleeps in a program usually order its goroutines, and that they
// need not is the bug. So are panics of the program, except in a run that has
// failed in the test's own code. A leak that follows from a failure is no
// more confirmed than that, nor is a use of the test after it has ended by
// failing.
//
// Of a property nobody knows who fails: a timer that nobody has waited for
// may be the reason, as that of a context's deadline. A deadlock depends on
// whoever has waited, if nobody blocks for ever in the prompt replay. One of
// nothing but locks is confirmed whatever it depends on: that they are taken
// in two orders is the bug. A leak without a failure depends on nothing: what
// a goroutine forgets that has waited for long enough is what time-outs are
// for.
func (r *Result) checkTiming(ctx context.Context, bin Binary, plan *Plan, opts Options) error {
	w := plan.Witness
	if r.Status != bug.Confirmed || opts.HoldTime > 0 || !r.mayDependOnTime(w) {
		return nil
	}
	failing, late := suspectsOf(w, r.Verdicts[0].Overtaken)
	if len(late) == 0 {
		return nil
	}
	v, err := opts.Slots.run(ctx, w, false, func() (Verdict, error) {
		return replayOnce(ctx, bin, w, plan.forOrder(r.Order).withWord("prompt"), opts, false)
	})
	opts.Folder.freeExcept(r.Trace)
	if err != nil {
		return err
	}
	if !v.passes(w) {
		return nil
	}
	if told := overtaken(v.Overtaken, failing); len(told) > 0 && (failsTest(w) || w.Kind == bug.Deadlock && late[0].Delay < patience) { // it tells of each one that it has let go
		late = told
	}
	r.DependsOnTime, r.Overtaken = true, late
	worst := slices.MaxFunc(late, func(a, b OvertakenGoroutine) int { return cmp.Compare(a.Delay, b.Delay) })
	if worst.Delay >= patience && !isLockDeadlock(w) {
		what := "the test fails"
		if w.Kind == bug.Deadlock {
			what = "goroutines block for ever"
		}
		r.Status = bug.Unconfirmed
		r.Reason = fmt.Sprintf("%s only if goroutine %s takes %s or longer where others wait for it", what, shortName(worst.Goroutine), worst.Delay.Round(time.Millisecond))
	}
	return nil
}

// ofLocks reports whether w is a deadlock whose goroutines wait for locks that the others hold.
func isLockDeadlock(w *witness.Witness) bool {
	return w.Kind == bug.Deadlock && !slices.ContainsFunc(w.Violation, func(s witness.Step) bool { return s.Op.Class() != trace.ClassLock })
}

// mayRest reports whether what r has shown of w is of a kind that may rest on time.
func (r *Result) mayDependOnTime(w *witness.Witness) bool {
	switch {
	case w.Kind == bug.Deadlock:
		return r.Effect != bug.Panic
	case failsTest(w), w.Kind == bug.Leak, w.Kind == bug.Failure, w.Kind == bug.Property:
		return r.Effect == bug.TestFailure || r.Effect == bug.Panic && w.Kind == bug.Failure && failsInTestCode(w)
	}
	return false
}

// failsTest reports whether w is a failure of the test, of which is known who fails.
func failsTest(w *witness.Witness) bool { return w.Proof() == bug.FailedTest }

// suspectsOf returns those of the delayed goroutines that w may depend on,
// and whose wait counts: that of the goroutine that fails, or of the first
// one to overtake another where a deadlock may follow from any. It is "" of a
// timer that nobody has waited for, or where it is not known who fails.
func suspectsOf(w *witness.Witness, late []OvertakenGoroutine) (failing string, out []OvertakenGoroutine) {
	longest := func() (out []OvertakenGoroutine) {
		for _, l := range late {
			if l.Delay >= patience {
				out = []OvertakenGoroutine{l}
			}
		}
		return out
	}
	switch {
	case failsTest(w):
		failing = w.Violation[0].Goroutine
		out = overtaken(late, failing)
	case w.Kind == bug.Property:
		out = overtaken(late, "")
	case w.Kind == bug.Deadlock && len(late) > 0:
		failing = late[0].Waiter
		if out = longest(); len(out) == 0 {
			out = overtaken(late, failing)
		}
	}
	if len(out) == 0 {
		out = longest()
	}
	return failing, out
}

// passes reports whether nothing came of a prompt replay of w: the test has
// passed. Of a deadlock it suffices that nobody is blocked for ever, even if
// the test fails for another reason.
func (v Verdict) passes(w *witness.Witness) bool {
	switch {
	case v.Outcome.TimedOut:
		return false
	case w.Kind == bug.Deadlock && v.Outcome.Effect == bug.TestFailure:
		return !v.anyBlockedForever
	}
	return v.Outcome.Effect == bug.NoEffect
}

// inTest reports whether w's run fails in the code of a test, and not in what that tests.
func failsInTestCode(w *witness.Witness) bool {
	return len(w.Violation) == 1 && strings.HasSuffix(w.Violation[0].File, "_test.go")
}

// shortName is the name of a goroutine without that of its test.
func shortName(goroutine string) string { return goroutine[strings.LastIndexByte(goroutine, ':')+1:] }

// overtaken returns those of the delayed goroutines that one wait of the
// failing goroutine has overtaken, its first one, or the timer that nobody
// has waited for.
func overtaken(late []OvertakenGoroutine, failing string) (out []OvertakenGoroutine) {
	for _, l := range late {
		switch {
		case l.Waiter != failing && l.Waiter != "",
			slices.ContainsFunc(out, func(o OvertakenGoroutine) bool { return o.Goroutine == l.Goroutine }),
			len(out) > 0 && (l.Waiter != out[0].Waiter || l.WaitReason != out[0].WaitReason || l.Position != out[0].Position):
		default:
			out = append(out, l)
		}
	}
	return out
}
