package strategy

import (
	"slices"

	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
)

// Remaining records the tests that the end of a run kept from running: a panic, a deadlock
// or os.Exit in one test is the end of all. They are recorded without that one.
type Remaining struct {
	Culprits []string // the tests that ended the last run

	ended []string // tests that are not run again
	runs  int
}

// Next returns a run of the tests that no recording has. The last one of the ledger's first
// recordings says which they are.
func (r *Remaining) Next(l *ledger.Ledger, _ int) []*Run {
	if r.runs == maxEnds {
		return nil
	}
	last := l.Firsts[len(l.Firsts)-1]
	culprits, over := recording.EndedBy(last.Trace)
	if len(culprits) == 0 || len(l.Firsts) != r.runs+1 {
		return nil
	}
	r.Culprits, r.runs = culprits, r.runs+1
	r.ended = slices.Concat(r.ended, culprits, over)
	return []*Run{{Order: l.Run.Order, Without: r.ended}}
}
