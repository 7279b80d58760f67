package schedule

import "slices"

// computedSchedule is the finished schedule of a recipe. Such a recipe no longer needs its planner, so that the
// data of the trace can be freed.
type computedSchedule struct {
	by              Scheduler
	begin, from     int
	steps           []int32
	violation, hold []int
}

// Computed returns r with its schedule computed, and the number of steps. It returns r itself and 0 if
// there are more than `most` steps.
func (r Recipe) Computed(most int) (Recipe, int) {
	begin, s := r.make()
	if len(s.Steps) > most {
		return r, 0
	}
	m := &computedSchedule{by: r.Scheduler(), begin: begin, from: s.From, violation: s.Violation, hold: s.Hold}
	for _, i := range s.Steps {
		m.steps = append(m.steps, int32(i))
	}
	return Recipe{Accesses: r.Accesses, made: m, offset: r.offset}, len(s.Steps)
}

// IsComputed reports whether the schedule of r is already computed.
func (r Recipe) IsComputed() bool { return r.made != nil }

func (m *computedSchedule) schedule() (begin int, s Schedule) {
	s = Schedule{From: m.from, Violation: slices.Clone(m.violation), Hold: slices.Clone(m.hold)}
	for _, i := range m.steps {
		s.Steps = append(s.Steps, int(i))
	}
	return m.begin, s
}
