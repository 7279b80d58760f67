package evidence

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// addSwitches says, for each step of another goroutine than the step before, why that one
// stopped.
func (b builder) addSwitches(f *report.Finding, w *witness.Witness) {
	held := make(map[string]witness.Step) // by goroutine: the step that the schedule holds it before
	for _, s := range slices.Backward(w.Holds) {
		held[b.goroutine(s.Goroutine)] = s
	}
	next := make(map[string]int) // by goroutine: its first step from i on
	for i := len(f.Interleaving) - 1; i > 0; i-- {
		next[f.Interleaving[i].Goroutine] = i
		from := f.Interleaving[i-1]
		if f.Interleaving[i].Goroutine == from.Goroutine {
			continue
		}
		f.Switches++
		why := "went first"
		switch {
		case w.EndsBlocked() && from.Violation:
			why = "waits for ever"
		case w.InOrder() || !from.Violation:
			if k, goesOn := next[from.Goroutine]; goesOn {
				why = whyPreempted(w, &f.Interleaving[k])
			} else if s, ok := held[from.Goroutine]; ok {
				why = b.whyHeld(s)
			} else {
				why = "has done its part"
			}
		}
		f.Interleaving[i].Switch = &report.Switch{From: from.Goroutine, Reason: why}
	}
}

// whyPreempted says why a goroutine whose next step is s in an interleaving of w does not go on
// before.
func whyPreempted(w *witness.Witness, s *report.Step) string {
	if s.Violation && !w.InOrder() {
		return "stands at ▶"
	}
	return "preempted"
}

// whyHeld says what a goroutine is held before, the step s.
func (b builder) whyHeld(s witness.Step) string {
	if inTesting(s) {
		return whyHeldInTesting(s)
	}
	expr := b.operand(s)
	switch s.Op {
	case trace.WaitGroupWait, trace.CondWait:
		return strings.TrimSpace("waits for " + expr)
	case trace.Recv:
		return strings.TrimSpace("waits to receive from " + expr)
	case trace.Select:
		return "waits in a select"
	case trace.WaitGroupAdd:
		method := "Done" // what WaitGroup.Go ends with, too
		if s.Value != "-1" && strings.Contains(b.sourceLine(s), ".Add(") {
			method = "Add"
		}
		return "about to call " + cmp.Or(expr, "WaitGroup") + "." + method
	case trace.End, trace.TestEnd:
		return "about to end"
	case trace.Post, trace.Await:
		if b.isTimerBegin(s) {
			return "about to begin"
		}
		if strings.Contains(expr, ".") {
			return "about to call " + expr
		}
		return "about to go on"
	case trace.ChanMake:
		return "about to make " + cmp.Or(expr, "a channel")
	case trace.Fork:
		return "about to start " + cmp.Or(expr, "a goroutine")
	case trace.Branch, trace.Assert:
		return strings.TrimSpace("about to check " + expr)
	case trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW:
		return strings.TrimSpace("about to " + strings.TrimPrefix(report.Word(s.Op.String()), "atomic ") + " " + expr)
	}
	return "about to " + report.Step{Op: s.OperationWord(), Expr: expr}.String()
}

// inTesting reports whether a step is one of package testing.
func inTesting(s witness.Step) bool { return strings.HasPrefix(s.File, report.TestingFiles) }

// whyHeldInTesting is whyHeld for what package testing does: the locks and channels there say
// nothing to readers.
func whyHeldInTesting(s witness.Step) string {
	switch {
	case s.Op == trace.Recv && s.Func == "testing.(*T).Run":
		return "waits for a subtest"
	case s.Op == trace.Recv && s.Func == "testing.(*T).Parallel":
		return "waits for its turn" // the tests that are not parallel come first
	case s.Op == trace.Recv && strings.HasPrefix(s.Func, "testing.tRunner"):
		return "waits for subtests"
	case strings.HasPrefix(s.Func, "testing.tRunner"), s.Func == "testing.(*common).runCleanup":
		return "the test is over"
	}
	return "stopped in package testing"
}
