package anomaly

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A match satisfies PECAN's mutation condition (Algorithms 1 and 2, for any number of
// events) if no event must happen before an earlier one of the pattern, and where goroutine g
// has events of the pattern before and after event e of another one, e fits in between, at a
// place where g holds no lock that excludes e.

// A straddle is an event of a pattern with the last one before it and the next one after it
// of another goroutine.
type straddle struct{ before, event, after int }

// straddles are those of a pattern.
func (p *Pattern) straddles() (all []straddle) {
	of := func(g int) func(PatternEvent) bool { return func(e PatternEvent) bool { return e.Goroutine == g } }
	for k, e := range p.Events {
		for c := k + 1; c < len(p.Events); c++ {
			g := p.Events[c].Goroutine
			if g == e.Goroutine || slices.ContainsFunc(p.Events[k+1:c], of(g)) {
				continue // of each other goroutine, the next event
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

// ordered reports whether an event of what is chosen must happen before an earlier one of the
// pattern. Block b is the one that came last.
func (m *matcher) ordered(b int) bool {
	p := &m.s.plans[m.plan]
	for early, e := range p.at {
		for late := early + 1; late < len(p.at); late++ {
			l := p.at[late]
			c := m.chosen[l.block]
			if e.block == l.block {
				continue // in the order of both
			}
			if e.block != b && m.past[early].Has(c.g, c.events[l.n]) ||
				e.block == b && m.s.o.Before(int(c.events[l.n]), int(m.chosen[b].events[e.n])) {
				return true
			}
		}
	}
	return false
}

// kept reports whether what the chunks of the chosen kinds hold all the time keeps an event of
// others from coming in between.
func (m *matcher) kept() bool {
	p := &m.s.plans[m.plan]
	return slices.ContainsFunc(p.gaps, func(s straddle) bool {
		a, e := p.at[s.before], p.at[s.event]
		return a.block == p.at[s.after].block && excludesAny(m.kinds[a.block].through, m.s.o.Locks(m.kinds[e.block].posts[e.n].locks))
	})
}

// locked reports whether locks keep an event of the match from coming where the pattern has it.
func (m *matcher) locked() bool {
	return slices.ContainsFunc(m.s.plans[m.plan].gaps, func(s straddle) bool {
		return !fits(m.s.t, m.s.o, m.events[s.before], m.events[s.after], m.events[s.event])
	})
}

// fits reports whether there is a place for event e between events i and j of
// another goroutine.
func fits(t *trace.Trace, o *order.Order, i, j, e int) bool {
	locks := o.Locks(o.LockSet(e))
	if len(locks) == 0 {
		return true
	}
	held := o.Held(i)
	if excludes(t, held, o.Held(j), locks) {
		return false // all the way
	}
	for prev, next := i, 0; prev != j; prev = next {
		next = o.Program().Next(prev)
		before, after := held, o.Held(next)
		if held = after; excludes(t, before, after, locks) {
			continue
		}
		if o.Before(e, prev) {
			return false
		}
		if !o.Before(next, e) {
			return true
		}
	}
	return false
}

// excludes reports whether a lock held before and after a place, in one
// critical section, excludes one of the others.
func excludes(t *trace.Trace, before, after []int32, others []order.Lock) bool {
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
