package reach_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/reach"
	"github.com/gopredict/gopredict/recorder/trace"
)

// receiving is a run whose test makes a channel and receives from it: element number val, or, if
// that is 0, that the channel is closed. No goroutine of the test sends or closes.
func receiving(val uint64) *trace.Trace {
	t := &trace.Trace{
		Goroutines: []trace.Goroutine{{ID: 0, Test: "TestX", Path: "0"}},
		Sites:      make(map[trace.SiteID]trace.Site), TestNames: []string{"TestX"}, Complete: true,
	}
	for k, e := range []trace.Event{
		{Kind: trace.TestBegin},
		{Kind: trace.ChanMake, Obj: 7},
		{Kind: trace.Recv, Obj: 7},
		{Kind: trace.RecvDone, Obj: 7, Val: val},
		{Kind: trace.TestEnd},
	} {
		e.Site = trace.SiteRewritten | trace.SiteID(k+1)
		t.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site), Func: "x.f", File: "/x/x.go", Line: k + 1}
		t.Events = append(t.Events, e)
	}
	return t
}

// Timers and others than goroutines of the test may send and close. What they send may come at
// any time, so that nobody says that everything was seen; what they have closed stays closed.
func TestChannelsOfOthers(t *testing.T) {
	for val, want := range map[uint64][]string{
		1: {"what comes of timers, or of others than goroutines of the test, comes at any time"},
		0: nil,
	} {
		p := reach.New("TestX")
		assert.True(t, p.Add(reach.Run{Trace: receiving(val), Died: -1}))
		r := p.Search(100)
		assert.Equal(t, want, r.Doubts, "element %d", val)
		assert.Empty(t, r.Next)
	}
}
