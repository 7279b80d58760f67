package schedule

import (
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// pecanSteps returns the steps of PECAN's Algorithm 3 for accesses i before j, those
// at positions below from left out: what
// depends on access i moves behind j, and so out of the schedule. Where a lock
// protects i, its outermost lock and what depends on that moves to directly
// before j, so that no release is parted from its acquire. All the rest stays
// as it happened.
//
// To depend on an event means that it must happen before.
func pecanSteps(t *trace.Trace, o *order.Order, from, i, j int) []int {
	// From the events in cut on, goroutines are out of the schedule; from those
	// in moved on, in its second part.
	cut := dependents(t, o, i, j)
	moved := cut
	if lock := o.Outermost(i); lock >= 0 {
		moved = dependents(t, o, lock, j)
	}
	var steps, block []int
	for e := from; e < j; e++ {
		switch g := t.Events[e].G; {
		case e >= cut[g]:
		case e >= moved[g]:
			block = append(block, e)
		default:
			steps = append(steps, e)
		}
	}
	return append(steps, block...)
}

// dependents returns for each goroutine its first event from i on that depends
// on i or is i, and at most j.
func dependents(t *trace.Trace, o *order.Order, i, j int) []int {
	first := make([]int, len(t.Goroutines))
	for g := range first {
		if trace.GID(g) == t.Events[i].G {
			first[g] = i
			continue
		}
		first[g] = j
		if e := o.Events(trace.GID(g)).Find(func(e int) bool { return e >= j || e > i && o.Before(i, e) }); e >= 0 {
			first[g] = min(j, e)
		}
	}
	return first
}
