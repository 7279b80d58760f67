// Package schedule turns candidates into witness schedules.
package schedule

// A Schedule is an order of events of one trace that leads to a violation.
// All numbers are positions in trace.Trace.Events.
type Schedule struct {
	// Steps are the events to perform, in this order, before the violation.
	Steps []int
	// Violation are the events at which the goroutines stand when Steps are
	// done: for a race the two accesses, each in another goroutine.
	Violation []int
	// Hold is, for each goroutine that took part in Steps or was forked by
	// them and is not in Violation, the first of its events that must not
	// happen before the violation.
	Hold []int
}
