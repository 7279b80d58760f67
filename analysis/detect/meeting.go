package detect

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// conflicts returns the candidates for accesses that two goroutines may be about to execute at once.
func conflicts(in *Input, counts *Counts) []Candidate {
	found := anomaly.FindRaces(in.Trace, in.Order)
	counts.Locked, counts.Ordered = found.Locked, found.Ordered
	var cs []Candidate
	groups := in.waitGroupAdds()
	for _, c := range found.Candidates {
		counted := func(pair [2]int) bool { return in.isCounted(pair, groups) }
		if len(groups) > 0 {
			c.Pairs, c.RepeatedPairs = slices.DeleteFunc(c.Pairs, counted), slices.DeleteFunc(c.RepeatedPairs, counted)
		}
		if len(c.Pairs) == 0 {
			counts.Ordered++
			continue
		}
		var instances []Instance
		for _, pair := range c.Pairs {
			instances = append(instances, Instance{Accesses: pair[:]})
		}
		for _, pair := range c.RepeatedPairs {
			instances = append(instances, Instance{Accesses: pair[:], isRepeated: true})
		}
		if kind := in.kindOfMeeting(c.Pairs[0]); in.wants(kind) {
			found := Candidate{Kind: kind, Instances: instances, Exhaustive: c.Exhaustive}
			if kind != bug.WaitGroup { // of which not all that conflict may meet: counted
				found.Places = [][2]uint64{c.Places}
			}
			cs = append(cs, found)
		}
	}
	return cs
}

// kindOfMeeting returns the kind of bug of two operations that goroutines are about to execute at once:
//
//   - channel: a close of a channel, and a send to it or another close. It
//     panics if the close goes first.
//   - waitgroup: an Add that takes the counter from zero, and a Wait, which may
//     not wait for it.
//   - failure: the end of a test, and a use of the test. The use panics
//     afterwards, or is lost.
//   - race: all others.
func (in *Input) kindOfMeeting(pair [2]int) bug.Kind {
	for k, i := range pair {
		switch {
		case in.Trace.Events[i].Kind == trace.Close:
			return bug.Channel
		case trace.AreAddAndWait(in.Trace.Events[i].Kind, in.Trace.Events[pair[1-k]].Kind):
			return bug.WaitGroup
		case in.endsTest(i):
			return bug.Failure
		}
	}
	return bug.Race
}

// isCounted reports whether a pair is an Add and a Wait, and the counter is above zero whenever the Add
// comes.
func (in *Input) isCounted(pair [2]int, groups map[uint64][]int) bool {
	for k, i := range pair {
		e := &in.Trace.Events[i]
		if e.Kind.ChangesCounter() && in.Trace.Events[pair[1-k]].Kind == trace.WaitGroupWait {
			return in.isCounterPositive(i, groups[e.Obj])
		}
	}
	return false
}

// isCounterPositive reports whether the counter of a WaitGroup is above zero before event i in each order.
// It is if some Adds before i cannot be taken back by then: each Done that may come before i takes back an
// Add of its own that is not before i, or another Add. If there are too many adds to compare it returns
// false.
func (in *Input) isCounterPositive(i int, adds []int) bool {
	if len(adds)*len(adds) > maxComparedAdds {
		return false
	}
	left := make([]int64, len(adds)) // of each Add
	for k, a := range adds {
		left[k] = max(0, int64(in.Trace.Events[a].Val))
	}
	take := func(need int64, from func(add int) bool) int64 {
		for k := len(adds) - 1; k >= 0 && need > 0; k-- {
			if left[k] > 0 && from(adds[k]) {
				n := min(left[k], need)
				left[k], need = left[k]-n, need-n
			}
		}
		return need
	}
	before := func(add int) bool { return in.Order.Before(add, i) }
	for _, d := range adds {
		need := -int64(in.Trace.Events[d].Val)
		if need <= 0 || in.Order.Before(i, d) {
			continue
		}
		need = take(need, func(add int) bool { return !before(add) && in.Order.Before(add, d) })
		if take(need, before) > 0 {
			return false
		}
	}
	for k, a := range adds {
		if left[k] > 0 && before(a) {
			return true
		}
	}
	return false
}

// endsTest reports whether event i is the write, without a lock, with which package testing ends a test.
func (in *Input) endsTest(i int) bool {
	e := &in.Trace.Events[i]
	return e.Kind == trace.Write && strings.HasPrefix(in.Trace.Sites[e.Site].Func, "testing.tRunner")
}
