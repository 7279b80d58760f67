package strategy

import (
	"slices"

	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
)

// RemainingTests records the tests that the end of a run kept from running: a panic, a
// deadlock or os.Exit in one test ends all. They are recorded without that test.
type RemainingTests struct {
	Culprits []string // the tests that ended the last run

	endedTests []string // tests that are not run again
	numRuns    int
}

// Next returns a run of the tests that are in no recording: those that the last of the first
// recordings kept from running.
func (r *RemainingTests) Next(l *ledger.Ledger, _ int) []*Run {
	if r.numRuns == maxEarlyEnds {
		return nil
	}
	last := l.FirstRecordings[len(l.FirstRecordings)-1]
	culprits, over := recording.EndedBy(last.Trace)
	if len(culprits) == 0 || len(l.FirstRecordings) != r.numRuns+1 {
		return nil
	}
	r.Culprits, r.numRuns = culprits, r.numRuns+1
	r.endedTests = slices.Concat(r.endedTests, culprits, over)
	return []*Run{{Order: l.FirstRun.Order, ExcludedTests: r.endedTests}}
}
