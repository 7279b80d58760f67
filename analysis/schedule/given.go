package schedule

// RecordedPrefix returns the number of events that schedules for the given accesses keep in recorded order at
// the beginning: those before their tests begin.
func (p *Planner) RecordedPrefix(accesses ...int) int {
	return int(p.testBase(target{accesses: accesses}).position)
}

// FromSteps returns a recipe for steps that a solver has found. They follow the first `from` events and
// lead to where goroutines are about to execute the events of violation. The recipe keeps the
// slices.
func (p *Planner) FromSteps(from int, steps, violation, accesses []int) Recipe {
	return Recipe{Accesses: p.o.ReplaceWakes(accesses), target: target{accesses: accesses}, p: p, given: &solvedSteps{from, steps, violation}}
}

// solvedSteps is the steps of a recipe that no method makes.
type solvedSteps struct {
	from             int
	steps, violation []int
}

func (g *solvedSteps) schedule(p *Planner) Schedule {
	b := p.baseAt(int32(g.from))
	return p.withHold(p.newSchedule(b, g.steps, g.violation), b, g.violation...)
}
