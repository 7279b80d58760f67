package schedule

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
)

// maxDecisions bounds how many pairs of critical sections one schedule turns
// round that nothing else decides. After each of them it begins again: of a long one they are
// leastDecisions or more, as long as all together have no more than decidedSteps steps.
const maxDecisions, leastDecisions, maxDecidedSteps = 16, 2, 1 << 12

// maxLazySteps bounds the events of a cone that is executed a second time. Longer ones of real suites,
// 3,400 in number, have led nowhere the second time.
const maxLazySteps = 1 << 7

// guidedSteps executes the cone of a violation, which has property prop, along its guide from base b on.
// The function lead adds the events that lead to the violation; it returns false if they need a
// later access. The sections in keptOpen stay open.
//
// The guide says what must come first. It leaves open which of two critical sections comes first if
// either can. In the first pass that is the one that was first in the recorded run. In the second pass
// a section ends only if the guide wants it. There is no schedule if lead fails with all sections open.
func (p *Planner) guidedSteps(b *base, prop causality.Property, v target, r keptReads, keptOpen []int32, lead func(*cone) bool) ([]int, bool) {
	size, impossible := 0, false
	for _, lazy := range []bool{false, true} {
		if impossible || lazy && size > maxLazySteps {
			break
		}
		decided := false
		if steps, ok := p.stepsWithDecisions(prop, v, func(guide []causality.Edge) *cone {
			c := p.newCone(b, r, keptOpen, guide)
			c.lazy = true
			ok := lead(c)
			if impossible = !ok && !decided; ok && !lazy {
				c.endSections()
				ok = !c.failed
			}
			if !ok {
				p.spent.Add(int64(c.closedCount))
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

// stepsWithDecisions executes the cones that newCone makes. If all goroutines are blocked, it decides which of
// two sections is first so that the causality graph still has no cycle, and begins again. A decision is
// one more seed edge of the property (UCG §3.1): the graph finds which sections it turns round in turn.
func (p *Planner) stepsWithDecisions(prop causality.Property, v target, newCone func(guide []causality.Edge) *cone) ([]int, bool) {
	guide := v.guide
	for k, most := 0, maxDecisions; k < most && !p.exceedsLimit(v); k++ {
		c := newCone(guide)
		if c == nil {
			return nil, false
		}
		steps, decisions := c.execute()
		most = min(most, max(leastDecisions, maxDecidedSteps/(c.size()+1)))
		if decisions == nil {
			return steps, true
		}
		at := slices.IndexFunc(decisions, func(e causality.Edge) bool {
			if p.exceedsLimit(v) || slices.Contains(prop.Edges, e) { // which has not helped
				return false
			}
			// An edge says something only if its first event happens, so the property needs that event.
			with := causality.Property{Edges: append(slices.Clip(prop.Edges), e), Needs: append(slices.Clip(prop.Needs), e.From)}
			edges, ok := p.graphs.Possible(with)
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

// exceedsLimit reports whether to give up making a schedule for v.
func (p *Planner) exceedsLimit(v target) bool { return v.spentLimit > 0 && p.Spent() > v.spentLimit }
