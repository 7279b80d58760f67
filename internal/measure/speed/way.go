package main

// A way is one of the ways to run a test that are compared.
type way int

const (
	plain way = iota
	race
	recorded
	ways
)

func (w way) String() string { return [...]string{"plain", "-race", "recording"}[w] }

// A cost is what one run took.
type cost struct {
	seconds float64 // wall time
	memory  float64 // peak resident memory of a process in MiB
	trace   float64 // size of the traces in MiB
	cut     bool    // a trace does not hold the whole run: it would have become too large
}

// and is the cost of one run after another.
func (c cost) and(d cost) cost {
	return cost{c.seconds + d.seconds, max(c.memory, d.memory), c.trace + d.trace, c.cut || d.cut}
}

// A row is what was measured of one subject.
type row struct {
	name  string
	costs [ways]cost
}
