package order

import "slices"

// ExcludedByHistory says why the goroutines of events i and j cannot be about to execute them at the
// same time, by the history of acquires (Kahlon, Ivančić and Gupta, Reasoning about Threads
// Communicating via Locks, CAV 2005). One of the two holds a lock, and the other reaches
// its event only through a critical section of that lock that must come after the first
// one's acquire. ExcludedByHistory returns that acquire and the acquire of the other section. PECAN's
// Figure 5 is the pattern.
//
// Example: goroutine 1 does "acq l, go 2, w x, rel l", goroutine 2 does "acq l, rel l, r x". The
// accesses have no lock in common, and no edge orders them. Yet 2 gets l, and so to its read, only
// after 1 has released l, and so after the write.
func (o *Order) ExcludedByHistory(i, j int) (held, needed int, ok bool) {
	if held, needed, ok = o.DelayedByLock(i, j); ok {
		return held, needed, true
	}
	return o.DelayedByLock(j, i)
}

// DelayedByLock is [Order.ExcludedByHistory] for the locks held at i: the goroutine of event j reaches it
// only after the goroutine of event i has released one of them.
func (o *Order) DelayedByLock(i, j int) (held, needed int, ok bool) {
	sections := o.facts.Sections()
	for _, acquire := range o.Held(i) {
		row := o.facts.SectionOf(int(acquire))
		lock := sections[row].Lock()
		if o.facts.HandedOver(lock) {
			continue
		}
		later := o.facts.SectionsOf(lock)
		k, _ := slices.BinarySearch(later, row+1)
		for _, row := range later[k:] {
			next := &sections[row]
			if int(next.Acquire) >= j {
				break
			}
			excluded := !next.Shared() || !o.t.Events[acquire].Kind.IsShared()
			if o.t.Events[next.Acquire].G != o.t.Events[i].G && excluded && o.Before(int(acquire), int(next.Acquire)) && o.BeforeReached(int(next.Acquire), j) {
				return int(acquire), int(next.Acquire), true
			}
		}
	}
	return 0, 0, false
}
