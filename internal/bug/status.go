package bug

import "slices"

// A Status is that of a finding, or the outcome of a saved witness.
type Status string

// The statuses of findings before any replay.
const (
	Predicted Status = "predicted" // it has schedules
	Undecided Status = "undecided" // there is neither a schedule nor a proof that there is none
)

// The final statuses of findings, as reports have them.
const (
	Confirmed   Status = "confirmed"   // a replay showed it
	Unconfirmed Status = "unconfirmed" // no replay did
	Infeasible  Status = "infeasible"  // no run of the program leads to it
)

// Further outcomes of saved witnesses.
const (
	Fixed       Status = "fixed" // no schedule of the present program leads to the bug
	Stale       Status = "stale" // it no longer fits the sources, and whether the bug is there is not known
	NotReplayed Status = "not replayed"
	Damaged     Status = "damaged" // it cannot be read
)

// InReport returns the status that reports have for findings of status s, once nothing more is
// replayed.
func (s Status) InReport() Status {
	if s == Predicted || s == Undecided {
		return Unconfirmed
	}
	return s
}

// Rank orders the findings of a report: confirmed ones first, infeasible ones last.
func (s Status) Rank() int { return slices.Index([]Status{Confirmed, Unconfirmed, Infeasible}, s) }

// An Effect is what a confirmed bug did to the test in a replay.
type Effect string

// The effects, from the least severe.
const (
	NoEffect    Effect = "none"
	Leaks       Effect = "leak"
	TestFailure Effect = "test-failure"
	Blocks      Effect = "deadlock"
	Panic       Effect = "panic"
)

// effects has the sentence for each effect, in the order of severity.
var effects = [...]struct {
	effect Effect
	text   string
}{
	{NoEffect, "none on this test's result"},
	{Leaks, "a goroutine is left behind"},
	{TestFailure, "the test fails"},
	{Blocks, "the test blocks for ever"},
	{Panic, "the test panics"},
}

// Harm returns a number that is greater for a more severe effect; 0 for none.
func (e Effect) Severity() int {
	for i := range effects {
		if effects[i].effect == e {
			return i
		}
	}
	return 0
}

// Text returns the sentence for the effect: "the test panics".
func (e Effect) Text() string { return effects[e.Severity()].text }
