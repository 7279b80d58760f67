package schedule

import (
	"iter"
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
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
			b, steps, ok := p.sequence(accesses, guide, m.reads, m.all)
			if !ok || slices.ContainsFunc(made, func(s Schedule) bool { return s.From == int(b.at) && slices.Equal(s.Steps, steps) }) {
				continue
			}
			made = append(made, p.schedule(b, steps, accesses[len(accesses)-1]))
			if !yield(made[len(made)-1]) {
				return
			}
		}
	}
}

// sequence performs the cone of the accesses along the guide. Critical
// sections that are open at the last access come after all others of their
// locks. With all set, it keeps what else happened before the latest of the
// accesses and does not depend on the last one; and all that is before a
// causality barrier as it happened.
func (p *Planner) sequence(accesses []int, guide []causality.Edge, r reads, all bool) (b *base, steps []int, ok bool) {
	end := accesses[len(accesses)-1]
	prop := p.graphs.Sequence(accesses...)
	b = p.base(guide, accesses...)
	var before []int32
	if all {
		before = p.before(prop)
		b = &base{at: max(b.at, slices.Min(before)), open: slices.DeleteFunc(slices.Clone(b.open), func(s order.Section) bool {
			return s.Rel >= 0 && s.Rel < int(before[p.t.Events[s.Acq].G])
		})}
	}
	steps, ok = p.guided(b, prop, guide, r, p.o.Held(end), func(c *cone) bool {
		c.start(before)
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
	return b, steps, ok
}

// before returns a causality barrier, by goroutine the position of the first
// event after it, such that no read before it reads what was written after it.
func (p *Planner) before(prop causality.Property) []int32 {
	prop.Needs = slices.Clip(prop.Needs)
	for {
		at := p.graphs.Barrier(prop)
		lo, hi := slices.Min(at), slices.Max(at)
		pulled := false
		for i := lo; i < min(hi, int32(len(p.t.Events))); i++ {
			if i >= at[p.t.Events[i].G] {
				continue
			}
			for _, w := range p.o.Sources(int(i)) {
				if w >= at[p.t.Events[w].G] {
					prop.Needs = append(prop.Needs, int(i))
					pulled = true
				}
			}
		}
		if !pulled {
			return at
		}
	}
}
