// Package minimize makes schedules shorter. It leaves out the steps that a replay need not
// control, and reorders the others so that goroutines switch as seldom as possible. Readers see
// the minimized schedule of a bug, and a replay can fail at each of its steps.
//
// The predictors make schedules, and package witness writes them to files. A schedule has the
// positions of events in one trace, before it is minimized and after. Each way to minimize is a
// [Minimizer]; package witness chooses which of them it applies, in which order.
//
// There are two kinds of minimizers. [WithoutGoroutines] asks the judge (package feasible), by a
// function of the caller, before it leaves anything out. The others keep the order of all
// dependent events. So their results stand for executions that are equivalent to the schedule
// (Mazurkiewicz, Trace Theory); their tests ask the judge.
package minimize

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Schedule is an order of events of a trace, by their positions, that leads to a violation.
type Schedule struct {
	Trace *trace.Trace
	Steps []int
	// Performed are the events of the violation that are among the steps.
	Performed []int
	// Pending are the other events of the violation: goroutines are about to execute them
	// after the steps.
	Pending []int
}

// A Minimizer returns the steps of a schedule without some that a replay does not need, or in
// another order. It does not change the schedule.
type Minimizer func(Schedule) []int

// Apply returns the steps that the minimizers leave of s, one after the other.
func Apply(s Schedule, minimizers ...Minimizer) []int {
	for _, m := range minimizers {
		s.Steps = m(s)
	}
	return s.Steps
}

// CanStep reports whether events of kind k may be steps of a witness. Branches may not, as
// their outcomes follow from what was read, nor may the cases of a select, which is a step
// itself.
func CanStep(k trace.Kind) bool { return k.CanHold() && k != trace.Branch && k != trace.SelectSend }

// OnlySteps leaves the events that can be steps of a witness.
func OnlySteps(s Schedule) []int {
	return filter(s.Steps, func(i int) bool { return CanStep(s.Trace.Events[i].Kind) })
}

// IsSync reports whether events of kind k, other than accesses, act on an object that
// goroutines share.
func IsSync(k trace.Kind) bool {
	switch k.Class() {
	case trace.ClassLock, trace.ClassCond, trace.ClassWaitGroup, trace.ClassOnce, trace.ClassToken, trace.ClassCall:
		return true
	case trace.ClassChannel:
		return k != trace.ChanMake && k != trace.Select && k != trace.SelectDone
	}
	return false
}

// filter returns the positions that are to be kept. They are few of many, mostly.
func filter(positions []int, keep func(int) bool) []int {
	var out []int
	for _, i := range positions {
		if keep(i) {
			out = append(out, i)
		}
	}
	return out
}

// without returns the steps that are not dropped; dropped has a value for each step.
func without(steps []int, dropped []bool) []int {
	var out []int
	for k, i := range steps {
		if !dropped[k] {
			out = append(out, i)
		}
	}
	return out
}

// isPerformed reports whether the event at position i is one of the violation among the steps.
func (s Schedule) isPerformed(i int) bool { return slices.Contains(s.Performed, i) }
