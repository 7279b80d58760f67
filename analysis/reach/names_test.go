package reach_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/reach"
	"github.com/gopredict/gopredict/recorder/trace"
)

// pointing is a run of a goroutine that finds an address where nobody has stored one since
// the test began, and counts up what is there.
func pointing(variable, target uint64) *trace.Trace {
	t := &trace.Trace{
		Goroutines: []trace.Goroutine{{ID: 0, Test: "TestX", Path: "0"}, {ID: 1, Test: "TestX", Path: "0.1"}},
		Sites:      make(map[trace.SiteID]trace.Site), TestNames: []string{"TestX"}, Complete: true,
	}
	for k, e := range []trace.Event{
		{Kind: trace.TestBegin},
		{Kind: trace.Fork, Obj: 1},
		{Kind: trace.Begin, G: 1},
		{Kind: trace.Read, G: 1, Obj: variable, Val: target, Size: 8, Flags: trace.FlagValue},
		{Kind: trace.AtomicRMW, G: 1, Obj: target, Val: 1, Size: 4, Flags: trace.FlagValue},
		{Kind: trace.End, G: 1},
		{Kind: trace.TestEnd},
	} {
		e.Site = trace.SiteRewritten | trace.SiteID(k+1)
		t.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site), Func: "x.f", File: "/x/x.go", Line: k + 1}
		t.Events = append(t.Events, e)
	}
	return t
}

// What was there before the test has another address in each run, and so is found what
// nobody has stored: it is the same all the same.
func TestAddressesFromBefore(t *testing.T) {
	p := reach.New("TestX")
	require.True(t, p.Add(reach.Run{Trace: pointing(0xc0000100a8, 0xc000028388), Died: -1}))
	require.False(t, p.Add(reach.Run{Trace: pointing(0xc0000740c8, 0xc000091290), Died: -1}))
	r := p.Search(100)
	require.True(t, r.Complete(), r.Doubts)
	require.Equal(t, 1, r.Behaviours)
}

// Of a slice a replay knows the length where a recording knows nothing, and two of one length
// need not be the same.
func TestLengthsAreNoValues(t *testing.T) {
	slice := func(flags trace.Flags) *trace.Trace {
		tr := pointing(0xc0000100a8, 0xc000028388)
		for i, e := range tr.Events {
			if e.Kind == trace.Read {
				tr.Events[i] = trace.Event{Kind: trace.Write, G: e.G, Site: e.Site, Obj: e.Obj, Val: 1, Size: 24, Flags: flags}
			}
		}
		return tr
	}
	p := reach.New("TestX")
	require.True(t, p.Add(reach.Run{Trace: slice(0), Died: -1}))
	require.False(t, p.Add(reach.Run{Trace: slice(trace.FlagValue), Died: -1}))
	r := p.Search(100)
	require.True(t, r.Complete(), r.Doubts)
}
