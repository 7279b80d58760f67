package schedule

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// Sequence returns an attempt at schedules for a pattern with any number of events (PECAN,
// Algorithm 4). After each of them the given accesses have happened in that order, except that the
// goroutine of the last one is only about to execute it. The likeliest schedules come first. The
// guide has the edges that every run with the pattern respects, including the order of the
// accesses; package causality finds it.
//
// As for Race, short schedules come first, then the one that keeps all that happened, then those in
// which reads read from other writes. If the cone has more than `most` links, all schedules keep
// the recorded beginning up to the first event that has to be reordered.
func (p *Planner) Sequence(accesses []int, guide []causality.Edge, most int) *Attempt {
	v := target{accesses: accesses, guide: guide}
	return &Attempt{
		p: p, target: v, isLarge: func(v target) bool { return p.exceedsLinks(v, most) },
		// What is added to a cone that there is not does not help.
		keeping: []method{sequenceAll, sequenceRecorded}, others: []method{sequenceNone},
	}
}

// sequenceSteps is PECAN's Algorithm 4 (§6.1) for any number of accesses, by cones: it performs the
// cone of the accesses along the guide, whose edges put them into the order of the pattern. Critical
// sections that are open at the last access come after all others of their
// locks. With sequenceRecorded, it keeps what else happened before the latest
// of the accesses and does not depend on the last one.
func (p *Planner) sequenceSteps(b *base, v target, m method) (steps []int, ok bool) {
	r, all := allReads, m == sequenceRecorded
	if m == sequenceNone {
		r = noReads
	}
	end := v.accesses[len(v.accesses)-1]
	prop := p.graphs.Sequence(v.accesses...)
	ends := lastAccesses(p.t, v.accesses)
	steps, ok = p.guidedSteps(b, prop, v, r, p.heldAt(end), func(c *cone) bool {
		c.lastReads = ends
		if m == sequenceSliced {
			c.slice, c.turnedBranches = p.slice, v.turnedBranches
		}
		for k, i := range v.accesses[:len(v.accesses)-1] {
			c.avoid = v.accesses[k+1:] // what comes later cannot be needed
			if c.add(i); c.failed {
				return false
			}
		}
		c.avoid = v.accesses[len(v.accesses)-1:]
		c.addBefore(end)
		if all {
			for g, first := range dependents(p.t, p.o, end, slices.Max(v.accesses)) {
				if last := p.o.Events(trace.GID(g)).LastBefore(first); last >= 0 {
					c.add(last)
				}
			}
		}
		return !c.includes(end)
	})
	if len(v.turnedBranches) > 0 {
		// With these branches turned, the run never gets to the events in their scopes.
		left := cone{p: p, slice: p.slice, turnedBranches: v.turnedBranches}
		steps = slices.DeleteFunc(steps, left.leavesOut)
	}
	return steps, ok
}

// Slice makes Sliced usable: s is the control scopes of the trace's branches.
func (p *Planner) Slice(s *dataflow.Scopes) { p.slice = s }

// Sliced makes a schedule for the accesses as Sequence does, but by sliced causality (Chen and
// Roşu, 2005, Definition 14). It does not keep reads that only branches with ended scopes need. The
// turned branches take another direction than recorded, so the events in their scopes are left out.
// Package feasible checks that. ok is false if there is no schedule.
func (p *Planner) Sliced(accesses []int, guide []causality.Edge, turned []int) (s Schedule, r Recipe, ok bool) {
	v := target{accesses: accesses, guide: guide, turnedBranches: turned}
	s, ok = p.make(sequenceSliced, v)
	return s, p.recipe(sequenceSliced, v), ok
}

// lastAccesses returns, for each goroutine, the last of its accesses.
func lastAccesses(t *trace.Trace, accesses []int) []int {
	var ends []int
	for k, i := range accesses {
		if !slices.ContainsFunc(accesses[k+1:], func(j int) bool { return t.Events[j].G == t.Events[i].G }) {
			ends = append(ends, i)
		}
	}
	return ends
}
