package order

import "slices"

// ExcludedByHistory says why the goroutines of events i and j cannot be about to execute them at the
// same time, by the history of acquires (Kahlon, Ivančić and Gupta, Reasoning about Threads
// Communicating via Locks, CAV 2005). One of the two holds a lock, and the other reaches
// its event only through a critical section of that lock that must come after the first
// one's acquire. ExcludedByHistory returns that acquire and the acquire of the other section. PECAN's
// Figure 5 is the pattern.
func (o *Order) ExcludedByHistory(i, j int) (held, needed int, ok bool) {
	if held, needed, ok = o.DelayedByLock(i, j); ok {
		return held, needed, true
	}
	return o.DelayedByLock(j, i)
}

// DelayedByLock is [Order.ExcludedByHistory] for the locks held at i: the goroutine of event j reaches it
// only after the goroutine of event i has released one of them.
func (o *Order) DelayedByLock(i, j int) (held, needed int, ok bool) {
	for _, acq := range o.Held(i) {
		n := o.facts.SectionOf(int(acq))
		s := o.SectionAt(n)
		if o.handedOver[s.Obj] {
			continue
		}
		later := o.SectionsOf(s.Obj)
		k, _ := slices.BinarySearch(later, n+1)
		for _, n := range later[k:] {
			next := o.SectionAt(n)
			if next.Acq >= j {
				break
			}
			if o.t.Events[next.Acq].G != o.t.Events[i].G && s.Excludes(next.Lock) && o.Before(s.Acq, next.Acq) && o.BeforeReached(next.Acq, j) {
				return s.Acq, next.Acq, true
			}
		}
	}
	return 0, 0, false
}
