package detect

import (
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// misuses returns the candidates for operations that panic where another order brings
// them too early or too late, with no other goroutine beside: a send to, or a close of,
// what is closed by then; and a Done that takes a WaitGroup's counter below zero.
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

// afterClose returns the candidates for sends and closes that may come after a close of
// their channel. What is predicted to meet that close is none: it is a finding already.
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
			met[key] = in.IsKnownRace(in.name(bug.Channel, []int{i, cl}))
		}
		return met[key]
	}
	found := newBySite(bug.Channel, maxFailures)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if e.Kind != trace.Close && e.Kind != trace.Send && e.Kind != trace.SelectSend || in.panicked(i) {
			continue
		}
		late := func(cl int) bool { return cl != i && !in.Order.Before(i, cl) }
		if cls := closes[e.Obj]; slices.ContainsFunc(cls, late) && !slices.ContainsFunc(cls, func(cl int) bool { return late(cl) && meets(i, cl) }) {
			found.add(e.Site, i)
		}
	}
	return found.candidates
}

// belowZero returns the candidates for Dones that may come before the Adds which they
// take back: of WaitGroups where not each Done has an Add of its own before it.
func (in *Input) belowZero() []Candidate {
	adds := in.groups()
	found := newBySite(bug.WaitGroup, maxFailures)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if !e.Kind.ChangesCounter() || adds[e.Obj] == nil {
			continue
		}
		if in.covered(adds[e.Obj]) {
			delete(adds, e.Obj)
		} else if e.IsDone() && !in.panicked(i) {
			found.add(e.Site, i)
		}
	}
	return found.candidates
}

// groups returns by WaitGroup all that changes its counter.
func (in *Input) groups() map[uint64][]int {
	adds := make(map[uint64][]int)
	for i := range in.Trace.Events {
		if e := &in.Trace.Events[i]; e.Kind.ChangesCounter() {
			adds[e.Obj] = append(adds[e.Obj], i)
		}
	}
	return adds
}

// panicked reports whether the operation at position i has panicked in the recorded run,
// which went on: the program is made for that.
func (in *Input) panicked(i int) bool {
	next := in.Order.Program().Next(i)
	return next >= 0 && in.Trace.Events[next].Kind == trace.Panic
}

// maxCovering bounds the pairs of Adds and Dones of a WaitGroup that are compared.
const maxCovering = 1 << 18

// covered reports whether no order takes the counter of a WaitGroup below zero, of which adds are the
// Adds and Dones. So it says, too, where there are too many of them to find out.
func (in *Input) covered(adds []int) bool {
	covered, all := DonesHaveOwnAdds(in.Trace, adds, in.Order.Before)
	return covered || !all
}

// Covered reports whether each Done among adds, the Adds and Dones of a WaitGroup, has an
// Add of its own that comes before it, as before says: then no order takes the counter below zero.
// If not all was looked at, as there are too many of them, it is not known.
func DonesHaveOwnAdds(t *trace.Trace, adds []int, before func(i, j int) bool) (covered, all bool) {
	left := make([]int64, len(adds)) // of each Add
	for k, i := range adds {
		left[k] = max(0, int64(t.Events[i].Val))
	}
	effort := 0
	for k, done := range adds {
		need := -int64(t.Events[done].Val)
		for a := k - 1; a >= 0 && need > 0; a-- {
			if effort++; effort > maxCovering {
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
