package symbolic

// Chooses reports whether the select at position i may choose another case than it did.
func (d *Departures) Chooses(i int) bool { return d.strict.chooses(int32(i)) }

// Finds reports whether the read at position i finds the same in each run that is as recorded up
// to there.
func (d *Departures) Finds(i int) bool { return d.strict.recorded.finds(int32(i)) }

// FindsByPairs is Finds by comparing the read with all writes.
func (d *Departures) FindsByPairs(i int) bool {
	m, r := d.strict.recorded, int32(i)
	for c := range m.mem.of(r) {
		source := m.mem.source(r, c)
		if m.mem.cells[c].shared && (m.follows(source) || source != none && !m.before(source, r) || !m.allOrdered(m.mem.writers(c), source, r)) {
			return false
		}
	}
	return true
}
