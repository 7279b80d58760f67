// Package strategy proposes further runs of a package's tests: which runs are worth making
// follows from the ledger and nothing else. There is a file for each strategy.
//
//	RemainingTests: tests that the end of a run kept from running.
//	PassingOrders: other orders, in which a test that failed may pass.
//	OtherOrders: other orders of goroutines.
//	OtherChances: other random numbers, and other orders of maps.
//	SingleTests: a test without those before it.
//	Departures: runs that depart from the recorded one at a branch or a read.
//	UnreachedStates: states of a test that no run has reached.
//	SmallTest: all such states of a small test.
//	Flips: runs in which one operation is delayed.
//	RandomOrders: random orders, where no other strategy proposes anything.
//
// The loop of package explore makes the runs, and enters their results into the ledger.
package strategy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Strategy proposes runs that are worth making.
type Strategy interface {
	// Next returns up to n runs to make, none if it proposes nothing now. It is called again
	// when the loop has entered some of these runs.
	Next(l *ledger.Ledger, n int) []*Run
}

// Options say what the user has asked for.
type Options struct {
	// Recordings is how often tests are recorded; 0 for as often as is cheap.
	Recordings int
	FirstSeed  int  // of the first random order, from 1
	Exploring  bool // tests are run beyond a few flips
}

// IsUnbounded reports whether the user asks for a number of runs, whatever they cost.
func (o Options) IsUnbounded() bool { return o.Recordings > 0 || o.Exploring }

// A Run is a run to be made: in an order of goroutines or, if MakeBeginning is set, first as a
// witness says and then freely.
type Run struct {
	Order         recorder.Order
	Tests         []string // nil: all but those of Without
	ExcludedTests []string
	SingleTest    bool // only the test of Tests runs, to see what depends on the tests before it

	// Base is the recording that the run departs from.
	Base *recording.Recording
	// MakeBeginning makes the witness; it is nil if the run has an order.
	MakeBeginning func() (*witness.Witness, error)
	// Delay is that of the last operation of the witness; "" for none.
	Delay replayer.Delay
	// Description tells readers what leads to the new behaviour.
	Description string
	// ParentRuns are the numbers of the runs that show what leads there, 0 for recordings. If
	// it is nil, that is the run of Base. Random runs have none.
	ParentRuns []int

	// Number counts the runs of the test, from 1.
	Number int
	// Recording is nil if the run did not get to where it should.
	Recording *recording.Recording
	Result    replayer.Result
	Err       error
	Ended     chan struct{} // closed when the run has ended
	// IsDealtWith is set when the loop has taken the result of the run.
	IsDealtWith bool
}

// describeEvent describes an event of a trace.
func describeEvent(files witness.Files, t *trace.Trace, e *trace.Event) string {
	s := t.Sites[e.Site]
	return fmt.Sprintf("%s by goroutine %s (%s:%d)", strings.TrimSpace(e.Kind.String()+" "+s.Expr), t.Goroutines[e.G].Path, files.Name(s.File), s.Line)
}

// SlowTestsLast returns the tests with those last that took long in the first recordings, or
// that read from outside of the program.
func SlowTestsLast(firsts []ledger.PredictedRecording, tests []string) []string {
	slow := make(map[string]bool)
	for _, r := range firsts {
		for _, e := range r.Trace.TestEvents {
			slow[e.Test] = slow[e.Test] || e.Elapsed >= minSlowTime
		}
		for _, test := range tests {
			slow[test] = slow[test] || len(recording.OutsideInputs(r.Trace, test)) > 0
		}
	}
	return slices.Concat(
		slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return slow[test] }),
		slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return !slow[test] }),
	)
}

// WithoutProcessTests returns those of tests that started no process in the first recordings: a
// run of one that did costs, and does, what these processes do.
func WithoutProcessTests(firsts []ledger.PredictedRecording, tests []string) []string {
	return slices.DeleteFunc(slices.Clone(tests), func(test string) bool {
		return slices.ContainsFunc(firsts, func(r ledger.PredictedRecording) bool {
			return slices.Contains(recording.OutsideInputs(r.Trace, test), "processes")
		})
	})
}
