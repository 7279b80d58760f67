package schedule

import (
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// pecanSteps returns the steps of PECAN's Algorithm 3 (§6.1) for accesses i before j, without those
// at positions below from. The events that depend on access i move behind j, and so out of the
// schedule: the paper's Figure 4 shows it. An event depends on those that must happen before it.
//
// If a lock protects i, that is not enough. Figure 5 shows why: an unlock would move, and its lock
// would stay. So the acquire of the outermost lock (OML) and what depends on it move to directly
// before j. All else stays as it happened. By Theorem 1 (§6.2) the schedule is feasible for each real
// race if locks are nested and values decide nothing.
func pecanSteps(t *trace.Trace, o *order.Order, from, i, j int) []int {
	// By goroutine: from cut on, its events are out of the schedule. From moved on, they are in the
	// second part, directly before j.
	cut := dependents(t, o, i, j)
	// Without a lock nothing else moves: i itself stands directly before j (Algorithm 3, line 6).
	moved := cut
	if lock := o.Outermost(i); lock >= 0 {
		moved = dependents(t, o, lock, j)
	}
	var steps, block []int
	// Take the race (v3, v8) of Figure 5, without the edge from v2 to v5. The steps are v5 v6 v7, and
	// the block is v1 v2. The accesses come after both. v4 is cut, as it depends on v3.
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
		// Algorithm 3 removes all nodes after j (line 8), so that nothing from j on is of interest.
		first[g] = j
		if e := o.Events(trace.GID(g)).Find(func(e int) bool { return e >= j || e > i && o.Before(i, e) }); e >= 0 {
			first[g] = min(j, e)
		}
	}
	return first
}
