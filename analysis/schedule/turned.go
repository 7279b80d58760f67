package schedule

import "slices"

// turned performs the cone of both accesses so that the critical sections that
// are open at the accesses come after all others of their locks, although the
// recorded order is another one: PECAN's rule of the outermost lock, applied
// to every lock on both sides. Sections that these turn round in their turn
// follow the guide. All else keeps the recorded order as far as that lets it. Where no
// section is open, no section is turned round: only into one that contains an access
// does the guide lead back.
func (p *Planner) turned(v target, r reads) ([]int, bool) {
	last := slices.Concat(p.o.Held(v.accesses[0]), p.o.Held(v.accesses[1]))
	if len(last) == 0 {
		return nil, false
	}
	prop := p.graphs.Race(v.accesses[0], v.accesses[1])
	return p.guided(p.of(v), prop, v.guide, r, last, func(c *cone) bool { return c.lead(v) })
}
