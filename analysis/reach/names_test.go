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
	require.True(t, r.Complete(), r.Open)
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
	require.True(t, r.Complete(), r.Open)
}

// meeting is a run of two goroutines, each of which counts up what is at an address that nobody
// has stored, with a lock beside it, if the test's goroutine has told it so before. Order says
// whose turn it is: the test's has two, one for each.
func meeting(at [3]uint64, order ...trace.GID) *trace.Trace {
	t := &trace.Trace{
		Goroutines: []trace.Goroutine{{ID: 0, Test: "TestX", Path: "0"}, {ID: 1, Test: "TestX", Path: "0.1"}, {ID: 2, Test: "TestX", Path: "0.2"}},
		Sites:      make(map[trace.SiteID]trace.Site), TestNames: []string{"TestX"}, Complete: true,
	}
	emit := func(line int, e trace.Event) {
		e.Site = trace.SiteRewritten | trace.SiteID(line)
		t.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site), Func: "x.f", File: "/x/x.go", Line: line}
		t.Events = append(t.Events, e)
	}
	stored := make(map[uint64]uint64)
	count := func(line int, g trace.GID, obj uint64) uint64 {
		stored[obj]++
		emit(line, trace.Event{Kind: trace.AtomicRMW, G: g, Obj: obj, Val: stored[obj], Size: 8, Flags: trace.FlagValue})
		return stored[obj]
	}
	emit(1, trace.Event{Kind: trace.TestBegin})
	for g := trace.GID(1); g <= 2; g++ {
		emit(2, trace.Event{Kind: trace.Fork, Obj: uint64(g)})
		emit(3, trace.Event{Kind: trace.Begin, G: g})
	}
	told := trace.GID(0)
	for _, g := range order {
		if g == 0 {
			told++
			count(4, g, 0x1000*uint64(told))
			continue
		}
		if count(5, g, 0x1000*uint64(g)) == 2 {
			emit(6, trace.Event{Kind: trace.Acquire, G: g, Obj: at[g] + 1<<20})
			count(7, g, at[g])
			emit(8, trace.Event{Kind: trace.Release, G: g, Obj: at[g] + 1<<20})
		}
		emit(9, trace.Event{Kind: trace.End, G: g})
	}
	emit(10, trace.Event{Kind: trace.TestEnd})
	return t
}

// What is at another address in each run has a name for each goroutine that was the only one
// there, until a run shows that it is one; two that a run has at different addresses stay two.
func TestUnitedNames(t *testing.T) {
	const a, b, c, d = 0xc000010000, 0xc000020000, 0xc000030000, 0xc000040000
	both := func(at [3]uint64) *trace.Trace { return meeting(at, 0, 0, 1, 2) }
	for _, its := range []struct {
		runs []*trace.Trace
		one  bool
	}{
		{[]*trace.Trace{both([3]uint64{0, c, c})}, true},
		{[]*trace.Trace{both([3]uint64{0, a, a})}, true},
		{[]*trace.Trace{both([3]uint64{0, c, c}), both([3]uint64{0, d, d})}, true},
		{[]*trace.Trace{both([3]uint64{0, c, d}), both([3]uint64{0, c, c})}, false},
	} {
		p := reach.New("TestX")
		p.Add(reach.Run{Trace: meeting([3]uint64{0, a, a}, 0, 1, 2, 0), Died: -1})
		p.Add(reach.Run{Trace: meeting([3]uint64{0, b, b}, 1, 0, 0, 2), Died: -1})
		for _, r := range its.runs {
			p.Add(reach.Run{Trace: r, Died: -1})
		}
		r := p.Search(100)
		require.Equal(t, its.one, len(r.Open) == 0, r.Open)
		if its.one {
			require.NotEmpty(t, r.Next, "the other order of both")
		}
	}
}
