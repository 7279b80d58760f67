package report

import "slices"

// ForEachPosition calls add with each position that the bug concerns, in no special order: the
// accesses, and where their goroutines wait, were created, or acquired locks, and where the operations
// of other goroutines are.
func (f *Finding) ForEachPosition(add func(Position)) {
	for _, a := range slices.Concat(f.Accesses, f.AlsoBlocked) {
		add(a.Position)
		for _, p := range slices.Concat(a.Locks, a.Stack) {
			add(p.Position)
		}
		for _, o := range slices.Concat(a.HeldBy, a.Partners) {
			add(o.Position)
		}
		for _, p := range []*Place{a.CreatedAt, a.CreatedFor} {
			if p != nil {
				add(p.Position)
			}
		}
	}
}
