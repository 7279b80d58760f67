package strategy

import (
	"slices"

	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
)

// RemainingTests records the tests that the end of a run kept from running: a panic, a deadlock
// or os.Exit in one test is the end of all. They are recorded without that one.
type RemainingTests struct {
	Culprits []string // the tests that ended the last run

	endedTests []string // tests that are not run again
	numRuns    int
}

// Next returns a run of the tests that no recording has. The last one of the ledger's first
// recordings says which they are.
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
