// Package schedule turns candidates into schedules: orders of events of the
// trace after which goroutines stand at a violation.
//
// It implements PECAN's Algorithm 3 with the rule of the outermost lock, and
// Algorithm 4 for any number of events (Huang and Zhang, ISSTA 2011, §6), and
// cones that need fewer steps; causality graphs guide it where critical sections
// must be turned round. Schedules are proposals: package feasible judges them,
// and the replay has the last word.
package schedule

import (
	"slices"
)

// A Scheduler is a way to make schedules.
type Scheduler string

// The schedulers, as reports name them.
const (
	// Cone keeps the recorded order of the events that the accesses need. These are few,
	// and a replay can miss each step.
	Cone Scheduler = "cone"
	// Turned lets critical sections come in another order than the recorded one, where
	// the accesses are within them.
	Turned Scheduler = "turned"
	// Pecan is PECAN's Algorithm 3 for races and 4 for patterns. It keeps all that
	// happened and does not depend on the access that is put off, so that goroutines
	// find what the trace does not show: time, files, memory that is not recorded.
	Pecan Scheduler = "pecan"
	// Sliced leaves out of a cone what branches decide whose control scopes have ended,
	// and does not keep what only these read.
	Sliced Scheduler = "sliced"
	// Solver is whoever has found the steps of [Planner.Given].
	Solver Scheduler = "solver"
)

// A Schedule is an order of events of one trace that leads to a violation.
// All numbers are positions in trace.Trace.Events.
// For example, From 3 and Steps 5, 4 are the order 0, 1, 2, 5, 4.
type Schedule struct {
	// From is the number of events that come first, in recorded order.
	From int
	// Steps are the events to perform then, in this order, before the violation.
	Steps []int
	// Violation are the events at which the goroutines stand when Steps are
	// done: for a race the two accesses, each in another goroutine; for accesses
	// in a given order the last one, as the others are among Steps; for a deadlock
	// the operations but for waits for conditions, which are among Steps, too.
	Violation []int
	// Hold is, for each goroutine that took part so far or was forked, and is
	// not in Violation, the first of its events that must not happen before the
	// violation. Completions of what was begun (a receive, a Wait) do not count,
	// for nothing can keep them from happening.
	Hold []int
}

// same reports whether s and o perform the same events in the same order. They may
// begin at different positions.
func (s Schedule) same(o Schedule) bool {
	if s.From > o.From {
		s, o = o, s
	}
	n := o.From - s.From
	if len(s.Steps) != n+len(o.Steps) {
		return false
	}
	// What o takes from the recorded run, s must have as steps in recorded order.
	for k, i := range s.Steps[:n] {
		if i != s.From+k {
			return false
		}
	}
	return slices.Equal(s.Steps[n:], o.Steps)
}

// A Recipe makes a schedule whenever it is wanted. Schedules can be as long as
// the trace; of those that wait for their replay, the recipes are kept.
type Recipe struct {
	// Accesses are the positions of the events that make the violation: for a
	// race the earlier one first, for a sequence in its order. Of goroutines that wait for
	// a condition it is where they begin to, which is among the steps.
	Accesses []int
	target   target
	p        *Planner
	method   method
	given    *solvedSteps      // in place of a method
	made     *computedSchedule // in place of all these
	offset   int               // where the planner's trace begins in that which Accesses are of
}

// InLongerTrace returns r for a trace of which that of its planner is a part, that begins at position
// offset.
func (r Recipe) InLongerTrace(offset int) Recipe {
	r.Accesses = shifted(r.Accesses, offset)
	r.offset += offset
	return r
}

func shifted(positions []int, by int) []int {
	all := make([]int, len(positions))
	for k, i := range positions {
		all[k] = i + by
	}
	return all
}

// Scheduler is who makes the schedule.
func (r Recipe) Scheduler() Scheduler {
	switch {
	case r.made != nil:
		return r.made.by
	case r.given != nil:
		return Solver
	}
	return r.method.scheduler()
}

// Schedule makes the schedule, equal each time, from where the violation's tests
// begin: a replay cannot begin later.
func (r Recipe) Schedule() Schedule {
	begin, s := r.make()
	// A replay controls all that its tests do, so that this part of the base becomes steps.
	if before := s.From - begin; before > 0 {
		all := make([]int, before, before+len(s.Steps))
		for k := range all {
			all[k] = begin + k
		}
		s.From, s.Steps = begin, append(all, s.Steps...)
	}
	if r.offset > 0 {
		return Schedule{s.From + r.offset, shifted(s.Steps, r.offset), shifted(s.Violation, r.offset), shifted(s.Hold, r.offset)}
	}
	return s
}

// make makes the schedule as planners do, and returns where the violation's tests begin.
func (r Recipe) make() (begin int, s Schedule) {
	switch {
	case r.made != nil:
		return r.made.schedule()
	case r.given != nil:
		s = r.given.schedule(r.p)
	default:
		s, _ = r.p.make(r.method, r.target)
		s = r.p.withHold(s, r.p.baseAt(int32(s.From)), r.method.violationEvents(r.target)...)
	}
	return int(r.p.testBase(r.target).position), s
}
