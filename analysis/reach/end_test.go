package reach_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/reach"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A step is an event of a goroutine in a function.
type step struct {
	g    trace.GID
	kind trace.Kind
	in   string
	obj  uint64
}

// endingTest is a run of a test with one goroutine, which has the steps behind the start of that.
func endingTest(steps ...step) *trace.Trace {
	t := &trace.Trace{
		Goroutines: []trace.Goroutine{{ID: 0, Test: "TestX", Path: "0"}, {ID: 1, Test: "TestX", Path: "0.1"}},
		Sites:      make(map[trace.SiteID]trace.Site), TestNames: []string{"TestX"}, Complete: true,
	}
	for k, s := range append([]step{{0, trace.TestBegin, "", 0}, {0, trace.Fork, "x.TestX", 1}}, steps...) {
		e := trace.Event{Kind: s.kind, G: s.g, Site: trace.SiteRewritten | trace.SiteID(k+1), Obj: s.obj}
		if e.Kind.IsAccess() {
			e.Size, e.Flags = 4, trace.FlagValue
			if e.Kind.IsWrite() {
				e.Val = 1
			}
			for _, o := range t.Events { // the value of the last store is found
				if o.Obj == e.Obj && o.Kind.IsWrite() {
					e.Val = o.Val
				}
			}
		}
		t.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site), Func: s.in, File: "/x/x.go", Line: k + 1}
		t.Events = append(t.Events, e)
	}
	return t
}

// A test ends with its cleanups: what goroutines find until then may depend on these. What they do
// when it is over may not be done in another run.
func TestEndOfTest(t *testing.T) {
	const flag, mutex, done = 0x500000, 0x500010, 0x500020
	cleaned := step{0, trace.AtomicStore, "testing.(*common).runCleanup", 0x500030}
	over := step{0, trace.Write, "testing.tRunner", done}
	for _, c := range []struct {
		name     string
		steps    []step
		complete bool
	}{
		{"a goroutine finds what a cleanup has left", []step{
			{0, trace.TestEnd, "", 0}, {0, trace.AtomicStore, "x.TestX.func1", flag}, cleaned,
			{1, trace.Begin, "", 0}, {1, trace.AtomicLoad, "x.f", flag}, {1, trace.End, "", 0}, over,
		}, false},
		{"a goroutine finds what a cleanup does not touch", []step{
			{0, trace.AtomicStore, "x.TestX", flag}, {0, trace.TestEnd, "", 0}, cleaned,
			{1, trace.Begin, "", 0}, {1, trace.AtomicLoad, "x.f", mutex}, {1, trace.End, "", 0}, over,
		}, true},
		{"a goroutine stores what a cleanup finds", []step{
			{1, trace.Begin, "", 0}, {1, trace.AtomicStore, "x.f", flag}, {1, trace.End, "", 0},
			{0, trace.TestEnd, "", 0}, {0, trace.AtomicLoad, "x.TestX.func1", flag}, cleaned, over,
		}, false},
		{"a goroutine goes on when all is over", []step{
			{1, trace.Begin, "", 0}, {0, trace.TestEnd, "", 0}, cleaned, over,
			{1, trace.AtomicLoad, "x.f", flag}, {1, trace.End, "", 0},
		}, false},
		{"the test does something without effect on others when all is over", []step{
			{1, trace.Begin, "", 0}, {1, trace.End, "", 0}, {0, trace.TestEnd, "", 0}, cleaned, over,
			{0, trace.AtomicStore, "x.f", flag}, {0, trace.End, "", 0},
		}, true},
		{"both use the lock of what is logged", []step{
			{1, trace.Begin, "", 0}, {1, trace.Acquire, "testing.(*common).log", mutex}, {1, trace.Release, "testing.(*common).log", mutex}, {1, trace.End, "", 0},
			{0, trace.Acquire, "testing.tRunner", mutex}, {0, trace.Release, "testing.tRunner", mutex}, {0, trace.TestEnd, "", 0}, cleaned, over,
		}, true},
		{"both use a lock of their own", []step{
			{1, trace.Begin, "", 0}, {1, trace.Acquire, "x.f", mutex}, {1, trace.AtomicRMW, "x.f", flag}, {1, trace.Release, "x.f", mutex}, {1, trace.End, "", 0},
			{0, trace.TestEnd, "", 0}, {0, trace.Acquire, "x.TestX.func1", mutex}, {0, trace.AtomicLoad, "x.TestX.func1", flag}, {0, trace.Release, "x.TestX.func1", mutex}, cleaned, over,
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := reach.New("TestX")
			assert.True(t, p.Add(reach.Run{Trace: endingTest(c.steps...), Died: -1}))
			r := p.Search(100)
			assert.Empty(t, r.Doubts)
			assert.Equal(t, c.complete, r.Complete())
		})
	}
}
