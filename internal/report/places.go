package report

import "slices"

// EachPlace calls add with each place that the bug concerns, in no special order: the accesses, and
// where their goroutines wait, were created, or acquired locks, and where the operations of other
// goroutines are.
func (f *Finding) ForEachPlace(add func(file string, line int)) {
	all := func(places []Place) {
		for _, p := range places {
			add(p.File, p.Line)
		}
	}
	others := func(list []OtherGoroutine) {
		for _, o := range list {
			add(o.File, o.Line)
		}
	}
	for _, a := range slices.Concat(f.Accesses, f.AlsoBlocked) {
		add(a.File, a.Line)
		all(a.Locks)
		all(a.Stack)
		others(a.HeldBy)
		others(a.Partners)
		for _, p := range []*Place{a.CreatedAt, a.CreatedFor} {
			if p != nil {
				add(p.File, p.Line)
			}
		}
	}
}
