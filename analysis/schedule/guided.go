package schedule

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
)

// maxDecisions bounds how many pairs of critical sections one schedule turns
// round that nothing else decides.
const maxDecisions = 16

// guided performs the cone of a violation with the given property along its
// guide, from its base on; lead adds to the cone what leads there, and last are the acquires of
// the sections that stay open. The guide says what must come first, and leaves
// open which of two critical sections does where either can. At first it is the
// one that was first in the recorded run. If that leads nowhere, a section ends
// only if the guide wants it.
func (p *Planner) guided(b *base, prop causality.Property, guide []causality.Edge, r reads, last []int32, lead func(*cone) bool) ([]int, bool) {
	for _, lazy := range []bool{false, true} {
		if steps, ok := p.decided(prop, guide, func(guide []causality.Edge) *cone {
			c := p.newCone(b, r, last, guide)
			c.lazy = lazy
			if !lead(c) {
				return nil
			}
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
func (p *Planner) decided(prop causality.Property, guide []causality.Edge, make func([]causality.Edge) *cone) ([]int, bool) {
	for range maxDecisions {
		c := make(guide)
		if c == nil {
			return nil, false
		}
		steps, blocked := p.execute(c)
		if blocked == nil {
			return steps, true
		}
		k := slices.IndexFunc(blocked, func(e causality.Edge) bool {
			with := causality.Property{Edges: append(slices.Clip(prop.Edges), e), Needs: append(slices.Clip(prop.Needs), e.From)}
			g := p.graphs.Chopped(with)
			if g.Cyclic() == 0 {
				prop, guide = with, g.Edges(0)
			}
			return g.Cyclic() == 0
		})
		if k < 0 {
			return nil, false
		}
	}
	return nil, false
}

// blocked returns what would let the goroutines go on that wait for locks: the
// section that each wants to begin before one that is open, or after its end.
// The events left are in recorded order. The result is not nil.
func (x *execution) blocked(steps, left []int) []causality.Edge {
	edges := []causality.Edge{}
	seen := make(map[uint32]bool)
	for _, i := range left {
		g := uint32(x.p.t.Events[i].G)
		wants, ok := x.p.o.Section(i)
		first := !seen[g]
		seen[g] = true
		if !first || !ok {
			continue
		}
		for _, s := range x.open(steps) {
			if !wants.Excludes(s) || uint32(x.p.t.Events[s.Acq].G) == g {
				continue
			}
			if s.Rel >= 0 && !x.includes(s.Rel) {
				edges = append(edges, causality.Edge{From: s.Rel, To: wants.Acq})
			}
			if wants.Rel >= 0 {
				edges = append(edges, causality.Edge{From: wants.Rel, To: s.Acq})
			}
		}
	}
	return edges
}

// open returns the sections that steps begin and do not end.
func (x *execution) open(steps []int) (open []order.Section) {
	for _, i := range steps {
		if s, ok := x.p.o.Section(i); ok && (s.Rel < 0 || !x.performed(s.Rel)) {
			open = append(open, s)
		}
	}
	return open
}
