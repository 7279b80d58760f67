package schedule

// From returns how many events come first, as they were recorded, in schedules
// for the given accesses: up to where their tests begin.
func (p *Planner) From(accesses ...int) int { return int(p.base(nil, accesses...).at) }

// Given returns the recipe of the schedule of steps that somebody else has found, which follow
// the first from events, and lead to where goroutines stand at the events of the
// violation; the accesses make it. It keeps the steps.
func (p *Planner) Given(from int, steps, violation, accesses []int) Recipe {
	return Recipe{Accesses: p.o.ReplaceWakes(accesses), target: target{accesses: accesses}, p: p, given: &given{from, steps, violation}}
}

// given is the steps of a recipe that has no method.
type given struct {
	from             int
	steps, violation []int
}

func (g *given) schedule(p *Planner) Schedule {
	b := p.baseAt(int32(g.from))
	return p.held(newSchedule(p.t, b, g.steps, g.violation...), b, g.violation...)
}
