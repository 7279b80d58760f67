package schedule

import (
	"iter"
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Sequence yields schedules after which the accesses at the given positions
// have happened in that order, but for the last one, at which its goroutine
// stands: PECAN's Algorithm 4, for patterns of any number of events. The
// likeliest come first. The guide is what must come before what in every run
// that shows the pattern, the order of the accesses included; package causality
// knows.
//
// As those of Race, schedules with few steps come first, then the one that
// keeps all that happened, then those in which reads find other writes.
func (p *Planner) Sequence(accesses []int, guide []causality.Edge) iter.Seq[Schedule] {
	return func(yield func(Schedule) bool) {
		var made []Schedule
		for _, m := range []struct {
			reads
			all bool
		}{{allReads, false}, {allReads, true}, {readsThatMatter, false}, {noReads, false}} {
			steps, ok := p.sequence(accesses, guide, m.reads, m.all)
			if !ok || slices.ContainsFunc(made, func(s Schedule) bool { return slices.Equal(s.Steps, steps) }) {
				continue
			}
			made = append(made, p.schedule(p.base(guide, accesses...), steps, accesses[len(accesses)-1]))
			if !yield(made[len(made)-1]) {
				return
			}
		}
	}
}

// sequence performs the cone of the accesses along the guide. Critical
// sections that are open at the last access come after all others of their
// locks. With all set, it keeps what else happened before the latest of the
// accesses and does not depend on the last one.
func (p *Planner) sequence(accesses []int, guide []causality.Edge, r reads, all bool) ([]int, bool) {
	end := accesses[len(accesses)-1]
	return p.guided(p.base(guide, accesses...), p.graphs.Sequence(accesses...), guide, r, p.o.Held(end), func(c *cone) bool {
		c.reach(end)
		for _, i := range accesses[:len(accesses)-1] {
			c.add(i)
		}
		if all {
			for g, first := range p.dependents(end, slices.Max(accesses)) {
				if last := p.o.Prev(trace.GID(g), first); last >= 0 {
					c.add(last)
				}
			}
		}
		return !c.includes(end)
	})
}
