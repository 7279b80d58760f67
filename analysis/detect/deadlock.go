package detect

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// deadlocks returns the candidates for goroutines that wait for each other in a circle:
// each stands at an operation that another one of them keeps from going on.
func deadlocks(in *Input, counts *Counts) []Candidate {
	found := waits.Find(in.Trace, in.Order)
	counts.Locked, counts.Ordered, counts.Cut = found.Locked, found.Ordered, found.Cut
	var cs []Candidate
	for _, c := range found.Circles {
		instances := make([]Instance, len(c.Sets))
		for k, set := range c.Sets {
			in.inTurn(set)
			instances[k] = Instance{Accesses: set, Blocks: true}
		}
		cs = append(cs, Candidate{Kind: bug.Deadlock, Instances: instances, Exhaustive: c.Exhaustive && !found.Cut})
	}
	return cs
}

// inTurn sorts operations at which goroutines wait for each other by when a goroutine
// has to go on to its own: writers before readers, whom they shut out.
func (in *Input) inTurn(set []int) {
	turn := func(i int) int {
		if in.Trace.Events[i].Kind == trace.RAcquire {
			return 1
		}
		return 0
	}
	slices.SortFunc(set, func(i, j int) int { return cmp.Or(cmp.Compare(turn(i), turn(j)), cmp.Compare(i, j)) })
}
