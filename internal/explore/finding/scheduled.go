package finding

import (
	"context"
	"runtime"
	"slices"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A ScheduledFinding is a finding with one of its schedules, from which witnesses are made.
type ScheduledFinding struct {
	Finding
	Recipe   analysis.Recipe
	Schedule schedule.Schedule
}

// ShownBy reports whether the run of t, if all of it was recorded, has shown the effect of the
// violating accesses in the order in which they are listed. Then only the other order needs a
// replay. A write to a map has shown nothing: in its replay the other access comes in the
// middle of it.
func (s ScheduledFinding) ShownBy(t *trace.Trace) bool {
	whole := t.Complete && t.Meta.Limit == 0 && len(t.Cuts) == 0
	first := &t.Events[s.Recipe.Accesses[0]]
	return whole && (first.Flags&trace.FlagMap == 0 || !first.Kind.IsWrite()) && s.Kind.ProofOf(len(s.Recipe.Accesses)) == bug.Simultaneous && slices.IsSorted(s.Recipe.Accesses) && s.Schedule.AsRecorded(t)
}

// NewWitness makes a witness of the schedule, which is of the trace of r. It returns as soon
// as ctx is done.
func (s ScheduledFinding) NewWitness(ctx context.Context, r *recording.Recording, extent witness.StepSelection) (*witness.Witness, error) {
	w, err := UnlessDone(ctx, func() (*witness.Witness, error) { return s.makeWitness(r, extent) })
	if err == nil {
		w.ID = s.Witness.ID
	}
	return w, err
}

// makeWitness makes a witness with a selection of the steps of the schedule. A pattern of
// accesses also needs the variables and atomic regions of its events, by which the replay
// recognizes it.
func (s ScheduledFinding) makeWitness(r *recording.Recording, extent witness.StepSelection) (*witness.Witness, error) {
	meta := witnessMeta(r, s.Kind, extent)
	meta.Tests = s.Tests
	if p := s.Recipe.Pattern; p != nil {
		meta.Pattern = p.Name
		for _, e := range p.Events {
			meta.Variables, meta.Regions = append(meta.Variables, e.Variable), append(meta.Regions, e.Region)
		}
	}
	w, err := witness.FromSchedule(r.Trace, s.Schedule.Steps, s.Recipe.Accesses, s.Schedule.Hold, meta)
	if err == nil {
		SetRunArguments(r, w)
		w.AtomicMethods = r.AtomicMethods && w.InOrder()
	}
	return w, err
}

// witnessMeta returns what a witness says besides its steps.
func witnessMeta(r *recording.Recording, kind bug.Kind, extent witness.StepSelection) witness.ScheduleInfo {
	return witness.ScheduleInfo{
		Kind: kind, Package: r.Run.Package.Path, Files: r.Files, Source: r.Lines, Selection: extent, Index: r.Index,
	}
}

// SetRunArguments has w replayed with the arguments and the order of goroutines of the run of
// r.
func SetRunArguments(r *recording.Recording, w *witness.Witness) {
	w.RunPattern = replayer.SubtestFilter(r.Run.Args)
	w.Args = replayer.WitnessArgs(r.Run.Args)
	w.Parallel = runtime.GOMAXPROCS(0)
	w.RecordedOrder = string(r.Run.Order)
}

// BeginningWitness makes the witness that begins a further run of the test of r. The run
// follows the schedule up to the last events, and is free from there on. The schedule is of
// trace t: that of r, or another recording of the test.
func BeginningWitness(r *recording.Recording, kind bug.Kind, t *trace.Trace, s schedule.Schedule, last []int) (*witness.Witness, error) {
	meta := witnessMeta(r, kind, witness.VisibleSteps)
	// The index is that of the trace of r, and does not fit positions in another trace.
	if t != r.Trace {
		meta.Index = nil
	}
	w, err := witness.FromSchedule(t, s.Steps, last, s.Hold, meta)
	if err == nil {
		SetRunArguments(r, w)
	}
	return w, err
}

// ScheduleUpTo returns the schedule of the events before position pos, in their order. It
// holds each other goroutine of the test before its first event after that. No replay controls
// goroutines of other tests.
func ScheduleUpTo(r *recording.Recording, pos int) (s schedule.Schedule) {
	t, last := r.Trace, r.Trace.Events[pos].G
	same := make([]bool, len(t.Goroutines)) // goroutines of the same test
	from, to := pos, pos+1                  // their events
	for g := range t.Goroutines {
		test := t.Goroutines[g].Test
		if same[g] = trace.GID(g) == last || test != "" && test == t.Goroutines[last].Test; same[g] {
			first, end := r.Index.EventRange(t, trace.GID(g))
			from, to = min(from, first), max(to, end)
		}
	}
	for i := from; i < pos; i++ {
		if e := &t.Events[i]; same[e.G] && e.Kind != trace.End { // nothing waits for an end
			s.Steps = append(s.Steps, i)
		}
	}
	// The goroutine of pos stands at the last event, so that nothing has to hold it.
	same[last] = false
	for i := pos; i < to; i++ {
		if g := t.Events[i].G; same[g] {
			same[g] = false
			s.Hold = append(s.Hold, i)
		}
	}
	return s
}

// RecordedSchedule returns the schedule of the first events of the run, in their order. It
// leaves out what a test's own goroutine does after the test: the recorder then searches for
// blocked goroutines.
func RecordedSchedule(t *trace.Trace, events int) schedule.Schedule {
	steps := make([]int, 0, events)
	over := make(map[trace.GID]bool)
	for i, e := range t.Events[:events] {
		if !over[e.G] {
			steps = append(steps, i)
		}
		over[e.G] = over[e.G] || e.Kind == trace.TestEnd
	}
	return schedule.Schedule{Steps: steps}
}

// FailureWitness makes a witness for f of the order of events in the trace of r up to the
// assertion at position pos.
func FailureWitness(r *recording.Recording, f Finding, pos int, extent witness.StepSelection) (*witness.Witness, error) {
	s := ScheduleUpTo(r, pos)
	w, err := witness.FromSchedule(r.Trace, s.Steps, []int{pos}, s.Hold, witnessMeta(r, f.Kind, extent))
	if err != nil {
		return nil, err
	}
	var held []witness.Step
	if r.BegunBy != nil {
		held = r.BegunBy.Holds
	}
	for _, h := range held { // a held goroutine has no further event if the program died
		same := func(o witness.Step) bool { return o.Goroutine == h.Goroutine }
		if !slices.ContainsFunc(w.Holds, same) && !same(w.Violation[0]) && !slices.ContainsFunc(w.Steps, func(o witness.Step) bool {
			return same(o) && o.Op == h.Op && o.Line == h.Line && o.Col == h.Col && o.Occurrence == h.Occurrence
		}) {
			w.Holds = append(w.Holds, h)
		}
	}
	w.ID = f.Witness.ID
	SetRunArguments(r, w)
	return w, nil
}
