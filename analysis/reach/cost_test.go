package reach_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/reach"
	"github.com/gopredict/gopredict/recorder/trace"
)

// counting returns a run in which two goroutines write to the same memory in turns, after the test has
// written to many other places.
func counting(places int) *trace.Trace {
	t := &trace.Trace{
		TestNames: []string{"TestX"},
		Goroutines: []trace.Goroutine{
			{ID: 0, Path: "0", Test: "TestX"}, {ID: 1, Parent: 0, Path: "0.1", Test: "TestX"}, {ID: 2, Parent: 0, Path: "0.2", Test: "TestX"},
		},
		Sites: make(map[trace.SiteID]trace.Site), Complete: true,
	}
	add := func(e trace.Event) {
		e.Site = trace.SiteRewritten | trace.SiteID(len(t.Events)+1)
		t.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site), Func: "x.f", File: "/x/x.go", Line: len(t.Events) + 1}
		t.Events = append(t.Events, e)
	}
	write := func(g uint64, at, val int) {
		add(trace.Event{Kind: trace.Write, G: trace.GID(g), Obj: 0xc000010000 + uint64(at)*64, Val: uint64(val), Size: 8, Flags: trace.FlagValue})
	}
	add(trace.Event{Kind: trace.TestBegin, G: 0})
	for k := range places {
		write(0, k+1, 1)
	}
	for g := uint64(1); g <= 2; g++ {
		add(trace.Event{Kind: trace.Fork, G: 0, Obj: g})
	}
	for g := trace.GID(1); g <= 2; g++ {
		add(trace.Event{Kind: trace.Begin, G: g})
	}
	for k := range 6 {
		for g := uint64(1); g <= 2; g++ {
			write(g, 0, 10*int(g)+k)
		}
	}
	for g := trace.GID(1); g <= 2; g++ {
		add(trace.Event{Kind: trace.End, G: g})
	}
	add(trace.Event{Kind: trace.TestEnd})
	return t
}

// States of much memory cost more, as each is a copy: a search of few of them takes as long as one of many
// small ones.
func TestLargeStates(t *testing.T) {
	for places, complete := range map[int]bool{1: true, 5_000: false} {
		p := reach.New("TestX")
		require.True(t, p.Add(reach.Run{Trace: counting(places), Died: -1}))
		r := p.Search(200)
		require.Equal(t, complete, len(r.Doubts) == 0, "%d places: cost %d, %v", places, r.Cost, r.Doubts)
	}
}
