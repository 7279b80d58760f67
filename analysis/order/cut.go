package order

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Where a trace lacks the synchronization of a test from some moment on
// ([trace.Cut]), nobody knows what that orders. All events of the test before
// that moment are then taken to be before all events of others after it: no
// candidate comes from what is missing.

// cutPositions returns by position the tests that have no more synchronization from
// there on.
func cutPositions(t *trace.Trace) map[int][]string {
	last := make(map[string]*int)
	for _, c := range t.Cuts {
		if c.LacksSync {
			last[c.Test] = new(int)
		}
	}
	if len(last) == 0 {
		return nil
	}
	of := make([]*int, len(t.Goroutines))
	for g := range of {
		of[g] = last[t.Goroutines[g].Test]
	}
	for i := range t.Events {
		e := &t.Events[i]
		if of[e.G] == nil || e.Kind == trace.Fork || e.Kind == trace.Begin || e.Kind == trace.End || e.Kind == trace.TestBegin || e.Kind == trace.TestEnd {
			continue
		}
		*of[e.G] = i + 1
	}
	at := make(map[int][]string)
	for test, i := range last {
		at[*i] = append(at[*i], test)
	}
	for _, tests := range at {
		slices.Sort(tests)
	}
	return at
}

// orderAtCut orders what the goroutines of a test have done before all that others
// do from now on.
func (b *relationBuilder) orderAtCut(test string) {
	var all clock
	b.rel.startGrowing()
	for g, seg := range b.segmentNow {
		if seg >= 0 && b.t.Goroutines[g].Test == test {
			b.makeOwnClock(trace.GID(g))
			all = b.rel.join(all, b.rel.set(b.clockNow[g], uint32(g), b.lastEvent[g]+1))
		}
	}
	for g := range b.clockNow {
		if b.t.Goroutines[g].Test == test {
			continue
		}
		b.makeOwnClock(trace.GID(g))
		b.clockNow[g] = b.rel.join(b.clockNow[g], all)
		// No event of the goroutine makes this edge. Start -1 says that it counts before the next one
		// is reached.
		b.rel.segments = append(b.rel.segments, segment{b.clockNow[g], -1, b.segmentNow[g]})
		b.segmentNow[g], b.splitNext[g] = int32(len(b.rel.segments)-1), true
	}
}
