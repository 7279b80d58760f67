package tracetest

import "github.com/gopredict/gopredict/recorder/trace"

// WithoutBranches returns t without its branches. Like package reduce, it marks the next event of
// their goroutine instead. At has the positions of the events in t.
func WithoutBranches(t *trace.Trace) (branched *trace.Trace, at []int) {
	b := *t
	b.Events = nil
	open := make(map[trace.GID]bool)
	for i, e := range t.Events {
		if e.Kind == trace.Branch {
			open[e.G] = true
			continue
		}
		if open[e.G] {
			e.Flags |= trace.FlagBranchOmitted
			delete(open, e.G)
		}
		b.Events, at = append(b.Events, e), append(at, i)
	}
	return &b, at
}
