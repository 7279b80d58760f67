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

// What a package without events of its memory keeps under a lock depends on the order of the
// goroutines that use it, unless all of them only read, or its functions may come in any order.
func TestNoteHiddenState(t *testing.T) {
	template := Site{Func: "text/template.(*Template).Lookup", File: "/go/src/text/template/template.go"}
	module := Site{Func: "example.com/cache.(*Cache).Get", File: "/mod/example.com/cache@v1.2.0/cache.go"}
	state := []HiddenInput{{"TestA", "state"}}
	for name, c := range map[string]struct {
		site  Site
		kinds [2]Kind
		same  bool // one goroutine
		want  []HiddenInput
	}{
		"standard library":       {site: template, kinds: [2]Kind{RAcquire, Acquire}, want: state},
		"without paths":          {site: Site{Func: "mime.setExtensionType", File: "mime/type.go"}, kinds: [2]Kind{Acquire, Acquire}, want: state},
		"another module":         {site: module, kinds: [2]Kind{Acquire, Acquire}, want: state},
		"the cause of a context": {site: Site{Func: "context.Cause", File: "/go/src/context/context.go"}, kinds: [2]Kind{Acquire, Acquire}, want: state},
		"readers":                {site: template, kinds: [2]Kind{RAcquire, RAcquire}},
		"one goroutine":          {site: template, kinds: [2]Kind{Acquire, Acquire}, same: true},
		"recorded":               {site: Site{Func: "io.(*pipe).write", File: "/go/src/io/pipe.go"}, kinds: [2]Kind{Acquire, Acquire}},
		"own code":               {site: Site{Func: "bank.(*Account).Add", File: "/home/u/bank/bank.go"}, kinds: [2]Kind{Acquire, Acquire}},
		"below GOPATH":           {site: Site{Func: "example.com/bank.Add", File: "/home/u/go/src/example.com/bank/bank.go"}, kinds: [2]Kind{Acquire, Acquire}},
		"package testing":        {site: Site{Func: "testing.(*common).log", File: "/go/src/testing/testing.go"}, kinds: [2]Kind{Acquire, Acquire}},
		"a context":              {site: Site{Func: "context.(*cancelCtx).cancel", File: "/go/src/context/context.go"}, kinds: [2]Kind{Acquire, Acquire}},
		"a logger":               {site: Site{Func: "log.(*Logger).output", File: "/go/src/log/log.go"}, kinds: [2]Kind{Acquire, Acquire}},
	} {
		second := GID(1)
		if c.same {
			second = 0
		}
		tr := &Trace{
			Goroutines: []Goroutine{{ID: 0, Test: "TestA"}, {ID: 1, Test: "TestA"}},
			Sites:      map[SiteID]Site{1: c.site, 2: {Func: "io.(*pipe).read", File: "/go/src/io/pipe.go", Op: "read"}},
			Events:     []Event{{G: 0, Kind: c.kinds[0], Obj: 64, Site: 1}, {G: second, Kind: c.kinds[1], Obj: 64, Site: 1}},
		}
		tr.NoteHiddenState()
		assert.Equal(t, c.want, tr.HiddenInputs, name)
	}
}
