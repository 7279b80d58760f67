package symbolic

// Chooses reports whether the select at position i may choose another case than it did.
func (d *Departures) Chooses(i int) bool { return d.m.chooses(int32(i)) }
