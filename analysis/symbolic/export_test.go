package symbolic

// Chooses reports whether the select at position i may choose another case than it did.
func (d *Departures) Chooses(i int) bool { return d.strict.chooses(int32(i)) }

// Finds reports whether the read at position i finds the same in each run that is as recorded up
// to there.
func (d *Departures) Finds(i int) bool { return d.strict.orderedReads.findsRecorded(int32(i)) }

// FindsByPairs is Finds by comparing the read with all writes.
func (d *Departures) FindsByPairs(i int) bool {
	m, r := d.strict.orderedReads, int32(i)
	for c := range m.memory.cellsOf(r) {
		source := m.memory.source(r, c)
		if m.memory.cells[c].shared && (m.isComputed(source) || source != none && !m.mustPrecede(source, r) || !m.allOrderedWith(m.memory.writers(c), source, r)) {
			return false
		}
	}
	return true
}
