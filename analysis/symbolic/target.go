package symbolic

import "slices"

// A Target is what a run is to come to. All numbers are positions in the trace.
type Target struct {
	// Stands are events of different goroutines, at which these stand: all
	// before them has happened, they have not.
	Stands []int
	// Order are pairs of events of which the first happens before the second.
	// The second may be one of Stands.
	Order [][2]int
	// Fails says that the conditions of the events of Stands, which have
	// formulas, come out otherwise than recorded; and that operations among them are
	// misuse: of a lock that is free, a channel that is closed, a counter at zero.
	Fails bool
	// Blocks says that goroutines wait in Stands as long as the others of them do: a
	// channel's line has come to them, a WaitGroup's counter is not zero.
	Blocks bool
	// Over are events that happen. Signals and broadcasts among them wake none of those who
	// stand before they wake from waiting for the same conditions.
	Over []int
	// Departs are events, ascending, at one of which a run departs from what is known:
	// see Departure.
	Departs []int
}

// Standing is the target that goroutines stand at all of the accesses at once: those of
// a race are enabled (Said et al., NFM 2011, equation 3).
func Standing(accesses ...int) Target { return Target{Stands: accesses} }

// Deadlock is the target that goroutines stand at operations and hold what the others wait
// for, and the given events, which could free one, are over.
func Deadlock(operations, over []int) Target {
	return Target{Stands: operations, Blocks: true, Over: over}
}

// Sequence is the target that the accesses happen in the given order, others in
// between or not; the goroutine of the last one only stands at it. The patterns
// of package anomaly are sequences.
func Sequence(accesses ...int) Target {
	t := Target{Stands: accesses[len(accesses)-1:]}
	for k, j := range accesses[1:] {
		t.Order = append(t.Order, [2]int{accesses[k], j})
	}
	return t
}

// Failure is the target that the condition at position i, of an assertion or of a
// branch to a failure, comes out otherwise than recorded (Wang et al., FAC 2011,
// §4.2: the assertion property); or that the release at position i finds its lock
// free (§5.2: double unlocking), the send or close its channel closed, or that the Done
// takes its WaitGroup's counter below zero.
func Failure(i int) Target { return Target{Stands: []int{i}, Fails: true} }

// Departure is the target that one of the events at, ascending, finds something else
// than recorded, if it is a read that must find what it found, or comes out otherwise,
// if it is a condition. What the goroutine does then, no trace of this run tells.
func Departure(at ...int) Target { return Target{Departs: at} }

// events returns the events that t speaks of.
func (t *Target) events() []int {
	all := slices.Concat(t.Stands, t.Over, t.Departs)
	for _, p := range t.Order {
		all = append(all, p[0], p[1])
	}
	return all
}

// stands reports whether the target's goroutine stands at event i.
func (t *Target) standsAt(i int) bool { return slices.Contains(t.Stands, i) }

// frees reports whether event i may read anything on the way to t, if its
// goroutine does nothing more: what it would do next is not looked at.
func (m *Model) allowsAnyValue(t *Target, i int32) bool {
	if len(t.Departs) > 0 {
		_, at := slices.BinarySearch(t.Departs, int(i))
		return at
	}
	in := func(p [2]int) bool { return p[0] == int(i) || p[1] == int(i) } // which few are: asked first
	return slices.ContainsFunc(t.Order, in) && !slices.ContainsFunc(t.Stands, func(s int) bool { return m.gid(int32(s)) == m.gid(i) })
}
