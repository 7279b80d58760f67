// Package replayer makes a predicted bug happen, or says why it does not.
//
// In the flow it is between the witness and the report. [NewPlan] resolves a witness
// against the sites of the current build, [Run] runs the saved test binary in
// replay mode under that plan and judges what happened, and [Confirm] does so
// for both orders of the two violating accesses, where these are to meet, or for
// the one that the recorded run has not shown: only
// what stood there in every replay is confirmed. [Repeat] replays one order many times.
//
// The protocol between this package and the run-time library in the tested
// program is [predictrt.Mode]. The plan, one item per line, lists the steps by goroutine, kind, site key
// and occurrence; the verdict, see [ParseVerdict], grows while the program
// runs, so that one that crashes or is killed still tells how far it came.
//
// Standing at both accesses at once, and then trying both orders, is the
// confirmation of races of Huang and Zhang, Persuasive Prediction of Concurrency
// Access Anomalies (PECAN), section 5. Accesses in a forbidden order are
// confirmed when they have come in it, on the variables and in the atomic regions
// of their pattern.
package replayer

import (
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Binary is a test binary as go test ran it in the recorded run.
type Binary struct {
	Path string   // the saved copy
	Dir  string   // the package's folder, where it runs
	Args []string // without the program's name; see ReplayArgs for what is kept
	Env  []string // nil: this process's environment
	Exec []string // the command that it is run through, of go test's -exec; nil: none
}

// Options say how to replay. The zero value is usable.
type Options struct {
	// Timeout ends one replay; 0 means DefaultTimeout.
	Timeout time.Duration
	// TimeAfterLeaving is how long a program may go on after it has left its schedule, so that a
	// short test ends by itself and tidies up. What it does then decides nothing, and it may wait
	// for ever for what only the schedule has kept from it. 0: until Timeout.
	TimeAfterLeaving time.Duration
	// RecordedOutcome is how the same tests ended in the recorded run: what they did there already
	// is not an effect of the bug.
	RecordedOutcome Outcome
	// FirstOrderShown says that in the recorded run the first of two violating goroutines went
	// first, after the steps: the effect of that order is in RecordedOutcome.
	FirstOrderShown bool
	// Folder holds the files of the replays, with the traces of what they run. Only one replay
	// uses it at a time. nil: a temporary folder, and replays record nothing.
	Folder *Folder
	// SecondFolder is a folder for the second of two replays, which then begins together with the
	// first: for tests that wait long. The result is the same. nil: it begins after the first.
	SecondFolder *Folder
	// HoldTime is how long the program stops at the violation, for a debugger. Then OnViolation
	// gets the number of the process and the violating accesses. Neither the program's clocks nor
	// Timeout count that time.
	HoldTime    time.Duration
	OnViolation func(pid int, stands []PendingAccess)
	// OnReplay, if not nil, gets the number of replays after each one.
	OnReplay func(n int)
	// Slots bounds the replays that run at the same time; nil: no bound.
	Slots *Slots

	grace time.Duration // 0 means defaultGrace
}

// A Verdict is what one replay showed.
type Verdict struct {
	Order  string // of the violating goroutines: "01" or "10"
	Status bug.Status
	// Reason says why the replay is not confirmed: "" if it is.
	Reason string
	// Stale says which parts of the witness no longer fit the sources and may be the reason. It is
	// empty if the replay is confirmed.
	Stale      []string
	StepsDone  int                  // steps of the schedule that were done
	StepsTotal int                  // steps of the schedule
	Accesses   []PendingAccess      // the violating accesses that were about to happen, or had happened
	Blocked    []BlockedGoroutine   // goroutines that waited when the program left the schedule
	Overtaken  []OvertakenGoroutine // see RuntimeVerdict
	TimerDue   bool                 // see RuntimeVerdict
	Outcome    Outcome              // how the tests ended, after the violation
	EndedEarly bool                 // it was ended after it had left the schedule, see [Options.TimeAfterLeaving]
	Output     string               // what the program printed, the middle left out if long
	// Elapsed is how long the program ran, and Processor the time that it used of processors.
	Elapsed, Processor time.Duration

	anyBlockedForever bool   // goroutines of the violation or others were blocked for ever
	traceFile         string // the trace of the program; "": none
}

// A PendingAccess is a violating access that a goroutine is about to execute.
type PendingAccess struct {
	Goroutine string // trace.Goroutine.Name
	Addr      uint64
	Size      int // bytes
	Op        trace.Kind
	Value     string // see witness.Value; "" if unknown
	Region    int    // number of the goroutine's atomic region, from 1; 0: none
}

// A BlockedGoroutine could not go on when the program left the schedule.
type BlockedGoroutine struct {
	Goroutine  string
	WaitReason string // the wait reason, e.g. "chan receive"
	Func       string
	Position   string // file:line
}

// A Result is the outcome of all replays of one witness.
type Result struct {
	Reason string // why not confirmed
	// Stale says which parts of the witness no longer fit the sources, if a replay is not
	// confirmed or there was none because a violating access no longer exists. If it is empty and
	// no replay is confirmed, the program has all of the witness, but not the bug.
	Stale []string
	// MissingAccesses are indices into the violation of accesses that are no longer in the
	// sources. If there are any, there was no replay.
	MissingAccesses []int
	// GuessedAccesses are indices into the violation of accesses whose current lines are guessed.
	GuessedAccesses []int
	// Order is the order of the violating goroutines with the most severe effect: "01" or "10".
	// The witness keeps it.
	Order      string
	Effect     bug.Effect
	Detail     []string // of the effect: panic text or failing output lines
	Replays    int      // replays that were run
	Reproduced int      // number of replays that reached the violation
	// Unproven says that the schedule is not the reason for what all replays have shown: see
	// [bug.Evidence].
	Unproven bool
	Verdicts []Verdict
	// DependsOnTime says that a confirmed failure or deadlock needs a delay: the goroutines of
	// Overtaken, which could go on, come later than a timer fires that the failing goroutine waits
	// for, or any of a deadlock, or no goroutine. If they come earlier, by otherwise the same
	// schedule, the test passes.
	DependsOnTime bool
	Overtaken     []OvertakenGoroutine
	// Trace is the file of the recording of the first confirmed replay with this order and effect,
	// or of the first replay if none is confirmed. The next replay in the same folder may remove it.
	// "": there is none.
	Trace string
	// Witness is the replayed one, with the positions of its steps in the current build.
	Witness *witness.Witness
	// Notes say which steps no longer exist in the current build and were left out.
	Notes []string
}

// Evidence returns what the replays say of the bug.
func (r Result) Evidence() bug.Evidence {
	return bug.Evidence{Replays: r.Replays, Reproduced: r.Reproduced, Unproven: r.Unproven}
}

// IsConfirmed reports whether the replays confirm the bug.
func (r Result) IsConfirmed() bool { return r.Evidence().IsConfirmed() }

// SavedEvidence returns what the replays of a saved witness say of its bug.
func (r Result) SavedEvidence() bug.SavedEvidence {
	return bug.SavedEvidence{Evidence: r.Evidence(), Stale: r.Reproduced == 0 && len(r.Stale) > 0}
}
