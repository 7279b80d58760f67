package budget

import (
	"time"

	"github.com/gopredict/gopredict/recorder/trace"
)

// An Allowance is what further runs of a package may still cost: further recordings,
// departures and flips share it. It starts with about what the first recording and its
// analysis cost; a small package has enough to be looked at thoroughly. The costs follow
// from numbers of events and are not measured.
type Allowance struct {
	Left time.Duration
	// setupCost is the price of what each run does before its test begins.
	setupCost time.Duration
}

// NewAllowance returns the allowance of a package, by its first recording.
func NewAllowance(t *trace.Trace) *Allowance {
	setup := 0
	for i := range t.Events {
		if t.Goroutines[t.Events[i].G].Test != "" {
			break
		}
		setup++
	}
	return &Allowance{
		Left:      max(leastAllowance, timeFor(len(t.Events), firstEvents)),
		setupCost: timeFor(setup, setupEvents),
	}
}

// Cost returns the price of a run of tests that have so many events.
func (a *Allowance) Cost(events int) time.Duration {
	return RunCost + a.setupCost + timeFor(events, FurtherEvents)
}

// EventsFor returns how many events the tests of a run of that price have.
func (a *Allowance) EventsFor(cost time.Duration) int {
	return int(max(0, cost-a.Cost(0)) * FurtherEvents / time.Second)
}

// Take takes the price from what is left; it reports false, and takes nothing, if less is left.
func (a *Allowance) Take(cost time.Duration) bool {
	if cost > a.Left {
		return false
	}
	a.Left -= cost
	return true
}

// timeFor returns the time for so many events at a number of events in each second.
func timeFor(events, perSecond int) time.Duration {
	return time.Duration(events) * time.Second / time.Duration(perSecond)
}
