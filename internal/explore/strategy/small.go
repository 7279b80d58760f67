package strategy

import (
	"slices"

	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
)

// SmallTest proposes runs of a small test to all states that it can reach, if that takes few
// runs: to explore it to the end costs little more then than to put off some of its operations,
// and finds what takes two unusual orders, one within what only the other makes happen.
type SmallTest struct {
	*UnreachedStates
	runsLeft int  // that may be proposed
	gaveUp   bool // not all runs that were proposed are made
}

// NewSmallTest returns the strategy for a test of the ledger's package; nil if it is not small.
func NewSmallTest(o Options, l *ledger.Ledger, test string) *SmallTest {
	goroutines := 0
	for _, r := range l.FirstRecordings {
		for _, g := range r.Trace.Goroutines {
			if recording.TestFunction(g.Test) == test {
				goroutines++
			}
		}
		// What comes from outside may be another thing in each run.
		if slices.ContainsFunc(recording.OutsideInputs(r.Trace, test), func(what string) bool { return what != "clock" }) {
			return nil
		}
	}
	if goroutines > maxSmallGoroutines || l.EventsOfTest[test] > maxSmallEvents {
		return nil
	}
	u := NewUnreachedStates(o, test)
	u.maxStates = maxSmallStates
	return &SmallTest{UnreachedStates: u, runsLeft: maxSmallRuns}
}

// Next returns runs as long as it seems that there are few to make, and takes their price.
func (s *SmallTest) Next(l *ledger.Ledger, n int) []*Run {
	if s.gaveUp {
		return nil
	}
	next := s.UnreachedStates.Next(l, min(n, s.runsLeft))
	s.gaveUp = len(s.statesLeft()) > s.runsLeft || s.searchCost > maxSmallCost
	for k := range next {
		if s.gaveUp = s.gaveUp || !l.Allowance.Take(s.Test, flipCost(l, s.Test)); s.gaveUp {
			return next[:k]
		}
		s.runsLeft--
	}
	return next
}

// IsComplete reports whether the runs have shown all that the test can do.
func (s *SmallTest) IsComplete() bool { return !s.gaveUp && s.UnreachedStates.IsComplete() }
