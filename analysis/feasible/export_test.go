package feasible

// MarkEach has the judge keep states after so many steps each.
func (j *Judge) MarkEach(steps int) { j.course.least = steps }

// ListAtMost has the judge, before its first check, list so many changes after a mark.
func (j *Judge) ListAtMost(changes int) { j.p.listed = changes }

// Listed returns how many changes are listed after the last mark, and whether there is a copy instead.
func (j *Judge) Listed() (changes int, copied bool) {
	return j.s.changes.list.n - j.s.changes.marked, j.s.changes.keeps == aCopy
}
