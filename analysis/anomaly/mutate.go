package anomaly

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// mutable is PECAN's mutation condition for the events of a pattern, in its
// order (Algorithms 1 and 2 for any number of events): no event must happen
// before an earlier one of the pattern, and where goroutine g has events of the
// pattern before and after event e of another one, e fits in between, at a place
// where g holds no lock that excludes e. It tells which of the two fails, and
// locked only if the order alone does not.
func mutable(t *trace.Trace, o *order.Order, events []int) (ordered, locked bool) {
	for b := range events {
		for a := range b {
			if o.Before(events[b], events[a]) {
				return true, false
			}
		}
	}
	for b, e := range events {
		for c := b + 1; c < len(events); c++ {
			g := t.Events[events[c]].G
			if g == t.Events[e].G || slices.ContainsFunc(events[b+1:c], func(i int) bool { return t.Events[i].G == g }) {
				continue // of each other goroutine, the next event
			}
			a := b - 1
			for a >= 0 && t.Events[events[a]].G != g {
				a--
			}
			if a >= 0 && !fits(t, o, events[a], events[c], e) {
				return false, true
			}
		}
	}
	return false, false
}

// fits reports whether there is a place for event e between events i and j of
// another goroutine.
func fits(t *trace.Trace, o *order.Order, i, j, e int) bool {
	locks := o.Locks(o.LockSet(e))
	if len(locks) == 0 {
		return true
	}
	if excludes(o, o.Held(i), o.Held(j), locks) {
		return false // all the way
	}
	es := o.Events(t.Events[i].G)
	k, _ := slices.BinarySearch(es, int32(i))
	for ; int(es[k]) != j && !o.Before(e, int(es[k])); k++ {
		if next := int(es[k+1]); !o.Before(next, e) && !excludes(o, o.Held(int(es[k])), o.Held(next), locks) {
			return true
		}
	}
	return false
}

// excludes reports whether a lock held before and after a place, in one
// critical section, excludes one of the others.
func excludes(o *order.Order, before, after []int32, others []order.Lock) bool {
	for _, acq := range before {
		if !slices.Contains(after, acq) {
			continue
		}
		if s, ok := o.Section(int(acq)); ok && slices.ContainsFunc(others, func(l order.Lock) bool {
			return s.Excludes(order.Section{Lock: l})
		}) {
			return true
		}
	}
	return false
}
