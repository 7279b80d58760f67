package strategy

import (
	"slices"

	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
)

// OtherChances records the tests that have looked at random numbers, or at the order of a map,
// with others of these. The goroutines run in the order of the first recording: what blocks for
// ever or races in such a run is a bug, and a test that only fails there fails by chance.
type OtherChances struct {
	Options

	numAsked int
	lastRun  *Run
}

// Next returns the next recording; none after one in which the tests took too long.
func (c *OtherChances) Next(l *ledger.Ledger, _ int) []*Run {
	if c.numAsked == min(maxChances, l.NumOrders) || l.TimeLeft() == 0 {
		return nil
	}
	if c.lastRun != nil && c.lastRun.Recording != nil && c.lastRun.Recording.TimedOut {
		return nil
	}
	tests := c.affordable(l, testsThatDraw(l))
	if len(tests) == 0 {
		return nil
	}
	c.numAsked++
	c.lastRun = &Run{Order: recorder.OtherChance(c.numAsked), Tests: tests}
	return []*Run{c.lastRun}
}

// testsThatDraw returns those of the tests to record that have looked at random numbers, or at the
// order of a map, in their first recording.
func testsThatDraw(l *ledger.Ledger) []string {
	draws := make(map[string]bool)
	for _, r := range l.FirstRecordings {
		for _, h := range r.Trace.HiddenInputs {
			if h.Source == "random" || h.Source == "maps" {
				draws[recording.TestFunction(h.Test)] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(l.TestsToRecord), func(test string) bool { return !draws[test] })
}
