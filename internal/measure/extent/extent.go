// Package extent says how much the tests of a recorded run have done, as papers tell it of their
// programs.
package extent

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An Extent is that of a trace.
type Extent struct {
	Goroutines int // of tests
	Events     int // of these
	Shared     int // locations that plain accesses of more than one of them touch
}

// Of returns the extent of t, whose order is o.
func Of(t *trace.Trace, o *order.Order) (x Extent) {
	for _, g := range t.Goroutines {
		if g.Test != "" {
			x.Goroutines++
		}
	}
	for _, e := range t.Events {
		if t.Goroutines[e.G].Test != "" {
			x.Events++
		}
	}
	for _, g := range o.Groups() {
		first := make([]trace.GID, len(g.Locations))
		shared := make([]bool, len(g.Locations))
		seen := slices.Clone(shared)
		for k, i := range g.Events {
			at, e := g.At[k], &t.Events[i]
			if !e.Kind.IsPlain() || t.Goroutines[e.G].Test == "" {
				continue
			}
			shared[at] = shared[at] || seen[at] && first[at] != e.G
			first[at], seen[at] = e.G, true
		}
		for _, is := range shared {
			if is {
				x.Shared++
			}
		}
	}
	return x
}
