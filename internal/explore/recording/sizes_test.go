package recording

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

// What a test does of which the trace has only a part is not known: it is not recorded again.
func TestSizeOfCut(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}, {Path: "0", Test: "TestLong"}, {Path: "0", Test: "TestShort"}, {Path: "0.1", Test: "TestLong", Parent: 1}, {Path: "0.1", Test: "TestShort", Parent: 2}}}
	for _, g := range []trace.GID{1, 3, 2, 4} {
		tr.Events = append(tr.Events, trace.Event{G: g})
	}
	sizes := SizesOf(tr)
	tests, events := SmallestTests(sizes.ConcurrentTests, sizes.Events, MaxRepeated)
	assert.Equal(t, []string{"TestLong", "TestShort"}, tests)
	assert.Equal(t, 4, events)
	tr.Cuts = []trace.Cut{{Test: "TestLong"}}
	sizes = SizesOf(tr)
	tests, events = SmallestTests(sizes.ConcurrentTests, sizes.Events, MaxRepeated)
	assert.Equal(t, []string{"TestShort"}, tests)
	assert.Equal(t, 2, events)
}

// A test whose subtests run one after the other, while it waits for them, is no more worth recording in
// other orders than one without subtests.
func TestSizesOfSubtests(t *testing.T) {
	const test, sub, inner = 1, 2, 3
	event := func(g trace.GID, k trace.Kind) trace.Event { return trace.Event{G: g, Kind: k} }
	for _, c := range []struct {
		name       string
		events     []trace.Event
		concurrent bool
	}{
		{"one", []trace.Event{event(test, trace.Fork), event(sub, trace.TestBegin), event(sub, trace.Write), event(sub, trace.TestEnd), event(sub, trace.SendDone), event(test, trace.RecvDone)}, false},
		{"in each other", []trace.Event{event(test, trace.Fork), event(sub, trace.TestBegin), event(sub, trace.Fork), event(inner, trace.TestBegin), event(inner, trace.TestEnd), event(sub, trace.TestEnd), event(test, trace.RecvDone)}, false},
		{"parallel", []trace.Event{event(sub, trace.TestBegin), event(test, trace.RecvDone), event(sub, trace.TestEnd)}, true},
		{"parallel in each other", []trace.Event{event(sub, trace.TestBegin), event(inner, trace.TestBegin), event(sub, trace.RecvDone), event(sub, trace.TestEnd), event(inner, trace.TestEnd)}, true},
		{"with a goroutine", []trace.Event{event(sub, trace.TestBegin), event(inner, trace.Write), event(sub, trace.TestEnd)}, true},
		{"not ended", []trace.Event{event(sub, trace.TestBegin), event(sub, trace.Write)}, true},
		{"a goroutine alone", []trace.Event{event(sub, trace.Write)}, true},
	} {
		tr := &trace.Trace{Goroutines: []trace.Goroutine{
			{Path: "main"}, {Path: "0", Test: "Test"}, {Path: "0.1", Test: "Test", Parent: test}, {Path: "0.1.1", Test: "Test", Parent: sub},
		}}
		tr.Events = append([]trace.Event{event(test, trace.TestBegin)}, append(c.events, event(test, trace.TestEnd))...)
		sizes := SizesOf(tr)
		assert.Equal(t, c.concurrent, len(sizes.ConcurrentTests) == 1, c.name)
		assert.Equal(t, len(tr.Events), sizes.Events["Test"], c.name)
	}
}

// Two tests of one name, one of them of the external tests, have the size of both.
func TestSizeOfTests(t *testing.T) {
	sizes := Sizes{Events: map[string]int{"TestA": 5, "TestB": 3}}
	assert.Equal(t, 5, sizes.EventsOf([]string{"TestA#2"}))
	assert.Equal(t, 8, sizes.EventsOf([]string{"TestA", "TestB"}))
}
