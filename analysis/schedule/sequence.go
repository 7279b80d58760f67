package schedule

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// Sequence returns what makes schedules after which the accesses at the given positions
// have happened in that order, but for the last one, at which its goroutine
// stands: PECAN's Algorithm 4, for patterns of any number of events. The
// likeliest come first. The guide is what must come before what in every run
// that shows the pattern, the order of the accesses included; package causality
// knows.
//
// As those of Race, schedules with few steps come first, then the one that
// keeps all that happened, then those in which reads find other writes; and where the cone has
// more than most links, all keep what happened before what has to be turned round.
func (p *Planner) Sequence(accesses []int, guide []causality.Edge, most int) *Attempt {
	v := target{accesses: accesses, guide: guide}
	return &Attempt{
		p: p, target: v, large: func(v target) bool { return p.large(v, most) },
		// What is added to a cone that there is not does not help.
		keeping: []method{sequenceAll, sequenceRecorded}, others: []method{sequenceNone},
	}
}

// sequence performs the cone of the accesses along the guide. Critical
// sections that are open at the last access come after all others of their
// locks. With sequenceRecorded, it keeps what else happened before the latest
// of the accesses and does not depend on the last one.
func (p *Planner) sequence(b *base, v target, m method) (steps []int, ok bool) {
	r, all := allReads, m == sequenceRecorded
	if m == sequenceNone {
		r = noReads
	}
	end := v.accesses[len(v.accesses)-1]
	prop := p.graphs.Sequence(v.accesses...)
	ends := lastAccesses(p.t, v.accesses)
	steps, ok = p.guided(b, prop, v, r, p.o.Held(end), func(c *cone) bool {
		c.ends = ends
		if m == sequenceSliced {
			c.slice, c.turned = p.slice, v.turned
		}
		for k, i := range v.accesses[:len(v.accesses)-1] {
			c.avoid = v.accesses[k+1:] // what comes later cannot be needed
			if c.add(i); c.failed {
				return false
			}
		}
		c.avoid = v.accesses[len(v.accesses)-1:]
		c.reach(end)
		if all {
			for g, first := range dependents(p.t, p.o, end, slices.Max(v.accesses)) {
				if last := p.o.Events(trace.GID(g)).LastBefore(first); last >= 0 {
					c.add(last)
				}
			}
		}
		return !c.includes(end)
	})
	if len(v.turned) > 0 {
		left := cone{p: p, slice: p.slice, turned: v.turned}
		steps = slices.DeleteFunc(steps, left.leavesOut)
	}
	return steps, ok
}

// Slice makes schedules of Sliced possible: s is what is known of the branches of the trace.
func (p *Planner) Slice(s *dataflow.Scopes) { p.slice = s }

// Sliced makes a schedule as those of Sequence, in which no read is kept that only branches
// need whose control scopes have ended, and these branches, the turned ones, come out
// otherwise than recorded, so that what was within their scopes is left out (Chen and Roşu,
// 2005, Definition 14). Which ones do is for the judge to say; ok is false if there is no
// schedule.
func (p *Planner) Sliced(accesses []int, guide []causality.Edge, turned []int) (s Schedule, r Recipe, ok bool) {
	v := target{accesses: accesses, guide: guide, turned: turned}
	s, ok = p.make(sequenceSliced, v)
	return s, Recipe{Accesses: p.o.ReplaceWakes(accesses), target: v, p: p, method: sequenceSliced}, ok
}

// lastAccesses returns the accesses after which their goroutine has no part any more.
func lastAccesses(t *trace.Trace, accesses []int) []int {
	var ends []int
	for k, i := range accesses {
		if !slices.ContainsFunc(accesses[k+1:], func(j int) bool { return t.Events[j].G == t.Events[i].G }) {
			ends = append(ends, i)
		}
	}
	return ends
}
