package schedule

import "slices"

// Blocked returns the schedule, in recorded order, after which goroutines stand before the
// events at the positions standing, and those of done have happened, with all that these
// need and nothing else.
func (p *Planner) Blocked(standing, done []int) Schedule {
	b := p.base(nil, append(slices.Clone(standing), done...)...)
	c := p.newCone(b, allReads, nil, nil)
	for _, i := range standing {
		c.reach(i)
	}
	for _, i := range done {
		c.add(i)
	}
	return p.held(newSchedule(p.t, b, c.steps(), standing...), b, standing...)
}
