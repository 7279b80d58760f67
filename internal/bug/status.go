package bug

import "slices"

// A Status is what is known of a finding, or has become of a witness.
type Status string

// What a finding is before any replay.
const (
	Predicted Status = "predicted" // it has schedules
	Undecided Status = "undecided" // there is neither a schedule nor a proof that there is none
)

// What a finding is in the end: the words of the report.
const (
	Confirmed   Status = "confirmed"   // a replay showed it
	Unconfirmed Status = "unconfirmed" // no replay did
	Infeasible  Status = "infeasible"  // no run of the program leads to it
)

// What can become of a saved witness besides.
const (
	Left        Status = "left"  // the program left its schedule, though all of it was found there
	Fixed       Status = "fixed" // and no other schedule leads to the bug
	Stale       Status = "stale" // it no longer fits the sources
	NotReplayed Status = "not replayed"
	Damaged     Status = "damaged" // it cannot be read
)

// Rank orders what the report lists: what is confirmed comes first, then what is not,
// then what is infeasible.
func (s Status) Rank() int { return slices.Index([]Status{Confirmed, Unconfirmed, Infeasible}, s) }

// An Effect is the harm that a confirmed bug did in a replay.
type Effect string

// The effects, from the least harmful.
const (
	NoEffect    Effect = "none"
	Leaks       Effect = "leak"
	TestFailure Effect = "test-failure"
	Blocks      Effect = "deadlock"
	Panic       Effect = "panic"
)

// effects has the sentence for each effect, in the order of their harm.
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

// Harm is greater for an effect that does more harm; 0 for none.
func (e Effect) Harm() int {
	for i := range effects {
		if effects[i].effect == e {
			return i
		}
	}
	return 0
}

// Text says what the effect is: "the test panics".
func (e Effect) Text() string { return effects[e.Harm()].text }
