// Package recording has the recording of one run of a package's tests, which does not change,
// and what follows from its trace: the tests and their sizes, how the run ended, how long
// tests waited, and whether it showed a new behaviour.
//
// All other parts of package explore use recordings, and this package uses none of them.
package recording

import (
	"slices"
	"sync"
	"time"

	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Sources say how recordings name the sources.
type Sources struct {
	// Files names the files, with the same names on each machine.
	Files witness.Files
	Lines *witness.Sources // lines of the sources, read once
	// AtomicMethods is set if methods of structs that hold a mutex are atomic regions.
	AtomicMethods bool
}

// The kinds of the witnesses that begin further runs. They are in no report.
const (
	KindDeparted = "departed" // at a departure
	KindFlipped  = "flipped"  // with one operation delayed
	KindExplored = "explored" // on the way to a state that was not reached yet
)

// The tiers of findings that a run itself has shown.
const (
	tierRecording = "recording" // a recording
	tierFlip      = "flip"      // a run in which one operation was delayed
	tierExplore   = "explore"   // another further run
)

// A Recording is one recorded run of tests of a package. It is never changed: its methods
// return changed copies.
type Recording struct {
	Sources
	Run   recorder.Run
	Trace *trace.Trace
	Index *witness.Index // of Trace
	// Facts returns the table of facts of Trace, made when it is first asked for.
	Facts func() *facts.Facts
	// Outcome is how the tests ended; replays are compared with it.
	Outcome     replayer.Outcome
	FailedTests []string // the tests that failed
	NumTests    int      // number of tests

	// BegunBy is the witness that began the run; nil if the run had an order of goroutines.
	BegunBy *witness.Witness
	// RunNumber counts the runs that strategies proposed beyond the recordings, from 1. It is
	// 0 for a recording.
	RunNumber int
	// ParentRuns are the numbers of the runs that led to this one.
	ParentRuns []int
	TimedOut   bool // the run did not end in time
	// SingleTest is set if the test was recorded without the tests before it, to see what
	// depends on these.
	SingleTest bool

	// Sizes returns the sizes of the tests of Trace, found when it is first called.
	Sizes func() Sizes
}

// New returns the recording of a run with its trace.
func New(run recorder.Run, t *trace.Trace, src Sources) *Recording {
	r := &Recording{
		Sources: src, Run: run, Outcome: replayer.RecordedOutcome(t), FailedTests: FailedTests(t), NumTests: CountTests(t),
	}
	return r.WithTrace(t)
}

// WithTrace returns r with another trace of the same run, or with a window of its trace.
func (r *Recording) WithTrace(t *trace.Trace) *Recording {
	c := *r
	c.Trace, c.Index = t, witness.NewIndex(t)
	c.Facts = sync.OnceValue(func() *facts.Facts { return facts.New(t) })
	c.Sizes = sync.OnceValue(func() Sizes { return SizesOf(t) })
	return &c
}

// NewFurther returns the recording of a run that a witness began, in the place of the run of
// r. Its replays are compared with the outcome of r. BegunBy is nil for a run that the solver
// computed and nothing made.
func (r *Recording) NewFurther(t *trace.Trace, begunBy *witness.Witness) *Recording {
	c := &Recording{
		Sources: r.Sources, Run: r.Run, Outcome: r.Outcome, FailedTests: r.FailedTests, NumTests: CountTests(t),
		BegunBy: begunBy,
	}
	return c.WithTrace(t)
}

// With returns a copy of r that was changed.
func (r *Recording) With(change func(*Recording)) *Recording {
	c := *r
	change(&c)
	return &c
}

// ComparedWith returns r with another outcome to compare replays with.
func (r *Recording) ComparedWith(o replayer.Outcome) *Recording {
	return r.With(func(c *Recording) { c.Outcome = o })
}

// HasPassed reports whether the run has a test that did not fail.
func (r *Recording) HasPassed(test string) bool {
	return HasTest(r.Trace, test) && !slices.Contains(r.FailedTests, test)
}

// Tier returns the tier of bugs that the run itself has shown.
func (r *Recording) Tier() string {
	switch {
	case r.BegunBy != nil && r.BegunBy.Kind != KindExplored:
		return tierFlip
	case r.BegunBy != nil || r.RunNumber > 0:
		return tierExplore
	}
	return tierRecording
}

// TestTime returns an upper bound of the time that some tests of a run took: all time in which
// no test waited, and the waiting time of these tests. WaitingTimes are by test.
func TestTime(run recorder.Run, tests []string, waited map[string]time.Duration) time.Duration {
	rest, own := Seconds(run.Seconds), time.Duration(0)
	for test, d := range waited {
		rest -= d
		if slices.ContainsFunc(tests, func(name string) bool { return TestFunction(name) == test }) {
			own += d
		}
	}
	// Parallel tests wait at the same time.
	return min(Seconds(run.Seconds), max(rest, Seconds(run.Processor))+own)
}
