package schedule

import "slices"

// Blocked returns the shortest schedule in recorded order after which goroutines are about to
// execute the events standing and have executed the events done.
func (p *Planner) Blocked(standing, done []int) Schedule {
	b := p.testBase(target{accesses: append(slices.Clone(standing), done...)})
	c := p.newCone(b, allReads, nil, nil)
	for _, i := range standing {
		c.addBefore(i)
	}
	for _, i := range done {
		c.add(i)
	}
	return p.withHold(p.newSchedule(b, c.steps(), standing), b, standing...)
}
