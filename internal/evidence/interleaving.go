package evidence

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A shownStep is a step of an interleaving.
type shownStep struct {
	*witness.Step
	violation bool // it is one of the violation
	position  int  // in Evidence.Replayed; -1 if that does not have it
}

// interleaving lists the steps of w and then those of its violation that are not among them,
// the access that goes first first. Of what package testing does only the start of a test is
// shown.
func (b builder) interleaving(w *witness.Witness, first int) []shownStep {
	steps := make([]shownStep, 0, len(w.Steps)+len(w.Violation))
	var stepsAt, violationAt []int
	if b.Observed != nil {
		stepsAt, violationAt = b.Observed.StepPositions, b.Observed.ViolationPositions
	}
	add := func(s *witness.Step, marked bool, positions []int, i int) {
		position := -1
		if positions != nil {
			position = positions[i]
		}
		steps = append(steps, shownStep{s, marked, position})
	}
	addAccess := func(i int) { add(&w.Violation[i], true, violationAt, i) }
	hasAccesses := false // the steps have accesses of the violation
	for i := range w.Steps {
		s := &w.Steps[i]
		marked := (w.InOrder() || w.EndsBlocked()) && w.HasAccess(*s)
		hasAccesses = hasAccesses || marked
		if s.Op != trace.Begin && (marked || !inTesting(*s) || s.Op == trace.Fork) && !b.repeatsTimer(*s) { // the begin of a goroutine says nothing
			add(s, marked, stepsAt, i)
		}
	}
	if w.InOrder() && hasAccesses {
		addAccess(len(w.Violation) - 1)
		return steps
	}
	if first > 0 {
		addAccess(first)
	}
	for i := range w.Violation {
		if (i != first || first == 0) && (w.IsPending(i) || !w.EndsBlocked()) {
			addAccess(i)
		}
	}
	return steps
}

// repeatsTimer reports whether s only says once more that a timer fires, or is reset: a function that a
// timer calls begins with several events, and so does a Reset of a timer.
func (b builder) repeatsTimer(s witness.Step) bool {
	if s.Op == trace.Await && strings.HasSuffix(witness.CalledMethod(b.sourceLine(s)), ".Reset") {
		return true
	}
	return s.Op == trace.Await && s.Occurrence > 1 && b.isTimerBegin(s) || s.Op == trace.Post && b.isTimerBegin(s)
}

// isTimerBegin reports whether s is an event with which a goroutine begins that calls the function of a
// timer. It has the place of the call that has made the timer. A function that makes a timer at the
// same place has its own events there later.
func (b builder) isTimerBegin(s witness.Step) bool {
	if s.Op != trace.Await && (s.Op != trace.Post || s.Occurrence > 1) {
		return false
	}
	for _, r := range []*run{b.replayed, b.recorded} {
		if r == nil {
			continue
		}
		for k := range r.Goroutines {
			if g := &r.Goroutines[k]; g.Name() == s.Goroutine {
				at := r.Sites[g.Site]
				return at.Line == s.Line && b.Files.Name(at.File) == s.File
			}
		}
	}
	return false
}

// lastSteps returns the last [maxSteps] steps, with those of the violation wherever they are,
// and how many others there are.
func lastSteps(steps []shownStep) (last []shownStep, leftOut int) {
	cut := max(0, len(steps)-maxSteps)
	for i := range cut {
		if steps[i].violation {
			last = append(last, steps[i])
		}
	}
	leftOut = cut - len(last)
	return append(last, steps[cut:]...), leftOut
}

// namedSteps returns the steps of an interleaving as the report has them. A call that is an access has
// the operand of the access.
func (b builder) namedSteps(w *witness.Witness, steps []shownStep, accesses []report.Access) []report.Step {
	if len(steps) == 0 {
		return nil
	}
	out := make([]report.Step, 0, len(steps))
	functions := make(map[string]string)
	for _, s := range steps {
		function, known := functions[s.Func]
		if !known {
			function = b.function(s.Func)
			functions[s.Func] = function
		}
		step := report.Step{
			Goroutine: b.goroutine(s.Goroutine), Op: s.OperationWord(), Expr: b.operand(*s.Step), Value: s.Value,
			Position: report.Position{Func: function, File: s.File, Line: s.Line}, Violation: s.violation,
		}
		if k := slices.IndexFunc(accesses, func(a report.Access) bool {
			return a.Goroutine == step.Goroutine && a.Op == step.Op && a.Position == step.Position
		}); s.violation && k >= 0 {
			step.Object = accesses[k].Object
		} else if s.position >= 0 && b.replayed != nil {
			step.Object = b.named.note(b.replayed, s.Op, b.replayed.Events[s.position].Obj)
		}
		if s.Op == trace.Fork && inTesting(*s.Step) {
			step.Expr = report.SubtestStart
		}
		if s.violation && w.Kind == bug.Failure {
			step.Op, step.Expr = operationOnTest(*s.Step)
			step.Value = ""
		}
		if s.Op == trace.Call && s.SiteOp == "" {
			for k, v := range w.Violation {
				if v.Goroutine == s.Goroutine && v.File == s.File && v.Line == s.Line && v.Occurrence == s.Occurrence {
					step.Expr = accesses[k].Expr
				}
			}
		}
		out = append(out, step)
	}
	return out
}
