package order

import "sort"

// Locked tells why the goroutines of events i and j cannot stand at them at
// the same time, by the history of acquires: one of the two holds a lock, and
// the other can come to its event only through a critical section of that lock
// that must come after the first one's acquire. It returns that acquire and
// the acquire of the other section. PECAN's Figure 5 is the pattern.
func (o *Order) Locked(i, j int) (held, needed int, ok bool) {
	if held, needed, ok = o.KeptBack(i, j); ok {
		return held, needed, true
	}
	return o.KeptBack(j, i)
}

// KeptBack is Locked for the locks held at i: the goroutine of event j comes to that only after
// the other one has released one of these.
func (o *Order) KeptBack(i, j int) (held, needed int, ok bool) {
	for _, acq := range o.Held(i) {
		s, ok := o.Section(int(acq))
		if !ok || o.HandedOver()[s.Obj] {
			continue
		}
		on := o.locks.of(s.Obj)
		for k := sort.Search(len(on), func(k int) bool { return int(o.locks.sections[on[k]].acq) > s.Acq }); k < len(on); k++ {
			n := o.SectionAt(on[k])
			if n.Acq >= j {
				break
			}
			if o.t.Events[n.Acq].G != o.t.Events[i].G && s.Excludes(n.Lock) && o.Before(s.Acq, n.Acq) && o.BeforeReached(n.Acq, j) {
				return s.Acq, n.Acq, true
			}
		}
	}
	return 0, 0, false
}

// HandedOver returns the locks that a goroutine released which another one had
// acquired; then holding the lock does not mean that it is taken. The caller must
// not change the result.
func (o *Order) HandedOver() map[uint64]bool { return o.locks.handed }
