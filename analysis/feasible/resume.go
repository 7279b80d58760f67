package feasible

import "slices"

// A lastSchedule is the schedule that was checked last. Schedules that are
// checked one after the other often have a common prefix, for instance if one
// is shortened step by step. The judge executes a common prefix once.
type lastSchedule struct {
	// The number of events that were executed as recorded before the steps.
	from int
	// The steps that were possible.
	steps []int
	// Events that may find other values: see [Judge.splitViolation].
	ends []int
	// States after some of the steps.
	marks []mark
	// The least number of steps between two marks.
	least int
}

// A mark is a state within the last schedule, to which the judge can go back.
type mark struct {
	// The numbers of steps and of changes of cells up to the mark.
	at, changes int
	// The state, without the contents of memory.
	s *state
}

// resume puts the state to where as many of the steps are done, from the
// given position on, as the course has a mark for, and returns how many these
// are.
func (j *Judge) resume(from int, steps, ends []int) int {
	c := &j.last
	if len(c.marks) > 0 && c.from == from {
		same := 0
		for same < min(len(steps), len(c.steps)) && steps[same] == c.steps[same] {
			same++
		}
		for _, at := range slices.Concat(ends, c.ends) {
			if k := slices.Index(steps[:same], at); k >= 0 {
				same = k
			}
		}
		n := len(c.marks)
		for n > 0 && c.marks[n-1].at > same {
			n--
		}
		if n > 0 {
			c.marks = c.marks[:n]
			m := c.marks[n-1]
			j.state.mem.undo(m.changes)
			j.state.copyExceptContents(m.s)
			c.steps, c.ends = c.steps[:m.at], ends
			return m.at
		}
	}
	j.rewind(from)
	c.marks = nil
	c.from, c.steps, c.ends = from, c.steps[:0], ends
	return 0
}

// noteStep adds a step that was possible to the course, of which so many are
// between two marks.
func (j *Judge) noteStep(pos, spacing int) {
	c := &j.last
	if len(c.steps) == longestKept {
		return
	}
	c.steps = append(c.steps, pos)
	last := 0
	if n := len(c.marks); n > 0 {
		last = c.marks[n-1].at
	}
	if len(c.steps)-last < spacing {
		return
	}
	c.marks = append(c.marks, mark{len(c.steps), len(j.state.mem.changes.list), j.state.cloneWithoutContents()})
}
