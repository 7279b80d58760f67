package symbolic

import "slices"

// A Target is what a run is to reach: the property ρ, in terms of events. Kinds of bugs are no concern of
// this package. Package analysis makes targets of the instances of its candidates. All numbers are
// positions in the trace.
type Target struct {
	// Pending are events of different goroutines that are next at the moment of the violation: all
	// before them has happened, they have not.
	Pending []int
	// Order are pairs of events of which the first happens before the second. The second may be one
	// of Pending.
	Order [][2]int
	// Fails says that the conditions of the events of Pending, which have formulas, come out
	// otherwise than recorded; and that operations among them are misuse: of a lock that is free, a
	// channel that is closed, a counter at zero.
	Fails bool
	// Blocks says that the goroutines of Pending wait as long as the others of them do: for a
	// channel that serves them next, or a WaitGroup's counter that is not zero.
	Blocks bool
	// Executed are events that happen. Signals and broadcasts among them wake none of the goroutines of
	// Pending that wait for their conditions.
	Executed []int
	// DepartsAt are events, ascending, at one of which the run departs from the recorded one; see
	// Departure.
	DepartsAt []int
}

// Simultaneous is the target that all of the accesses are next at once: those of a race are enabled
// (Said et al., NFM 2011, equation 3).
func Simultaneous(accesses ...int) Target { return Target{Pending: accesses} }

// Deadlock is the target that goroutines are about to execute the operations, each of which waits
// for what another one holds; the events over, which could free one of them, have happened.
func Deadlock(operations, over []int) Target {
	return Target{Pending: operations, Blocks: true, Executed: over}
}

// Sequence is the target that the accesses happen in the given order, with others in between or
// not; the last one is only next. The patterns of package anomaly are sequences.
//
// The three accesses of Wang et al., FAC 2011, §5.1, are such a sequence. An example: of events 2, 5
// and 3, Order has the pairs 2, 5 and 5, 3, and Pending has 3. Goroutine 1 does 2, then another one
// does 5, and 3 is next.
func Sequence(accesses ...int) Target {
	t := Target{Pending: accesses[len(accesses)-1:]}
	for k, j := range accesses[1:] {
		t.Order = append(t.Order, [2]int{accesses[k], j})
	}
	return t
}

// Failure is the target that the condition at position i, of an assertion or of a branch to a
// failure, comes out otherwise than recorded (Wang et al., FAC 2011, §4.2: the assertion property);
// or that the release at position i finds its lock free (§5.2: double unlocking), the send or close
// its channel closed, or that the Done takes its WaitGroup's counter below zero.
func Failure(i int) Target { return Target{Pending: []int{i}, Fails: true} }

// Departure is the target that one of the events at, ascending, departs from the recorded run: a
// read that must find what it found finds something else, or a condition comes out otherwise. No
// trace of this run tells what the goroutine does then.
func Departure(at ...int) Target { return Target{DepartsAt: at} }

// events returns the events that t names.
func (t *Target) events() []int {
	all := slices.Concat(t.Pending, t.Executed, t.DepartsAt)
	for _, p := range t.Order {
		all = append(all, p[0], p[1])
	}
	return all
}

// standsAt reports whether event i is one of t's Pending.
func (t *Target) standsAt(i int) bool { return slices.Contains(t.Pending, i) }

// allowsAnyValue reports whether event i may read anything on the way to t, as its goroutine does
// nothing more that is looked at.
func (m *Model) allowsAnyValue(t *Target, i int32) bool {
	if len(t.DepartsAt) > 0 {
		_, at := slices.BinarySearch(t.DepartsAt, int(i))
		return at
	}
	in := func(p [2]int) bool { return p[0] == int(i) || p[1] == int(i) } // few events are in Order, so this comes first
	return slices.ContainsFunc(t.Order, in) && !slices.ContainsFunc(t.Pending, func(s int) bool { return m.gid(int32(s)) == m.gid(i) })
}
