package detect

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// deadlocks returns the candidates for goroutines that wait for each other in a cycle: each is about to
// execute an operation that another one of them blocks.
func deadlocks(in *Input, counts *Counts) []Candidate {
	found := resultFor(in.early.cycles, in.LooksLeft, in.findCycles, func(f waits.Found) int { return f.Effort })
	in.LooksLeft -= found.Effort
	counts.Locked, counts.Ordered, counts.Truncated = found.GatedPairs, found.OrderedCycles, found.Incomplete
	var cs []Candidate
	wakers := in.wakersByCondition()
	for _, c := range found.Cycles {
		var instances []Instance
		for _, set := range c.Sets {
			in.sortByTurn(set)
			if missed := in.missedSignals(set, wakers); len(missed) <= maxMissed {
				instances = append(instances, Instance{Accesses: set, IsDeadlock: true, MissedSignals: missed})
			}
		}
		if len(instances) > 0 {
			cs = append(cs, Candidate{Kind: bug.Deadlock, Instances: instances, Exhaustive: c.Exhaustive && len(instances) == len(c.Sets) && !found.Incomplete})
		}
	}
	return cs
}

// maxMissed bounds the missed signals of a deadlock.
const maxMissed = 64

// wakers returns the signals and broadcasts of each condition.
func (in *Input) wakersByCondition() map[uint64][]int {
	wakers := make(map[uint64][]int)
	for i := range in.Trace.Events {
		if e := &in.Trace.Events[i]; e.Kind == trace.CondSignal || e.Kind == trace.CondBroadcast {
			wakers[e.Obj] = append(wakers[e.Obj], i)
		}
	}
	return wakers
}

// missedSignals returns the signals, of the same tests, for the conditions that goroutines of a set wait for.
// It leaves out those that must come after an operation of the set.
func (in *Input) missedSignals(set []int, wakers map[uint64][]int) (missed []int) {
	for _, w := range set {
		e := &in.Trace.Events[w]
		if e.Kind != trace.CondWake {
			continue
		}
		for _, i := range wakers[e.Obj] {
			g := in.Trace.Events[i].G
			after := func(j int) bool { return in.Order.Before(j, i) }
			if in.Trace.Goroutines[g].Test == in.Trace.Goroutines[e.G].Test && !slices.ContainsFunc(set, after) && !slices.Contains(missed, i) {
				missed = append(missed, i)
			}
		}
	}
	slices.Sort(missed)
	return missed
}

// sortByTurn sorts operations by when their goroutines have to reach them.
func (in *Input) sortByTurn(set []int) {
	turn := func(i int) int { return waits.Turn(in.Trace.Events[i].Kind) }
	slices.SortFunc(set, func(i, j int) int { return cmp.Or(cmp.Compare(turn(i), turn(j)), cmp.Compare(i, j)) })
}
