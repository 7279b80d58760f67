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
	found := with(in.ahead.circles, in.LooksLeft, in.circles, func(f waits.Found) int { return f.Effort })
	in.LooksLeft -= found.Effort
	counts.Locked, counts.Ordered, counts.Truncated = found.GatedPairs, found.OrderedCycles, found.Incomplete
	var cs []Candidate
	wakers := in.wakers()
	for _, c := range found.Cycles {
		var instances []Instance
		for _, set := range c.Sets {
			in.inTurn(set)
			if missed := in.missed(set, wakers); len(missed) <= maxMissed {
				instances = append(instances, Instance{Accesses: set, IsDeadlock: true, MissedSignals: missed})
			}
		}
		if len(instances) > 0 {
			cs = append(cs, Candidate{Kind: bug.Deadlock, Instances: instances, Exhaustive: c.Exhaustive && len(instances) == len(c.Sets) && !found.Incomplete})
		}
	}
	return cs
}

// maxMissed bounds the signals that a deadlock has that nobody waits for.
const maxMissed = 64

// wakers returns the signals and broadcasts of each condition.
func (in *Input) wakers() map[uint64][]int {
	wakers := make(map[uint64][]int)
	for i := range in.Trace.Events {
		if e := &in.Trace.Events[i]; e.Kind == trace.CondSignal || e.Kind == trace.CondBroadcast {
			wakers[e.Obj] = append(wakers[e.Obj], i)
		}
	}
	return wakers
}

// missed returns the signals, of the same tests, for the conditions that goroutines wait
// for at operations of a set, but for those that must come after one of these.
func (in *Input) missed(set []int, wakers map[uint64][]int) (missed []int) {
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
