package trace

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A test looks at what earlier ones have left if it reads what one of them has written last.
func TestNoteEarlierTests(t *testing.T) {
	const a, b, outside = 0, 1, 2
	goroutines := []Goroutine{{ID: a, Test: "TestA"}, {ID: b, Test: "TestB"}, {ID: outside}}
	sites := map[SiteID]Site{1: {Func: "m.f"}, 2: {Func: "testing.tRunner"}}
	event := func(g GID, k Kind, obj uint64) Event { return Event{G: g, Kind: k, Obj: obj, Size: 8, Site: 1} }
	ofTesting := event(b, Read, 64)
	ofTesting.Site = 2
	looks := []HiddenInput{{"TestB", "tests"}}
	for name, c := range map[string]struct {
		events []Event
		freed  []FreedObjects
		want   []HiddenInput
	}{
		"reads":                     {events: []Event{event(a, Write, 64), event(b, Read, 64)}, want: looks},
		"counts on":                 {events: []Event{event(a, AtomicRMW, 64), event(b, AtomicRMW, 64)}, want: looks},
		"writes first":              {events: []Event{event(a, Write, 64), event(b, Write, 64), event(b, Read, 64)}},
		"both read":                 {events: []Event{event(a, Read, 64), event(b, Read, 64)}},
		"set before all tests":      {events: []Event{event(outside, Write, 64), event(b, Read, 64)}},
		"read by package testing":   {events: []Event{event(a, Write, 64), ofTesting}},
		"another variable is there": {events: []Event{event(a, Write, 64), event(b, Read, 64)}, freed: []FreedObjects{{FirstAddr: 64, Mask: 1, Size: 8, Position: 1}}},
	} {
		tr := &Trace{Goroutines: goroutines, Sites: sites, Events: c.events, Freed: c.freed}
		tr.NoteEarlierTests()
		assert.Equal(t, c.want, tr.HiddenInputs, name)
	}
}
