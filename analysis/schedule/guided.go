package schedule

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
)

// maxDecisions bounds how many pairs of critical sections one schedule turns
// round that nothing else decides. After each of them it begins again: of a long one they are
// leastDecisions or more, as long as all together have no more than decidedSteps steps.
const maxDecisions, leastDecisions, decidedSteps = 16, 2, 1 << 12

// lazySteps is how many events a cone has at most that is performed a second time: short ones are to be complete, and
// of 3,400 of real suites' none has led anywhere.
const lazySteps = 1 << 7

// guided performs the cone of a violation with the given property along its
// guide, from its base on; lead adds to the cone what leads there, unless that needs what comes later, and last are
// the acquires of the sections that stay open. The guide says what must come first, and leaves
// open which of two critical sections does where either can. At first it is the
// one that was first in the recorded run. If that leads nowhere, a section ends
// only if the guide wants it, see lazySteps. What leads nowhere with all sections open has no schedule.
func (p *Planner) guided(b *base, prop causality.Property, v target, r keptReads, last []int32, lead func(*cone) bool) ([]int, bool) {
	size, none := 0, false
	for _, lazy := range []bool{false, true} {
		if none || lazy && size > lazySteps {
			break
		}
		decided := false
		if steps, ok := p.decided(prop, v, func(guide []causality.Edge) *cone {
			c := p.newCone(b, r, last, guide)
			c.lazy = true
			ok := lead(c)
			if none = !ok && !decided; ok && !lazy {
				c.endSections()
				ok = !c.failed
			}
			if !ok {
				p.spent.Add(int64(c.closedCount))
				c.free()
				return nil
			}
			decided, size = true, max(size, c.size())
			return c
		}); ok {
			return steps, true
		}
	}
	return nil, false
}

// decided performs a cone. Where all goroutines are blocked, it decides which
// of two sections is first so that the causality graph still has no cycle, and
// begins again.
func (p *Planner) decided(prop causality.Property, v target, make func(guide []causality.Edge) *cone) ([]int, bool) {
	guide := v.guide
	for k, most := 0, maxDecisions; k < most; k++ {
		if p.over(v) {
			break
		}
		c := make(guide)
		if c == nil {
			return nil, false
		}
		steps, blocked := c.execute()
		c.free()
		most = min(most, max(leastDecisions, decidedSteps/(c.size()+1)))
		if blocked == nil {
			return steps, true
		}
		at := slices.IndexFunc(blocked, func(e causality.Edge) bool {
			if p.over(v) || slices.Contains(prop.Edges, e) { // which has not helped
				return false
			}
			with := causality.Property{Edges: append(slices.Clip(prop.Edges), e), Needs: append(slices.Clip(prop.Needs), e.From)}
			edges, ok := p.answers.possible(with)
			if ok {
				prop, guide = with, edges
			}
			return ok
		})
		if at < 0 {
			return nil, false
		}
	}
	return nil, false
}

// over reports whether to give up.
func (p *Planner) over(v target) bool { return v.until > 0 && p.Spent() > v.until }
