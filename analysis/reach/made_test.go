package reach_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/reach"
	"github.com/gopredict/gopredict/recorder/trace"
)

// makingTest is a run of two goroutines of which each, in the order given, makes an object of eight bytes and
// counts up a number in it. The objects are at the addresses given, by goroutine.
func makingTest(order []trace.GID, addresses map[trace.GID]uint64, tells bool) *trace.Trace {
	var steps []step
	for _, g := range order {
		steps = append(steps, step{g, trace.Begin, "", 0}, step{g, trace.AtomicRMW, "x.f", addresses[g]}, step{g, trace.End, "", 0})
	}
	t := endingTest(append([]step{{0, trace.Fork, "x.TestX", 2}}, append(steps, step{0, trace.TestEnd, "", 0})...)...)
	t.Goroutines = append(t.Goroutines, trace.Goroutine{ID: 2, Test: "TestX", Path: "0.2"})
	made := make(map[trace.GID]bool)
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind == trace.AtomicRMW {
			e.Val = 1
			if !made[e.G] && tells {
				made[e.G] = true
				t.Allocations = append(t.Allocations, trace.Allocation{Addr: e.Obj, Type: 7, G: e.G, Position: int32(i)})
			}
		}
		e.Site = trace.SiteRewritten | trace.SiteID(e.Kind)<<4 | trace.SiteID(e.G)
		t.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site), Func: "x.f", File: "/x/x.go", Line: int(e.Kind)}
	}
	return t
}

// Which object is the same in two runs follows from who has made it, not from where it is: also if they
// lie side by side in the order in which they were made, or are where others were.
func TestNamesOfMadeObjects(t *testing.T) {
	const a, b = 0xc000012000, 0xc000012008
	p := reach.New("TestX")
	require.True(t, p.Add(reach.Run{Trace: makingTest([]trace.GID{1, 2}, map[trace.GID]uint64{1: a, 2: b}, true), Died: -1}))
	assert.False(t, p.Add(reach.Run{Trace: makingTest([]trace.GID{2, 1}, map[trace.GID]uint64{2: a, 1: b}, true), Died: -1}))
	assert.False(t, p.Add(reach.Run{Trace: makingTest([]trace.GID{2, 1}, map[trace.GID]uint64{2: b, 1: b + 4}, true), Died: -1}))
	r := p.Search(100)
	assert.True(t, r.Complete(), r.Doubts)
	assert.Equal(t, 1, r.Behaviours)
}

// A run that does not tell what it has made, or not to the end, is not comparable with others.
func TestUnknownMaking(t *testing.T) {
	run := func(tells bool) *trace.Trace {
		return makingTest([]trace.GID{1, 2}, map[trace.GID]uint64{1: 0xc000012000, 2: 0xc000012008}, tells)
	}
	doubts := []string{"not all objects that a run has made are known"}
	p := reach.New("TestX")
	p.Add(reach.Run{Trace: run(true), Died: -1})
	p.Add(reach.Run{Trace: run(false), Died: -1})
	assert.Equal(t, doubts, p.Search(100).Doubts)
	p = reach.New("TestX")
	cut := run(true)
	cut.Allocations = append(cut.Allocations, trace.Allocation{})
	p.Add(reach.Run{Trace: cut, Died: -1})
	assert.Equal(t, doubts, p.Search(100).Doubts)
}
