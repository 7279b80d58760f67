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

// checkTiming finds out whether a failure of the test that was confirmed under plan depends on
// time: on other goroutines being delayed while the failing one waited for a timer.
//
// Replays report the goroutines that were held, though they could go on, while timers fired. If
// there are any, checkTiming replays the same schedule once more, promptly: a goroutine that could
// go on does so before any timer fires, in its turn or not. If the test passes then, the failure
// depends on time. If it depends on a longer delay than patience, it is not confirmed: that is found
// out first, by a replay that is prompt only where a delay would be as long.
//
// There are exceptions. A failure that depends on the wait of a goroutine other than the failing
// one stays confirmed, unless that wait was longer than patience: sleeps in a program usually
// order its goroutines, and that they need not do so is the bug. So do panics of the program,
// except in a run that has failed in the test's own code. A leak that follows from a failure is no
// more confirmed than the failure, nor is a use of the test after it has ended by failing.
//
// For a property the failing goroutine is not known: a timer that nobody has waited for may be the
// reason, as that of a context's deadline. A deadlock depends on any goroutine that waited, if no
// goroutine blocks for ever in the prompt replay. A deadlock of locks only is always confirmed:
// that they are acquired in two orders is the bug. A leak without a failure does not depend on
// time: what a goroutine forgets after it has waited long enough is the purpose of time-outs.
func (r *Result) checkTiming(ctx context.Context, bin Binary, plan *Plan, opts Options) error {
	w := plan.Witness
	if !r.IsConfirmed() || opts.HoldTime > 0 || !r.mayDependOnTime(w) {
		return nil
	}
	failing, late := suspectsOf(w, r.Verdicts[0].Overtaken)
	if len(late) == 0 {
		return nil
	}
	// promptly replays with none of the delays that are as long as least, or longer: all of them, or
	// those in one wait.
	promptly := func(least time.Duration, wait string) (Verdict, error) {
		v, err := opts.Slots.run(ctx, w, false, func() (Verdict, error) {
			return replayOnce(ctx, bin, w, plan.forOrder(r.Order).withOption(strings.TrimSpace(fmt.Sprintf("prompt %d %s", least, wait))), opts, false)
		})
		opts.Folder.removeExcept(r.Trace)
		return v, err
	}
	// A failure may need several delays. It needs a long one if it does not come with the short ones
	// alone, although it does not come without these either.
	if long := longDelays(r.Verdicts[0].Overtaken); len(long) > 0 && !isLockDeadlock(w) {
		v, err := promptly(patience, "")
		if err != nil {
			return err
		}
		if v.passes(w) {
			r.dependsOn(w, long)
			return nil
		}
	}
	v, err := promptly(0, "")
	if err != nil || !v.passes(w) {
		return err
	}
	// Not each wait matters in which a goroutine was held. The last one that does is told.
	waits := waitsOf(r.Verdicts[0].Overtaken, failing)
	for _, wait := range slices.Backward(waits[min(1, len(waits)):]) {
		v, err := promptly(0, wait[0].describeWait())
		if err != nil {
			return err
		}
		if v.passes(w) {
			r.dependsOn(w, wait)
			return nil
		}
	}
	if prompt := overtaken(v.Overtaken, failing); len(prompt) > 0 && (failsTest(w) || w.Kind == bug.Deadlock && late[0].Delay < patience) { // a prompt replay reports each goroutine that it let go on
		late = prompt
	}
	r.dependsOn(w, late)
	return nil
}

// waitsOf divides the overtaken goroutines by the wait in which each was overtaken: those of the failing
// goroutine, and those for timers that nobody waits for. The first ones come first, of few.
func waitsOf(late []OvertakenGoroutine, failing string) (waits [][]OvertakenGoroutine) {
	for _, l := range late {
		k := slices.IndexFunc(waits, func(w []OvertakenGoroutine) bool { return w[0].describeWait() == l.describeWait() })
		switch {
		case l.Waiter != failing && l.Waiter != "":
		case k >= 0:
			waits[k] = append(waits[k], l)
		case len(waits) < maxWaitsTried:
			waits = append(waits, []OvertakenGoroutine{l})
		}
	}
	return waits
}

// describeWait is how the run-time library describes the wait in which o was overtaken.
func (o OvertakenGoroutine) describeWait() string {
	if o.Waiter == "" {
		return "- - - -"
	}
	return o.Waiter + " " + strings.ReplaceAll(o.WaitReason, " ", "_") + " " + o.Func + " " + o.Position
}

// longDelays returns those of the overtaken goroutines that patience does not cover.
func longDelays(late []OvertakenGoroutine) []OvertakenGoroutine {
	return slices.DeleteFunc(slices.Clone(late), func(o OvertakenGoroutine) bool { return o.Delay < patience })
}

// dependsOn notes that r, the result of replays of w, depends on the delays of late. If one of them is
// longer than patience, nothing is proven.
func (r *Result) dependsOn(w *witness.Witness, late []OvertakenGoroutine) {
	r.DependsOnTime, r.Overtaken = true, late
	worst := slices.MaxFunc(late, func(a, b OvertakenGoroutine) int { return cmp.Compare(a.Delay, b.Delay) })
	if worst.Delay < patience || isLockDeadlock(w) {
		return
	}
	what := "the test fails"
	if w.Kind == bug.Deadlock {
		what = "goroutines block for ever"
	}
	r.Unproven = true
	r.Reason = fmt.Sprintf("%s only if goroutine %s takes %s or longer where others wait for it", what, shortName(worst.Goroutine), worst.Delay.Round(time.Millisecond))
}

// isLockDeadlock reports whether w is a deadlock whose goroutines all wait for locks.
func isLockDeadlock(w *witness.Witness) bool {
	return w.Kind == bug.Deadlock && !slices.ContainsFunc(w.Violation, func(s witness.Step) bool { return s.Op.Class() != trace.ClassLock })
}

// mayDependOnTime reports whether r, the result of replays of w, is of a kind that may depend on
// time.
func (r *Result) mayDependOnTime(w *witness.Witness) bool {
	switch {
	case w.Kind == bug.Deadlock:
		return r.Effect != bug.Panic
	case failsTest(w), w.Kind == bug.Leak, w.Kind == bug.Failure, w.Kind == bug.Property:
		return r.Effect == bug.TestFailure || r.Effect == bug.Panic && w.Kind == bug.Failure && failsInTestCode(w)
	}
	return false
}

// failsTest reports whether w is a failure of the test in a known goroutine.
func failsTest(w *witness.Witness) bool { return w.Proof() == bug.FailedTest }

// suspectsOf returns those of the overtaken goroutines that w may depend on, and the goroutine
// whose wait counts: the one that fails, or the first one to overtake another if a deadlock may
// follow from any. It is "" for a timer that nobody waited for, or if the failing goroutine is not
// known.
func suspectsOf(w *witness.Witness, late []OvertakenGoroutine) (failing string, out []OvertakenGoroutine) {
	longest := func() []OvertakenGoroutine {
		long := longDelays(late)
		return long[max(0, len(long)-1):]
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

// passes reports whether a prompt replay of w had no effect: the test passed. For a deadlock it
// suffices that no goroutine is blocked for ever, even if the test fails for another reason.
func (v Verdict) passes(w *witness.Witness) bool {
	switch {
	case v.Outcome.TimedOut:
		return false
	case w.Kind == bug.Deadlock && v.Outcome.Effect == bug.TestFailure:
		return !v.anyBlockedForever
	}
	return v.Outcome.Effect == bug.NoEffect
}

// failsInTestCode reports whether w's run fails in the code of a test, and not in the code that it
// tests.
func failsInTestCode(w *witness.Witness) bool {
	return len(w.Violation) == 1 && strings.HasSuffix(w.Violation[0].File, "_test.go")
}

// shortName returns the name of a goroutine without that of its test.
func shortName(goroutine string) string { return goroutine[strings.LastIndexByte(goroutine, ':')+1:] }

// overtaken returns those of the overtaken goroutines that were overtaken in one wait: the first
// wait of the failing goroutine, or that for a timer that nobody waits for.
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
