package bug

// This file is the one place that decides what is said of a bug. Whoever has replayed, analyzed or
// searched for it collects the evidence, and asks here.
//
// The three claims that users act on need proofs:
//
//   - Confirmed: a witness, which has shown the bug in each of its replays;
//   - Infeasible: no order of the recorded events leads to the bug, and no run can depart from
//     these;
//   - Fixed: the present program does what the violation of the witness did, the order that the
//     witness asks for does not lead to the bug, and the test passes.
//
// What is not proven is Unconfirmed, and never any of these.

// Evidence is what is known of a bug in one version of the program.
type Evidence struct {
	// Scheduled says that the analysis has a schedule that leads to the bug.
	Scheduled bool
	// Refuted says that no order of the recorded events leads to it, which is proven.
	Refuted bool
	// Departs says that a run may do other things than the recorded one: a branch, a select, a
	// timer or an input may come out otherwise.
	Departs bool
	// LookedAtChance names what the test has looked at that is another in each run, whatever the
	// order of goroutines: the order of a map, or random numbers.
	LookedAtChance []string

	// Replays counts those of one witness, and Reproduced those of them that showed the bug.
	Replays, Reproduced int
	// Unproven says that these replays do not show that the schedule is the reason: the test fails
	// without it, too, or only if a goroutine is delayed for a time that no machine takes.
	Unproven bool
}

// IsConfirmed reports whether a witness has shown the bug in each of its replays.
func (e Evidence) IsConfirmed() bool {
	return e.Reproduced > 0 && e.Reproduced == e.Replays && !e.Unproven
}

// Status returns the status of a finding: Confirmed, Unconfirmed, Predicted, Infeasible or Undecided.
func (e Evidence) Status() Status {
	switch {
	case e.IsConfirmed():
		return Confirmed
	case e.Replays > 0:
		return Unconfirmed
	case e.Scheduled:
		return Predicted
	case e.Refuted && !e.Departs && len(e.LookedAtChance) == 0:
		return Infeasible
	}
	return Undecided
}

// SavedEvidence is what is known of a saved witness, and of its bug in the present program.
type SavedEvidence struct {
	Evidence // of its own replays

	Damaged     bool // it cannot be read
	NotReplayed bool // it was not asked for, or could not be replayed here
	// Stale says that the present sources do not have all that the witness names, or that some of it
	// was only guessed.
	Stale bool

	// The following are of a search for the bug by other schedules of the present program.

	// Elsewhere says that one of these has shown it in each of its replays.
	Elsewhere bool
	// AccessesFound says that the present program does all that the violation did: each access was
	// found, not guessed, and some run has come to it.
	AccessesFound bool
	// OrdersRefuted says that no order of these accesses leads to the bug: nothing is predicted
	// there, or all that the test can do was seen. That is never said of a test that looks at chance,
	// and what is undecided for chance is a doubt.
	OrdersRefuted bool
	// OrderFollowed says that the witness's own order was brought about, each step of it at its own
	// place, and has not led to the bug.
	OrderFollowed bool
	// TestPasses says that the test has passed in all runs of the search and all replays.
	TestPasses bool
	// Doubtful says that something may be the bug, and was not decided.
	Doubtful bool
}

// IsFixed reports whether the bug is proven to be fixed.
func (e SavedEvidence) IsFixed() bool {
	return e.Reproduced == 0 && e.AccessesFound && (e.OrdersRefuted || e.OrderFollowed) && e.TestPasses && !e.Doubtful
}

// Status returns what has become of the bug: it is there (Confirmed), or Fixed, or that is not known
// (Unconfirmed), perhaps as the witness is Stale, Damaged or NotReplayed.
func (e SavedEvidence) Status() Status {
	switch {
	case e.Damaged:
		return Damaged
	case e.IsConfirmed() || e.Elsewhere:
		return Confirmed
	case e.NotReplayed:
		return NotReplayed
	case e.Reproduced > 0: // in some replays only
		return Unconfirmed
	case e.IsFixed():
		return Fixed
	case e.Stale:
		return Stale
	}
	return Unconfirmed
}
