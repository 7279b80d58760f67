// Package replayer makes a predicted bug happen, or says why it does not.
//
// It stands between the witness and the report. [NewPlan] resolves a witness
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
	// Astray is how long a program goes on that has left its schedule, so that a short test
	// ends by itself and tidies up: what it does then decides nothing, and it may wait for
	// ever for what only the schedule has kept from it. 0: until Timeout.
	TimeAfterLeaving time.Duration
	// Recorded is how the same tests ended in the recorded run: what they
	// did there already is not an effect of the bug.
	RecordedOutcome Outcome
	// Shown says that in the recorded run the first of two violating goroutines
	// has gone first, from where the steps lead: what comes of that is Recorded.
	FirstOrderShown bool
	// Work is where replays write their files, and record what they run; no others
	// use it at the same time. nil: a temporary folder, and nothing is recorded.
	Folder *Folder
	// Second is another such folder, for the second of two replays, which begins with the first one then: of
	// tests that wait long. What comes of them is the same. nil: it begins after that.
	SecondFolder *Folder
	// Hold is how long the program stops when it stands at the violation, for a
	// debugger; Standing is told then, with the process's number and who stands
	// where. Neither the program's clocks nor Timeout count that time.
	HoldTime    time.Duration
	OnViolation func(pid int, stands []PendingAccess)
	// Replayed, if not nil, is told after each replay how many there were.
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
	// Stale says what of the witness no longer fits the sources, so that the
	// reason may lie there. It is empty if the replay is confirmed.
	Stale      []string
	StepsDone  int                  // steps of the schedule that were done
	StepsTotal int                  // steps of the schedule
	Accesses   []PendingAccess      // where the violating goroutines stood
	Blocked    []BlockedGoroutine   // who waited where when the schedule was left
	Overtaken  []OvertakenGoroutine // whom timers have overtaken, see Protocol
	TimerDue   bool                 // see Protocol
	Outcome    Outcome              // how the tests ended, after the violation
	EndedEarly bool                 // it was ended as it had left the schedule, see [Options.TimeAfterLeaving]
	Output     string               // what the program printed, the middle left out if long
	// Elapsed is how long the program ran, and Processor the time that it used of processors.
	Elapsed, Processor time.Duration

	anyBlockedForever bool   // goroutines were blocked for ever, those of the violation or others
	traceFile         string // the file that the program was recorded to; "": none
}

// A Stand is a goroutine that is about to execute a violating access.
type PendingAccess struct {
	Goroutine string // trace.Goroutine.Name
	Addr      uint64
	Size      int // bytes
	Op        trace.Kind
	Value     string // see witness.Value; "" if unknown
	Region    int    // number of the goroutine's atomic region, from 1; 0: none
}

// A Blocked is a goroutine that could not go on when the schedule was left.
type BlockedGoroutine struct {
	Goroutine  string
	WaitReason string // the wait reason, e.g. "chan receive"
	Func       string
	Position   string // file:line
}

// A Result is what all replays of one witness showed.
type Result struct {
	Status bug.Status
	Reason string // why not confirmed
	// Stale says what of the witness no longer fits the sources, in a replay
	// that is not confirmed, or of which there was none as a violating access is
	// gone. If it is empty and no replay is confirmed, then
	// all of the witness was found in the program, and the bug was not.
	Stale []string
	// Gone are the violating accesses, by their places in the violation, that are no longer in
	// the sources; where there are some, there was no replay.
	MissingAccesses []int
	// Unsure are those of which it is not known where they are now: their lines are guessed.
	GuessedAccesses []int
	// Order is the order of the violating goroutines with the worst effect:
	// "01" or "10". The witness keeps it.
	Order      string
	Effect     bug.Effect
	Detail     []string // of the effect: panic text or failing output lines
	Replays    int      // replays that were run
	Reproduced int      // of these, how many stood at the violation
	Verdicts   []Verdict
	// Timed says that a confirmed failure or deadlock rests on time: it comes as the goroutines of
	// Late, which could go on, come later than a timer fires that the failing one waits
	// for, or any of a deadlock, or nobody. Where they come before, and all else is by the same schedule, the test passes.
	DependsOnTime bool
	Overtaken     []OvertakenGoroutine
	// Trace is the recording of the first confirmed replay that has this order and
	// effect, a file that the next replay in the same folder may remove. "": there
	// is none.
	Trace string
	// Witness is the replayed one, with the positions that its steps have in
	// the current build.
	Witness *witness.Witness
	// Notes tell what of the witness no longer exists in the current build
	// and was left out.
	Notes []string
}

// OfWitness says what has become of the bug of a saved witness: it is there
// (Confirmed), or the program has Left its schedule, though the whole witness was
// found in it: then the bug is fixed, or another schedule leads to it. If some of the
// witness no longer fits the sources it is Stale; and what is neither, as the program
// crashed or ran out of time, stays Unconfirmed. A test that fails, though not in the
// plain run that [Options] tell of, does so for the order that it was kept in.
func (r Result) WitnessStatus() bug.Status {
	switch {
	case r.Reproduced > 0:
		return r.Status
	case len(r.Stale) > 0:
		return bug.Stale
	}
	for _, v := range r.Verdicts {
		if v.Outcome.TimedOut || v.Outcome.Effect.Severity() > bug.TestFailure.Severity() {
			return bug.Unconfirmed
		}
	}
	return bug.Diverged
}
