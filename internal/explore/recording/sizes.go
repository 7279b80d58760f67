package recording

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file measures the tests of a trace. The cost of a run of a test follows from the number
// of its events, and only a test with several goroutines can behave in other ways: or one that stops a
// timer, whose function would be in a goroutine, or has a select with several cases that are ready.

// Sizes are the tests of a trace and their events.
type Sizes struct {
	// ConcurrentTests are the tests with several goroutines, or choices like theirs, in their order.
	ConcurrentTests []string
	Events          map[string]int // by test
}

// SizesOf returns the sizes of the tests of t. A test that was recorded only in part counts as
// too large to be recorded a second time. A goroutine that waits for its subtests, one after
// the other, counts as one goroutine together with these.
func SizesOf(t *trace.Trace) Sizes {
	a := newTestAssigner(t)
	events, several := make([]int, len(a.tests)), make([]bool, len(a.tests))
	var begun []int32 // in the order of their first events
	subtests, channels := newNestings(t), &channelStates{of: make(map[uint64]*channelState)}
	for i := range t.Events {
		e := &t.Events[i]
		test := a.testOf(e)
		if events[test]++; events[test] == 1 && test != 0 {
			begun = append(begun, test)
		}
		several[test] = several[test] || a.byGoroutine[e.G].test != test ||
			e.StopsTimer() || e.StartsTimer() || // the timer's function is one more
			channels.add(e) // the select may take another case
		subtests.add(e)
	}
	for g := range t.Goroutines {
		if o := &a.byGoroutine[g]; subtests[g].concurrent(o.isFirstOfTest) {
			several[o.test] = true
		}
	}
	s := Sizes{Events: make(map[string]int)}
	concurrent := make(map[string]bool)
	for _, test := range begun {
		name := TestFunction(a.tests[test])
		if _, ok := s.Events[name]; !ok {
			s.ConcurrentTests = append(s.ConcurrentTests, name)
		}
		s.Events[name] += events[test]
		concurrent[name] = concurrent[name] || several[test]
	}
	// A part of a test says nothing of its size, except that it is large.
	for _, c := range t.Cuts {
		if name := TestFunction(c.Test); s.Events[name] > 0 {
			s.Events[name] += MaxRepeated
		}
	}
	s.ConcurrentTests = slices.DeleteFunc(s.ConcurrentTests, func(test string) bool { return !concurrent[test] })
	return s
}

// channelStates are what is known of channels after some events.
type channelStates struct {
	of         map[uint64]*channelState
	readyCases int // of the select to come
}

// A channelState is the state of a channel.
type channelState struct {
	elements int // that were sent and not received
	closed   bool
}

// add updates the states by the next event of the trace, and reports whether it is a select of which
// several cases are ready, whatever other goroutines do.
func (c *channelStates) add(e *trace.Event) bool {
	if e.Kind == trace.Select {
		several := c.readyCases > 1
		c.readyCases = 0
		return several
	}
	if e.Kind.Class() != trace.ClassChannel && e.Kind != trace.SelectRecv && e.Kind != trace.SelectSend {
		return false
	}
	ch := c.of[e.Obj]
	if ch == nil {
		ch = new(channelState)
		c.of[e.Obj] = ch
	}
	switch {
	case e.Kind == trace.SelectRecv && (ch.elements > 0 || ch.closed), e.Kind == trace.SelectSend && !ch.closed && ch.elements < int(e.Size):
		c.readyCases++
	case e.Kind == trace.SendDone && e.Val > 0:
		ch.elements++
	case e.Kind == trace.RecvDone && e.Val > 0:
		ch.elements--
	case e.Kind == trace.Close:
		ch.closed = true
	}
	return false
}

// EventsOf returns the number of events of some tests together.
func (s Sizes) EventsOf(tests []string) (events int) {
	for _, test := range tests {
		events += s.Events[TestFunction(test)]
	}
	return events
}

// SmallestTests returns those of the tests, in their order, that have the fewest events, up to
// most events together, and how many events they have.
func SmallestTests(tests []string, size map[string]int, most int) (some []string, events int) {
	bySize := slices.Clone(tests)
	slices.SortStableFunc(bySize, func(a, b string) int { return cmp.Compare(size[a], size[b]) })
	for k, test := range bySize {
		if events += size[test]; events > most {
			events -= size[test]
			bySize = bySize[:k]
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return !slices.Contains(bySize, test) }), events
}

// goroutineNestings say, by goroutine, which ones run concurrently with others of their test.
// A subtest that its parent waits for does not.
type goroutineNestings []goroutineNesting

// A goroutineNesting is the state of one goroutine, which may run a subtest.
type goroutineNesting struct {
	// child is the subtest that began last; the goroutine itself if none did.
	parent, child trace.GID
	hasEvents     bool // it has events
	// The subtest that this goroutine executes is running, or has ended.
	isRunning, hasRun bool
	// parentWasActive is set if the parent had events while the subtest ran.
	parentWasActive bool
}

// newNestings returns the states before the first event of t.
func newNestings(t *trace.Trace) goroutineNestings {
	all := make(goroutineNestings, len(t.Goroutines))
	for i := range all {
		all[i].parent, all[i].child = t.Goroutines[i].Parent, trace.GID(i)
	}
	return all
}

// add updates the states by the next event of the trace.
func (all goroutineNestings) add(e *trace.Event) {
	g := &all[e.G]
	g.hasEvents = true
	if g.child != e.G && all[g.child].isRunning {
		all[g.child].parentWasActive = true
	}
	switch {
	case e.Kind == trace.TestBegin && !g.hasRun:
		g.isRunning, all[g.parent].child = true, e.G
	case e.Kind == trace.TestEnd && g.isRunning:
		g.isRunning, g.hasRun = false, true
	}
}

// concurrent reports whether the goroutine runs concurrently with others of its test; root
// says that it is the first one of the test.
func (n *goroutineNesting) concurrent(root bool) bool {
	return n.hasEvents && !root && (!n.hasRun || n.parentWasActive)
}
