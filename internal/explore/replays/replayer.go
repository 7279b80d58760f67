package replays

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Replayer replays witnesses of the tests of one package. Its methods may be called
// concurrently.
type Replayer struct {
	*Pool
	Progress     Progress
	WaitingTimes map[string]time.Duration // by test, in the first recordings
	NumRuns      *atomic.Int64            // counts the runs of tests

	// uncheckedTests has tests that failed in replays and were not run without a schedule, as there
	// was no time left. Tests of one witness are joined by " and ".
	uncheckedTests sync.Map
}

// A Progress is what the status line shows.
type Progress struct {
	Replayed, Confirmed, Total atomic.Int32
}

// Outcome is what the replays of one witness showed.
type Outcome struct {
	Witness *witness.Witness
	Result  replayer.Result
	// ReplayTrace is the recording of a replay that confirmed the bug; nil if there is none. Of a
	// committed witness that is not confirmed it is that of the first replay.
	ReplayTrace *trace.Trace
}

// IsConfirmed reports whether the replays confirmed the bug.
func (o Outcome) IsConfirmed() bool { return o.Result.IsConfirmed() }

// Confirm replays w in both orders of its accesses, or in the one that the recorded run has
// not shown. If that confirms it, w keeps the order with the worse effect, and the outcome
// has the recording of that replay for the values that the report shows.
func (r *Replayer) Confirm(ctx context.Context, rec *recording.Recording, w *witness.Witness, shown bool) (Outcome, error) {
	return r.confirm(ctx, rec, w, rec.Run.Args, shown, timeAfterDivergence, false)
}

// ConfirmCommitted is Confirm of a committed witness: with the arguments of the witness, and
// until the program ends, as its end shows what became of the bug.
func (r *Replayer) ConfirmCommitted(ctx context.Context, rec *recording.Recording, w *witness.Witness) (Outcome, error) {
	return r.confirm(ctx, rec, w, replayer.ArgsToReplay(w, rec.Run.Args), false, timeToEnd(r.testTime(rec.Run, w.Tests)), true)
}

// confirm replays w in both orders of its accesses, or in one if the other one was shown.
// Astray is how long the program may go on after it has left the schedule. With always, the
// outcome has a recording even if nothing is confirmed.
func (r *Replayer) confirm(ctx context.Context, rec *recording.Recording, w *witness.Witness, args []string, shown bool, astray time.Duration, always bool) (Outcome, error) {
	read := func(res replayer.Result) *trace.Trace { return recording.ReadReplay(res.Trace, r.Build) }
	twoAtOnce := recording.WaitingTimeOf(w.Tests, r.WaitingTimes) > 0
	return r.replay(rec, w, args, twoAtOnce, always, read, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		opts.FirstOrderShown, opts.TimeAfterLeaving = shown, astray
		res, err := r.Machine.Confirm(ctx, bin, w, r.Program, opts)
		r.NumRuns.Add(int64(len(res.Verdicts)))
		if err != nil {
			return res, err
		}
		return r.checkWithoutSchedule(ctx, rec, w, res)
	})
}

// Continue replays w once, after which the program runs freely, and returns the recording of
// that run; nil if the program did not reach the end of the schedule. If w delays an
// operation, delay says how. The caller counts the runs.
func (r *Replayer) Continue(ctx context.Context, rec *recording.Recording, w *witness.Witness, delay replayer.Delay) (*recording.Recording, replayer.Result, error) {
	read := func(res replayer.Result) *trace.Trace { return recording.ReadReplay(res.Trace, r.Build) }
	o, err := r.replay(rec, w, rec.Run.Args, false, false, read, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		opts.Timeout = continueTime(r.testTime(rec.Run, w.Tests))
		return r.Machine.Continue(ctx, bin, w, r.Program, delay, opts)
	})
	if ctx.Err() != nil {
		return nil, o.Result, context.Cause(ctx)
	}
	if err != nil || o.ReplayTrace == nil || trace.Validate(o.ReplayTrace) != nil {
		return nil, o.Result, err
	}
	return rec.NewFurther(o.ReplayTrace, w), o.Result, nil
}

// replay calls run with a folder that is free. If the two orders of w may be replayed
// concurrently, and a second folder is free, run gets both. If the replay is confirmed, or with
// always, read reads its recording.
func (r *Replayer) replay(rec *recording.Recording, w *witness.Witness, args []string, twoAtOnce, always bool, read func(replayer.Result) *trace.Trace, run func(replayer.Binary, replayer.Options) (replayer.Result, error)) (Outcome, error) {
	p := &r.Progress
	n := p.Replayed.Add(1)
	r.Status.Count("replaying", rec.Run.Package.Path, int(min(n, p.Total.Load())), int(p.Total.Load()), fmt.Sprintf("%d confirmed", p.Confirmed.Load()))
	bin := replayer.Binary{Path: rec.Run.Binary, Dir: rec.Run.Package.Dir, Args: args, Env: rec.Run.Env, Exec: rec.Run.ExecCommand}
	folder := <-r.folders
	defer func() { r.folders <- folder }()
	var second *replayer.Folder
	if twoAtOnce {
		select {
		case second = <-r.folders:
			defer func() { r.folders <- second }()
		default: // waiting for a second folder while holding one could block all replays
		}
	}
	res, err := run(bin, replayer.Options{
		Timeout: ReplayTime(r.testTime(rec.Run, w.Tests)), TimeAfterLeaving: timeAfterDivergence,
		RecordedOutcome: rec.Outcome, Slots: r.slots, Folder: folder, SecondFolder: second,
	})
	switch {
	case err != nil, !res.IsConfirmed() && !always:
		return Outcome{Witness: w, Result: res}, err
	case !res.IsConfirmed():
		return Outcome{w, res, read(res)}, nil
	}
	w.Order = res.Order
	return Outcome{w, res, read(res)}, nil
}

// testTime returns how long some tests of a run took at most.
func (r *Replayer) testTime(run recorder.Run, tests []string) time.Duration {
	return recording.TestTime(run, tests, r.WaitingTimes)
}

// TimedOut reports whether a replay ran out of time before the test ended, though it had not
// left its schedule. Another schedule would most likely take as long.
func TimedOut(res replayer.Result) bool {
	return slices.ContainsFunc(res.Verdicts, func(v replayer.Verdict) bool { return v.Outcome.TimedOut && !v.EndedEarly })
}

// ReplaySmallOrWhole replays the small witness of a schedule of the trace of rec. If that is
// not confirmed, it replays the whole schedule: the small witness leaves out events that do
// not matter by the trace, but may matter by what the trace does not have.
func (r *Replayer) ReplaySmallOrWhole(ctx context.Context, rec *recording.Recording, s finding.ScheduledFinding) (Outcome, error) {
	// Witnesses with many steps take memory, so that few of these are replayed concurrently.
	steps := int64(min(len(s.Schedule.Steps), maxConcurrentSteps))
	if err := r.steps.Acquire(ctx, steps); err != nil {
		return Outcome{}, err
	}
	defer r.steps.Release(steps)
	shown := rec.BegunBy == nil && s.ShownBy(rec.Trace)
	small, err := r.ReplaySmall(ctx, rec, s, shown)
	if err != nil || small.IsConfirmed() || len(s.Schedule.Steps) > maxWholeSteps {
		return small, err
	}
	w, err := s.NewWitness(ctx, rec, witness.VisibleSteps)
	if err != nil || slices.Equal(w.Steps, small.Witness.Steps) {
		return small, err
	}
	whole, err := r.Confirm(ctx, rec, w, shown)
	if whole.IsConfirmed() { // the replays of the small witness do not count then
		return whole, err
	}
	// The report counts all replays of a bug that is not confirmed.
	whole.Result.Replays += small.Result.Replays
	if small.Result.DependsOnTime { // its dependence on time is the better reason
		small.Result.Replays, small.ReplayTrace = whole.Result.Replays, nil
		return small, err
	}
	return whole, err
}

// ReplaySmall replays the small witness of a schedule. If that is confirmed and long, it tries
// one that controls fewer goroutines. Shown says that the recorded run has shown one of the
// two orders of the accesses.
func (r *Replayer) ReplaySmall(ctx context.Context, rec *recording.Recording, s finding.ScheduledFinding, shown bool) (Outcome, error) {
	o, err := r.ReplaySteps(ctx, rec, s, witness.NeededSteps, shown)
	if err == nil && o.IsConfirmed() {
		return r.shortenToFewGoroutines(ctx, rec, s, o)
	}
	return o, err
}

// ReplaySteps replays the witness of a schedule with a selection of its steps.
func (r *Replayer) ReplaySteps(ctx context.Context, rec *recording.Recording, s finding.ScheduledFinding, extent witness.StepSelection, shown bool) (Outcome, error) {
	w, err := s.NewWitness(ctx, rec, extent)
	if err != nil {
		return Outcome{Witness: w}, err
	}
	return r.Confirm(ctx, rec, w, shown)
}

// shortenToFewGoroutines leaves the goroutines that have no part in the violation out of a
// long confirmed witness, if a replay shows that these need no control.
func (r *Replayer) shortenToFewGoroutines(ctx context.Context, rec *recording.Recording, s finding.ScheduledFinding, long Outcome) (Outcome, error) {
	w := long.Witness
	if max(len(w.Steps), len(w.Holds)) <= LongWitnessSteps || len(w.Steps) > maxShortenedSteps || !w.HasBystanders() || s.Kind == bug.Failure { // nothing but the steps explains a failure
		return long, nil
	}
	few, err := s.NewWitness(ctx, rec, witness.InvolvedSteps)
	if ctx.Err() != nil {
		return long, nil // the long witness is confirmed
	}
	if err != nil {
		return long, err
	}
	short, err := r.Confirm(ctx, rec, few, false)
	if err != nil || !short.IsConfirmed() || short.Result.Effect != long.Result.Effect {
		return long, nil
	}
	return short, nil
}
