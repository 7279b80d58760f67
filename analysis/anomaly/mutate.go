package anomaly

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A match satisfies PECAN's mutation condition (§5.2, Algorithms 1 and 2, for any number of
// events) if no event must happen before an earlier one of the pattern, and where goroutine g
// has events of the pattern before and after event e of another one, e fits in between, at a
// place where g holds no lock that excludes e.

// A straddle is an event of a pattern between two events of another goroutine: the last one before
// it and the next one after it. The numbers are indices into [Pattern.Events]. Example: r-w-r has one
// straddle, {0 1 2}. PECAN's w-r-r-w (Figure 2) has {0 1 3} and {0 2 3}: both reads lie between the
// writes.
type straddle struct{ before, event, after int }

// straddles returns all straddles of the pattern. Algorithm 2 has one straddle only: v_k, to be
// placed between v_i and v_j.
func (p *Pattern) straddles() (all []straddle) {
	of := func(g int) func(PatternEvent) bool { return func(e PatternEvent) bool { return e.Goroutine == g } }
	for k, e := range p.Events {
		for c := k + 1; c < len(p.Events); c++ {
			g := p.Events[c].Goroutine
			if g == e.Goroutine || slices.ContainsFunc(p.Events[k+1:c], of(g)) {
				continue // only the next event of each other goroutine counts
			}
			a := k - 1
			for a >= 0 && p.Events[a].Goroutine != g {
				a--
			}
			if a >= 0 {
				all = append(all, straddle{a, k, c})
			}
		}
	}
	return all
}

// violatesOrder reports whether a chosen event must happen before one that the pattern has earlier.
// Block b was chosen last. This is the test of the partial order (PECAN, Definition 1). The recorded
// order of the events plays no part.
func (m *matcher) violatesOrder(b int) bool {
	p := &m.s.plans[m.plan]
	for early, e := range p.positions {
		for late := early + 1; late < len(p.positions); late++ {
			l := p.positions[late]
			c := m.chosen[l.block]
			if e.block == l.block {
				continue // events of one block are in the order of the pattern
			}
			// Block b has no pasts if it was filled by finish: there each fragment is asked about
			// once.
			if e.block != b && m.eventPasts[early].Has(c.g, c.events[l.n]) ||
				e.block == b && m.s.o.Before(int(c.events[l.n]), int(m.chosen[b].events[e.n])) {
				return true
			}
		}
	}
	return false
}

// isExcludedByHeldLocks reports whether a lock that all fragments of a chosen kind hold throughout
// excludes an event of another goroutine from coming in between. It looks at kinds only, and so
// spares the tests of all their fragments.
func (m *matcher) isExcludedByHeldLocks() bool {
	p := &m.s.plans[m.plan]
	return slices.ContainsFunc(p.straddles, func(s straddle) bool {
		a, e := p.positions[s.before], p.positions[s.event]
		return a.block == p.positions[s.after].block && excludesAny(m.kinds[a.block].heldThroughout, m.s.o.Locks(m.kinds[e.block].attributes[e.n].locks))
	})
}

// isExcludedByLocks reports whether locks prevent an event of the match from happening between its
// straddling events.
func (m *matcher) isExcludedByLocks() bool {
	return slices.ContainsFunc(m.s.plans[m.plan].straddles, func(s straddle) bool {
		return !hasPlaceBetween(m.s.t, m.s.o, m.events[s.before], m.events[s.after], m.events[s.event])
	})
}

// hasPlaceBetween reports whether event e can happen at some place between events i and j of
// another goroutine: where that holds no lock which excludes e, and the must-order allows it. PECAN's
// Figure 3 is the example: v8 has a place between v2 and v5, directly before v4.
func hasPlaceBetween(t *trace.Trace, o *order.Order, i, j, e int) bool {
	// Without locks, all places are open to e, and violatesOrder has compared e with i and j.
	locks := o.Locks(o.LockSet(e))
	if len(locks) == 0 {
		return true
	}
	held := o.Held(i)
	if excludes(t, held, o.Held(j), locks) {
		return false // the lock is held all the way
	}
	// As Algorithm 2, this tries each place of the goroutine between i and j. Figure 3: i is v2, e is
	// v8, which holds l1 and l2. Between v2 and v3 the goroutine holds l1. Between v3, the release,
	// and v4 it holds nothing: the place is found.
	for prev, next := i, 0; prev != j; prev = next {
		next = o.Program().Next(prev)
		before, after := held, o.Held(next)
		if held = after; excludes(t, before, after, locks) {
			continue
		}
		// All further places are after prev, and so too late for e.
		if o.Before(e, prev) {
			return false
		}
		// If e must come after next, a later place may still do.
		if !o.Before(next, e) {
			return true
		}
	}
	return false
}

// excludes reports whether a critical section that is open before and after a place excludes one of
// the other locks. before and after are acquires.
func excludes(t *trace.Trace, before, after []int32, others []order.Lock) bool {
	// Acquires are compared, not locks: a lock released and taken again leaves a gap for others.
	for _, acq := range before {
		if !slices.Contains(after, acq) {
			continue
		}
		if slices.ContainsFunc(others, order.Acquired(&t.Events[acq]).Excludes) {
			return true
		}
	}
	return false
}

// excludesAny reports whether one of the locks excludes one of the others.
func excludesAny(locks, others []order.Lock) bool {
	return slices.ContainsFunc(locks, func(l order.Lock) bool { return slices.ContainsFunc(others, l.Excludes) })
}
