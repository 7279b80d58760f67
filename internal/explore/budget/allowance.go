package budget

import (
	"errors"
	"slices"
	"time"

	"github.com/gopredict/gopredict/recorder/trace"
)

// ErrUsedUp is the error of a replay that was not run, as its test has used up its budget.
var ErrUsedUp = errors.New("the replays of its test have cost what a test has by default")

// Work is counted work: one is what an event costs in a further run of its test, with the
// predictions from that run. It is computed from what was recorded and never measured, so that
// it is the same on each machine, however busy that is.
type Work int

// WorkOfWait returns the price of a wait by the clock of the recorded program: most of it is
// beside other runs.
func WorkOfWait(d time.Duration) Work { return Work(d * workPerSecond / time.Second / waitDivisor) }

// An Allowance is what the further runs and replays of the tests of a package may cost. Each
// test has a budget of its own that no other test can take: a part that is the same for each
// test, and a share of what the package has, by its size.
type Allowance struct {
	// setup is the price of the events of each run before its first test.
	setup      Work
	testBudget map[string]*testBudget
}

// A testBudget is what is left for a test.
type testBudget struct {
	runs    Work // further recordings, departures, flips
	replays Work // of what was predicted or shown
}

// NewAllowance returns the allowance of a package, by its first recording, the numbers of
// events of its tests, and the tests that have several goroutines.
func NewAllowance(t *trace.Trace, events map[string]int, concurrent []string) *Allowance {
	setup := 0
	for i := range t.Events {
		if t.Goroutines[t.Events[i].G].Test != "" {
			break
		}
		setup++
	}
	a := &Allowance{setup: Work(setup / eventsPerFirstWork), testBudget: make(map[string]*testBudget)}
	ofPackage := max(leastPackageWork, Work(len(t.Events)/eventsPerFirstWork))
	all := Work(0)
	shares := make(map[string]Work)
	for _, test := range slices.Compact(slices.Sorted(slices.Values(concurrent))) {
		// What costs more than the package has cannot be run again.
		if cost := a.Cost(events[test]); cost <= ofPackage {
			shares[test], all = cost, all+cost
		}
	}
	for test, n := range events {
		b := &testBudget{runs: testWork, replays: max(leastPackageWork, leastReplays*a.Cost(n))}
		if all > 0 {
			b.runs += Work(float64(ofPackage) * float64(shares[test]) / float64(all))
		}
		a.testBudget[test] = b
	}
	return a
}

// of returns what is left for a test; nothing for one that was not recorded.
func (a *Allowance) of(test string) *testBudget {
	if a.testBudget[test] == nil {
		return new(testBudget)
	}
	return a.testBudget[test]
}

// Cost returns the price of a run of tests with that many events together.
func (a *Allowance) Cost(events int) Work { return RunWork + a.setup + Work(events) }

// Left returns what is left for further runs of a test.
func (a *Allowance) Left(test string) Work { return a.of(test).runs }

// Take subtracts the price of a further run from what is left for a test. If less is left it
// subtracts nothing and reports false.
func (a *Allowance) Take(test string, cost Work) bool {
	b := a.of(test)
	if cost > b.runs {
		return false
	}
	b.runs -= cost
	return true
}

// GiveBack returns the price of runs that were not made.
func (a *Allowance) GiveBack(test string, cost Work) { a.of(test).runs += cost }

// ReplaysLeft returns how many witnesses of a test with that many events may be replayed yet.
func (a *Allowance) ReplaysLeft(test string, events int) int {
	return int(a.of(test).replays / a.Cost(events))
}

// TakeReplays subtracts the price of the replays of n witnesses.
func (a *Allowance) TakeReplays(test string, events, n int) {
	b := a.of(test)
	b.replays = max(0, b.replays-Work(n)*a.Cost(events))
}
