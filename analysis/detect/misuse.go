package detect

import (
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// misuses returns the candidates for operations that panic if another order brings them too early or too
// late: a send to a closed channel, a close of one, and a Done that takes a counter below zero.
func misuses(in *Input, _ *Counts) []Candidate {
	var cs []Candidate
	if in.wants(bug.Channel) {
		cs = in.afterClose()
	}
	if in.wants(bug.WaitGroup) {
		cs = append(cs, in.belowZero()...)
	}
	return cs
}

// maxCloses bounds the closes of a channel that its sends are compared with.
const maxCloses = 8

// afterClose returns the candidates for sends and closes that may come after a close of their channel. It
// leaves out those that are predicted as concurrent with that close.
func (in *Input) afterClose() []Candidate {
	closes := make(map[uint64][]int) // by channel
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if e.Kind == trace.Close && e.Obj != 0 && len(closes[e.Obj]) < maxCloses {
			closes[e.Obj] = append(closes[e.Obj], i)
		}
	}
	if len(closes) == 0 {
		return nil
	}
	met := make(map[[2]trace.SiteID]bool)
	meets := func(i, cl int) bool {
		key := [2]trace.SiteID{in.Trace.Events[i].Site, in.Trace.Events[cl].Site}
		if _, ok := met[key]; !ok {
			met[key] = in.IsKnownRace(in.nameOf(bug.Channel, []int{i, cl}))
		}
		return met[key]
	}
	found := newCandidatesBySite(bug.Channel, maxFailures)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if e.Kind != trace.Close && e.Kind != trace.Send && e.Kind != trace.SelectSend || in.hasPanicked(i) {
			continue
		}
		late := func(cl int) bool { return cl != i && !in.Order.Before(i, cl) }
		if cls := closes[e.Obj]; slices.ContainsFunc(cls, late) && !slices.ContainsFunc(cls, func(cl int) bool { return late(cl) && meets(i, cl) }) {
			found.add(e.Site, i)
		}
	}
	return found.candidates
}

// belowZero returns the candidates for Dones that may come before their Adds, of WaitGroups in which not
// each Done has an Add of its own before it.
func (in *Input) belowZero() []Candidate {
	adds := in.waitGroupAdds()
	found := newCandidatesBySite(bug.WaitGroup, maxFailures)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if !e.Kind.ChangesCounter() || adds[e.Obj] == nil {
			continue
		}
		if in.areCovered(adds[e.Obj]) {
			delete(adds, e.Obj)
		} else if e.IsDone() && !in.hasPanicked(i) {
			found.add(e.Site, i)
		}
	}
	return found.candidates
}

// waitGroupAdds returns, by WaitGroup, the positions of its Adds and Dones.
func (in *Input) waitGroupAdds() map[uint64][]int {
	adds := make(map[uint64][]int)
	for i := range in.Trace.Events {
		if e := &in.Trace.Events[i]; e.Kind.ChangesCounter() {
			adds[e.Obj] = append(adds[e.Obj], i)
		}
	}
	return adds
}

// hasPanicked reports whether the operation at position i panicked in the recorded run. The run went on, so
// the program is made for that.
func (in *Input) hasPanicked(i int) bool {
	next := in.Order.Program().Next(i)
	return next >= 0 && in.Trace.Events[next].Kind == trace.Panic
}

// maxComparedAdds bounds the pairs of Adds and Dones of a WaitGroup that are compared.
const maxComparedAdds = 1 << 18

// areCovered reports whether no order takes the counter of a WaitGroup below zero. It also returns true if
// there are too many adds to compare.
func (in *Input) areCovered(adds []int) bool {
	covered, all := DonesHaveOwnAdds(in.Trace, adds, in.Order.Before)
	return covered || !all
}

// DonesHaveOwnAdds reports whether each Done among adds, the Adds and Dones of a WaitGroup, has an Add of
// its own that comes before it. Then no order takes the counter below zero. The second result is false if
// there are too many adds to compare.
func DonesHaveOwnAdds(t *trace.Trace, adds []int, before func(i, j int) bool) (covered, all bool) {
	left := make([]int64, len(adds)) // of each Add
	for k, i := range adds {
		left[k] = max(0, int64(t.Events[i].Val))
	}
	effort := 0
	for k, done := range adds {
		need := -int64(t.Events[done].Val)
		for a := k - 1; a >= 0 && need > 0; a-- {
			if effort++; effort > maxComparedAdds {
				return false, false
			}
			if left[a] > 0 && before(adds[a], done) {
				n := min(left[a], need)
				left[a], need = left[a]-n, need-n
			}
		}
		if need > 0 {
			return false, true
		}
	}
	return true, true
}
