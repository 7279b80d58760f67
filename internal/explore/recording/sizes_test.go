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
// A test with one goroutine has choices if a select has several cases that are ready, or if it stops a
// timer whose function may have begun.
func TestChoicesOfOneGoroutine(t *testing.T) {
	const a, b = 10, 11
	event := func(k trace.Kind, ch, val uint64, size uint32) trace.Event {
		return trace.Event{G: 1, Kind: k, Obj: ch, Val: val, Size: size}
	}
	sent := func(ch uint64) trace.Event { return event(trace.SendDone, ch, 1, 1) }
	selects := []trace.Event{event(trace.SelectRecv, a, 0, 1), event(trace.SelectRecv, b, 0, 1), event(trace.Select, 0, 2, 0)}
	for name, c := range map[string]struct {
		events  []trace.Event
		choices bool
	}{
		"both have an element": {append([]trace.Event{sent(a), sent(b)}, selects...), true},
		"one is closed":        {append([]trace.Event{sent(a), event(trace.Close, b, 0, 1)}, selects...), true},
		"one is empty":         {append([]trace.Event{sent(a)}, selects...), false},
		"one is empty again":   {append([]trace.Event{sent(a), sent(b), event(trace.RecvDone, b, 1, 1)}, selects...), false},
		"both have room":       {[]trace.Event{event(trace.SelectSend, a, 0, 1), event(trace.SelectSend, b, 0, 1), event(trace.Select, 0, 2, 0)}, true},
		"one is full":          {[]trace.Event{sent(a), event(trace.SelectSend, a, 0, 1), event(trace.SelectSend, b, 0, 1), event(trace.Select, 0, 2, 0)}, false},
		"one after the other":  {append(append([]trace.Event{sent(a)}, selects...), append([]trace.Event{event(trace.RecvDone, a, 1, 1), sent(b)}, selects...)...), false},
		"stops a timer":        {[]trace.Event{{G: 1, Kind: trace.Await, Flags: trace.FlagTry}}, true},
	} {
		tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}, {Path: "0", Test: "Test"}}, Events: c.events}
		assert.Equal(t, c.choices, len(SizesOf(tr).ConcurrentTests) == 1, name)
	}
}

func TestSizeOfTests(t *testing.T) {
	sizes := Sizes{Events: map[string]int{"TestA": 5, "TestB": 3}}
	assert.Equal(t, 5, sizes.EventsOf([]string{"TestA#2"}))
	assert.Equal(t, 8, sizes.EventsOf([]string{"TestA", "TestB"}))
}
