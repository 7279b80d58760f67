package schedule

import "slices"

// made is the schedule of a recipe that needs no planner any more: with that goes all that is known
// of a trace.
type made struct {
	by              Scheduler
	begin, from     int
	steps           []int32
	violation, hold []int
}

// Made returns r with its schedule in place of what makes it, and how many steps it has; r
// itself if these are more than most.
func (r Recipe) Made(most int) (Recipe, int) {
	begin, s := r.make()
	if len(s.Steps) > most {
		return r, 0
	}
	m := &made{by: r.Scheduler(), begin: begin, from: s.From, violation: s.Violation, hold: s.Hold}
	for _, i := range s.Steps {
		m.steps = append(m.steps, int32(i))
	}
	return Recipe{Accesses: r.Accesses, made: m, offset: r.offset}, len(s.Steps)
}

// IsMade reports whether r has its schedule.
func (r Recipe) IsMade() bool { return r.made != nil }

func (m *made) schedule() (begin int, s Schedule) {
	s = Schedule{From: m.from, Violation: slices.Clone(m.violation), Hold: slices.Clone(m.hold)}
	for _, i := range m.steps {
		s.Steps = append(s.Steps, int(i))
	}
	return m.begin, s
}
