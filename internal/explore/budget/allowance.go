package budget

import (
	"time"

	"github.com/gopredict/gopredict/recorder/trace"
)

// An Allowance is what further runs of a package may cost. Further recordings, departures and
// flips share it. It starts with about the cost of the first recording and its analysis; a
// small package has enough to be explored thoroughly. Costs are computed from numbers of
// events, not measured.
type Allowance struct {
	Left time.Duration
	// setupCost is the price of the events of each run before its first test.
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

// Cost returns the price of a run of tests with that many events together.
func (a *Allowance) Cost(events int) time.Duration {
	return RunCost + a.setupCost + timeFor(events, FurtherEvents)
}

// EventsFor returns the number of events that a run of that price pays for.
func (a *Allowance) EventsFor(cost time.Duration) int {
	return int(max(0, cost-a.Cost(0)) * FurtherEvents / time.Second)
}

// Take subtracts the price from what is left. If less is left it subtracts nothing and reports
// false.
func (a *Allowance) Take(cost time.Duration) bool {
	if cost > a.Left {
		return false
	}
	a.Left -= cost
	return true
}

// timeFor returns the time for that many events, of which perSecond are dealt with in a
// second.
func timeFor(events, perSecond int) time.Duration {
	return time.Duration(events) * time.Second / time.Duration(perSecond)
}
