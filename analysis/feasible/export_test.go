package feasible

// MarkEach has the judge keep states after so many steps each.
func (j *Judge) MarkEach(steps int) { j.course.least = steps }
