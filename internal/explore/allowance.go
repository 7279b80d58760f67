package explore

import (
	"time"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file bounds what a package costs beyond its first recording. Runs that depart from that,
// recordings in other orders and flips share one allowance: about what the first recording and its
// analysis have cost, and a small package has as much as lets it be looked at thoroughly.

const (
	// leastAllowance is what each package has.
	leastAllowance = 10 * time.Second
	// firstEvents is how many events are recorded and analyzed in a second, for the first time.
	firstEvents = 2_000_000
	// aRun is what a run of a short test takes, with what is predicted from it, for every
	// furtherEvents of that test another second, and for every setupEvents of what is done before
	// all tests: no candidates are there.
	aRun          = 20 * time.Millisecond
	furtherEvents = 150_000
	setupEvents   = 2_000_000
)

// An allowance is the time that further runs of a package may take yet. It is no time that is
// measured but what runs take by their size, so that a busy machine makes as many as an idle one.
type allowance struct {
	left  time.Duration
	setup time.Duration // what each run takes before its test begins
}

// newAllowance returns that of a package, by its first recording.
func newAllowance(t *trace.Trace) *allowance {
	setup := 0
	for i := range t.Events {
		if t.Goroutines[t.Events[i].G].Test != "" {
			break
		}
		setup++
	}
	return &allowance{
		left:  max(leastAllowance, inSeconds(len(t.Events), firstEvents)),
		setup: inSeconds(setup, setupEvents),
	}
}

// cost is what a run takes of tests that have so many events.
func (a *allowance) cost(events int) time.Duration {
	return aRun + a.setup + inSeconds(events, furtherEvents)
}

// events is how many events the tests of a run have that costs so much.
func (a *allowance) events(cost time.Duration) int {
	return int(max(0, cost-a.cost(0)) * furtherEvents / time.Second)
}

// take takes the time from what is left, if there is as much.
func (a *allowance) take(cost time.Duration) bool {
	if cost > a.left {
		return false
	}
	a.left -= cost
	return true
}

// inSeconds is how long so many events take, of which each second has some.
func inSeconds(events, each int) time.Duration {
	return time.Duration(events) * time.Second / time.Duration(each)
}
