package schedule

// turnedSteps performs the cone of the accesses so that the critical sections that
// are open at the accesses come after all others of their locks, although the
// recorded order is another one. It is PECAN's rule of the outermost lock (§6.1), applied
// to every lock of each goroutine. Sections that these turn round in their turn
// follow the guide. All else keeps the recorded order as far as that lets it. Where no
// section is open, no section is turned round: only into one that contains an access
// does the guide lead back.
func (p *Planner) turnedSteps(b *base, v target, r keptReads) ([]int, bool) {
	var keptOpen []int32
	// PECAN's Figure 5 shows what goes wrong otherwise: an unlock moves away from its lock.
	for _, i := range v.accesses {
		keptOpen = append(keptOpen, p.sectionsAt(i)...)
	}
	if len(keptOpen) == 0 {
		return nil, false
	}
	prop := p.graphs.Meeting(v.accesses...)
	return p.guidedSteps(b, prop, v, r, keptOpen, func(c *cone) bool {
		c.avoid = v.accesses
		return c.addTarget(v)
	})
}
