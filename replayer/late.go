package replayer

import (
	"context"
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
)

// onTime finds out whether an assertion that was confirmed under plan rests on time: on
// others being late while the failing goroutine waited for a timer. Its replays tell who
// was held, though it could go on, while timers fired. If anyone was, the same is replayed
// once more, promptly: a goroutine that could go on does so before any timer fires, in its
// turn or not. If the test passes then, the failure rests on time. What rests on another
// goroutine's wait is left alone: sleeps in a program order its goroutines as a rule, and
// that they need not is the bug; and so are panics of the program.
func (r *Result) onTime(ctx context.Context, bin Binary, plan *Plan, opts Options) error {
	w := plan.Witness
	if r.Effect != bug.TestFailure || r.Status != bug.Confirmed || w.Kind.ProofOf(len(w.Violation)) != bug.FailedTest || opts.Hold > 0 {
		return nil
	}
	failing := w.Violation[0].Goroutine
	late := overtaken(r.Verdicts[0].Late, failing)
	if len(late) == 0 {
		return nil
	}
	v, err := opts.Slots.run(ctx, func() (Verdict, error) {
		return once(ctx, bin, w, plan.inOrder(r.Order).with("prompt"), opts, false)
	})
	opts.Work.keep(r.Trace)
	if err != nil {
		return err
	}
	if v.Outcome.Effect == bug.NoEffect && !v.Outcome.TimedOut {
		if prompt := overtaken(v.Late, failing); len(prompt) > 0 { // it tells of each one that it has let go
			late = prompt
		}
		r.Timed, r.Late = true, late
	}
	return nil
}

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
