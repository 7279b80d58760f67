package detect

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// meetings returns the candidates for accesses that may meet.
func meetings(in *Input, counts *Counts) []Candidate {
	found := anomaly.FindRaces(in.Trace, in.Order)
	counts.Locked, counts.Ordered = found.Locked, found.Ordered
	var cs []Candidate
	groups := in.groups()
	for _, c := range found.Candidates {
		counted := func(pair [2]int) bool { return in.counted(pair, groups) }
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
			instances = append(instances, Instance{Accesses: pair[:], again: true})
		}
		if kind := in.meeting(c.Pairs[0]); in.wants(kind) {
			found := Candidate{Kind: kind, Instances: instances, Exhaustive: c.Exhaustive}
			if kind != bug.WaitGroup { // of which not all that conflict may meet: counted
				found.Places = [][2]uint64{c.Places}
			}
			cs = append(cs, found)
		}
	}
	return cs
}

// meeting is the kind of bug of two accesses that meet. It is a race, or else channel:
// a close of a channel that meets a send to it or another close, which panics if the
// close goes first; or waitgroup: an Add that takes the counter from zero and meets a
// Wait, which may not wait for it; or failure: a test's end that meets what uses the
// test, which panics behind it or is told of another test.
func (in *Input) meeting(pair [2]int) bug.Kind {
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

// counted reports whether events that meet are an Add and a Wait, and the WaitGroup's
// counter is above zero wherever the Add comes.
func (in *Input) counted(pair [2]int, groups map[uint64][]int) bool {
	for k, i := range pair {
		e := &in.Trace.Events[i]
		if e.Kind.ChangesCounter() && in.Trace.Events[pair[1-k]].Kind == trace.WaitGroupWait {
			return in.above(i, groups[e.Obj])
		}
	}
	return false
}

// above reports whether the counter of a WaitGroup, of which adds are the Adds and Dones,
// is above zero before event i in each order: some of the Adds before it cannot be taken
// back by then, as each Done that need not come after it either follows an Add of its own or
// takes back another one. Where there are too many of them to find out it says no.
func (in *Input) above(i int, adds []int) bool {
	if len(adds)*len(adds) > maxCovering {
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

// endsTest reports whether event i is what package testing does last when a test has
// ended: it writes that down, under no lock.
func (in *Input) endsTest(i int) bool {
	e := &in.Trace.Events[i]
	return e.Kind == trace.Write && strings.HasPrefix(in.Trace.Sites[e.Site].Func, "testing.tRunner")
}
