package ledger

import (
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
)

// A Suspect is a run beyond the recordings in which a test failed. It is replayed when all
// tests were explored: a bug that is confirmed by then may be why the test fails.
type Suspect struct {
	Recording *recording.Recording
	Finding   finding.Finding
	Sites     string // of the finding
	// Detail is what the run printed of the failure.
	Detail []string
}

// Suspects are those of a package, in the order of the runs.
type Suspects []Suspect

// Count counts the suspects that failed at the same sites.
func (all Suspects) Count(sites string) (n int) {
	for _, s := range all {
		if s.Sites == sites {
			n++
		}
	}
	return n
}

// Events counts the events of all runs that are kept.
func (all Suspects) Events() (events int) {
	for _, s := range all {
		events += len(s.Recording.Trace.Events)
	}
	return events
}
