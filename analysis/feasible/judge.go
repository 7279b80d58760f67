package feasible

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// An Infeasible is the reason why a schedule cannot happen. Its text is for
// readers, who know goroutines and sources and no positions in a trace.
type Infeasible struct {
	// Step is an index in the steps; len(steps) for the violation.
	Step int
	// Event is a position in the trace's events.
	Event int
	// Where names the event.
	Where string
	// Reason says what was expected and what was found.
	Reason string
}

func (e *Infeasible) Error() string {
	return fmt.Sprintf("infeasible: %s: %s", e.Where, e.Reason)
}

// Check checks a schedule: the events of t at the positions steps are executed
// in this order, and then goroutines are about to execute the events at the
// positions violation. It returns nil if that is a possible execution in which
// these events are a violation (see [state.noViolation]), else an
// [*Infeasible]. For many schedules of one trace, make one [Judge].
func Check(t *trace.Trace, steps, violation []int) error {
	return New(t).Check(steps, violation)
}

// A Judge checks schedules of one trace. It serves one goroutine at a time.
type Judge struct {
	// The program of the trace.
	program *program
	// The state of the last check: fromStart or afterPrefix.
	state *state
	// For checks from the start of the trace; nil before the first one.
	fromStart *state
	// For checks that begin with a recorded prefix; nil before the first one.
	afterPrefix *state
	// The state after the last such prefix, without the contents of memory.
	lastPrefix savedState
	// States after every saveEvery events of the recorded run, as far as it was
	// executed.
	savedStates []savedState
	saveEvery   int
	// How many events of the recorded run were executed.
	executedTo int
	// The schedule that was checked last.
	last lastSchedule
	// See [Judge.Spent].
	spent int
}

// New prepares the check of schedules of t, in time and memory proportional
// to the trace's length.
func New(t *trace.Trace) *Judge {
	return NewWith(t, trace.NewProgramOrder(t), dataflow.New(t), trace.NewLayout(t))
}

// NewWith is [New] for a trace whose program order, flow and layout are known.
func NewWith(t *trace.Trace, order *trace.ProgramOrder, flow *dataflow.Flow, l *trace.Layout) *Judge {
	p := compile(t, order, flow, l)
	return &Judge{program: p, saveEvery: p.spacing(), last: lastSchedule{least: max(leastMark, p.size()-len(p.mem.cells))}}
}

// Spent returns the work of the checks so far, in events: events executed, and
// states copied. The first execution of the recorded run does not count: it is
// no more than to prepare the judge.
func (j *Judge) Spent() int { return j.spent }

// Check is [Check] for the judge's trace. It takes time proportional to the
// number of steps and of synchronization objects.
func (j *Judge) Check(steps, violation []int) error { return j.CheckFrom(0, steps, violation) }

// CheckFrom is Check for schedules that begin with the first from events of
// the trace, as they were recorded, followed by the steps. A series of checks
// executes these events once, and few of them again if from decreases.
//
// Events of the violation may be among the steps. The last one of a goroutine
// need not read the recorded value, if the goroutine has no further step and
// no other event of the violation.
func (j *Judge) CheckFrom(from int, steps, violation []int) error {
	from = min(max(from, 0), len(j.program.t.Events))
	j.spent += len(steps)
	stand, ends := j.splitViolation(steps, violation)
	turned := j.flippedBranches(steps, stand)
	if len(turned) > 0 { // the steps leave out events within the scopes
		j.last.marks = nil
	}
	first := j.resume(from, steps, ends)
	j.state.flipped = turned
	spacing := max(j.last.least, len(steps)/mostMarks)
	for i := first; i < len(steps); i++ {
		pos := steps[i]
		if reason := j.outOfTurn(pos); reason != "" {
			return j.infeasible(i, pos, reason)
		}
		j.state.lastOfGoroutine = slices.Contains(ends, pos)
		if reason := j.state.step(int32(pos)); reason != "" {
			return j.infeasible(i, pos, reason)
		}
		if len(turned) == 0 {
			j.noteStep(pos, spacing)
		}
	}
	stands := map[trace.GID]bool{}
	for _, pos := range stand {
		reason := j.outOfTurn(pos)
		if reason == "" {
			g := j.program.t.Events[pos].G
			if stands[g] {
				reason = "expected one violating event for each goroutine, found a second one"
			}
			stands[g] = true
		}
		if reason == "" {
			reason = j.state.taints.cannotReach(&j.program.t.Events[pos])
		}
		if reason == "" {
			if len(violation) == 1 && misusable(j.program.t.Events[pos].Kind) {
				reason = j.state.noMisuse(int32(pos))
			} else {
				reason = j.state.noViolation(int32(pos))
			}
		}
		if reason != "" {
			return j.infeasible(len(steps), pos, reason)
		}
	}
	return nil
}

// flippedBranches returns the branches after which the steps, or the events of
// the violation, leave out the events within the branches' scopes.
func (j *Judge) flippedBranches(steps, stand []int) map[int32]bool {
	if j.program.slice.IsEmpty() {
		return nil
	}
	turned := make(map[int32]bool)
	last := make(map[trace.GID]int)
	for _, list := range [][]int{steps, stand} {
		for _, pos := range list {
			if pos < 0 || pos >= len(j.program.t.Events) {
				continue
			}
			g := j.program.t.Events[pos].G
			if at, ok := last[g]; ok && j.program.order.Next(at) != pos {
				if end, ok := j.program.slice.ScopeEnd(at); ok && end == pos {
					turned[int32(at)] = true
				}
			}
			last[g] = pos
		}
	}
	return turned
}

// splitViolation returns the events of a violation that goroutines are about to
// execute, and those among the steps that are the last of their goroutines.
func (j *Judge) splitViolation(steps, violation []int) (stand, ends []int) {
	var happened []int // among the steps
	for _, pos := range violation {
		if slices.Contains(steps, pos) {
			happened = append(happened, pos)
		} else {
			stand = append(stand, pos)
		}
	}
	for _, pos := range happened {
		if !slices.ContainsFunc(stand, func(at int) bool { return j.sameGoroutine(at, pos) }) && j.lastStep(steps, pos) {
			ends = append(ends, pos)
		}
	}
	return stand, ends
}

// lastStep reports whether the event at pos is the last step of its goroutine.
func (j *Judge) lastStep(steps []int, pos int) bool {
	for _, step := range slices.Backward(steps) {
		if j.sameGoroutine(step, pos) {
			return step == pos
		}
	}
	return false
}

// sameGoroutine reports whether a and b are positions of events of one
// goroutine.
func (j *Judge) sameGoroutine(a, b int) bool {
	es := j.program.t.Events
	return a >= 0 && a < len(es) && b >= 0 && b < len(es) && es[a].G == es[b].G
}

// Deviations returns the positions of the tracked reads that did not find the
// recorded value in the last check, ascending.
func (j *Judge) Deviations() []int {
	var all []int
	for pos := range j.state.taints.deviations {
		all = append(all, int(pos))
	}
	slices.Sort(all)
	return all
}

// outOfTurn returns why the event at pos is not the next one of its goroutine,
// or "".
func (j *Judge) outOfTurn(pos int) string {
	events := j.program.t.Events
	if pos < 0 || pos >= len(events) {
		return fmt.Sprintf("expected a position below %d", len(events))
	}
	want, reason := j.state.nextOf(int(events[pos].G))
	if reason == "" && want != int32(pos) {
		reason = fmt.Sprintf("expected the goroutine's next event, %s, first", j.program.describe(int(want)))
	}
	return reason
}

func (j *Judge) infeasible(step, pos int, reason string) error {
	return &Infeasible{Step: step, Event: pos, Where: j.program.describe(pos), Reason: reason}
}

// describe returns a text that names an event for readers.
func (p *program) describe(pos int) string {
	if pos < 0 || pos >= len(p.t.Events) {
		return fmt.Sprintf("event %d", pos)
	}
	e := p.t.Events[pos]
	g := fmt.Sprint("goroutine ", e.G)
	if int(e.G) < len(p.t.Goroutines) {
		g = p.t.Goroutines[e.G].Name()
	}
	text := fmt.Sprintf("%s %s", g, e.Kind.Spec().Phrase)
	if s, ok := p.t.Sites[e.Site]; ok {
		if s.Expr != "" {
			text += " " + s.Expr
		}
		text += fmt.Sprintf(" at %s:%d", s.File, s.Line)
	}
	return text
}
