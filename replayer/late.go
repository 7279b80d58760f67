package replayer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/replayer/witness"
)

// patience is how long goroutines have to be late for a failure that rests on it to be no
// bug: a test that waits as long for another goroutine means to see what hangs. Less is
// what a busy machine makes of any goroutine. Of the usual second some has passed by then.
const patience = 950 * time.Millisecond

// onTime finds out whether a failure of the test that was confirmed under plan rests on
// time: on others being late while the failing goroutine waited for a timer. Its replays
// tell who was held, though it could go on, while timers fired. If anyone was, the same is
// replayed once more, promptly: a goroutine that could go on does so before any timer fires,
// in its turn or not. If the test passes then, the failure rests on time; if on more than
// patience, it is not confirmed. What rests on another goroutine's wait is left alone, but for
// one of more than patience: sleeps in a program order its goroutines as a rule, and that they
// need not is the bug; and so are panics of the program, but for a run that has failed by one of the test's own
// code. A leak that follows from a failure is no more confirmed than that, nor is a use of the test after an end
// that it came to by failing. Of a property nobody knows who fails: a timer that nobody has waited for may be why, as that of
// a context's deadline.
func (r *Result) onTime(ctx context.Context, bin Binary, plan *Plan, opts Options) error {
	w := plan.Witness
	assertion := w.Kind.ProofOf(len(w.Violation)) == bug.FailedTest
	if r.Effect != bug.TestFailure && !(r.Effect == bug.Panic && w.Kind == bug.Failure && inTest(w)) || r.Status != bug.Confirmed || !assertion && w.Kind != bug.Leak && w.Kind != bug.Failure && w.Kind != bug.Property || opts.Hold > 0 {
		return nil
	}
	failing := "" // who fails then is not known of others
	if assertion {
		failing = w.Violation[0].Goroutine
	}
	var late []Late
	if assertion || w.Kind == bug.Property {
		late = overtaken(r.Verdicts[0].Late, failing)
	}
	if len(late) == 0 {
		for _, l := range r.Verdicts[0].Late {
			if l.For >= patience {
				late = []Late{l}
			}
		}
	}
	if len(late) == 0 {
		return nil
	}
	v, err := opts.Slots.run(ctx, w, false, func() (Verdict, error) {
		return once(ctx, bin, w, plan.inOrder(r.Order).with("prompt"), opts, false)
	})
	opts.Work.keep(r.Trace)
	if err != nil {
		return err
	}
	if v.Outcome.Effect != bug.NoEffect || v.Outcome.TimedOut {
		return nil
	}
	if prompt := overtaken(v.Late, failing); assertion && len(prompt) > 0 { // it tells of each one that it has let go
		late = prompt
	}
	r.Timed, r.Late = true, late
	worst := slices.MaxFunc(late, func(a, b Late) int { return cmp.Compare(a.For, b.For) })
	if worst.For >= patience {
		r.Status = bug.Unconfirmed
		r.Reason = fmt.Sprintf("the test fails only if goroutine %s takes %s or longer where others wait for it", shortName(worst.Goroutine), worst.For.Round(time.Millisecond))
	}
	return nil
}

// inTest reports whether w's run fails in the code of a test, and not in what that tests.
func inTest(w *witness.Witness) bool {
	return len(w.Violation) == 1 && strings.HasSuffix(w.Violation[0].File, "_test.go")
}

// shortName is the name of a goroutine without that of its test.
func shortName(goroutine string) string { return goroutine[strings.LastIndexByte(goroutine, ':')+1:] }

// overtaken returns those of the late goroutines that one wait of the failing goroutine has
// overtaken, its first one, or the timer that nobody has waited for.
func overtaken(late []Late, failing string) (out []Late) {
	for _, l := range late {
		switch {
		case l.By != failing && l.By != "",
			slices.ContainsFunc(out, func(o Late) bool { return o.Goroutine == l.Goroutine }),
			len(out) > 0 && (l.By != out[0].By || l.Why != out[0].Why || l.Pos != out[0].Pos):
		default:
			out = append(out, l)
		}
	}
	return out
}
