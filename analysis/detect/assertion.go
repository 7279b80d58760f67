package detect

import (
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// assertions returns the candidates for assertions that can fail: conditions of which one outcome leads to a
// failure, and those of testify that follow from what was read. It looks at tests that have passed.
// Conditions that other goroutines cannot influence have no events. If no formula says what a condition
// follows from, only a run that departs from the recorded one may turn it.
func assertions(in *Input, counts *Counts) []Candidate {
	if dataflow.TooLong(in.Trace) {
		counts.TooLong = slices.ContainsFunc(in.Trace.Events, func(e trace.Event) bool {
			s := in.Trace.Sites[e.Site]
			return s.FailsIf != trace.NoOutcome && s.Formula != ""
		})
		return nil
	}
	failed := make(map[string]bool)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if e.Kind == trace.TestEnd && e.Val == 1 {
			failed[in.Trace.Goroutines[e.G].Test] = true
		}
	}
	sites := in.Order.Sites()
	cs := newCandidatesBySite(bug.Assertion, maxAssertions)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		fails := sites.Of(e.Site).FailsIf
		if fails == trace.NoOutcome || (fails == trace.IfTrue) == (e.Val != 0) || in.Flow.InstanceAt(i) == nil && e.Kind != trace.Branch {
			continue
		}
		if test := in.Trace.Goroutines[e.G].Test; test == "" || failed[test] {
			continue
		}
		cs.add(e.Site, i)
	}
	return cs.candidates
}
