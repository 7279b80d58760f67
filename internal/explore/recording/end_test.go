package recording

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

// TestSeveralTimes: a test that runs several times has an end each time, and fails if one of them
// does.
func TestSeveralTimes(t *testing.T) {
	for name, failed := range map[string]uint64{"passes": 0, "fails the second time": 1} {
		tr := &trace.Trace{
			Goroutines: []trace.Goroutine{{ID: 0, Test: "TestA", Path: "0"}, {ID: 1, Test: "TestA#2", Path: "0"}},
			TestNames:  []string{"TestA", "TestA/sub"}, Complete: true,
			Events: []trace.Event{{G: 0, Kind: trace.TestEnd}, {G: 1, Kind: trace.TestEnd, Obj: 1, Val: 1 - failed}, {G: 1, Kind: trace.TestEnd, Val: failed}},
		}
		assert.Equal(t, failed != 0, len(FailedTests(tr)) > 0, name)
		culprits, over := EndedBy(tr)
		assert.Empty(t, culprits, name)
		assert.Equal(t, []string{"TestA"}, slices.Compact(over), name)
	}
}

// TestEndedBy: who has ended a run, whose tests were over, and where a test has failed.
func TestEndedBy(t *testing.T) {
	const testing, own = 1, 2
	sites := map[trace.SiteID]trace.Site{testing: {Func: "testing.tRunner"}, own: {Func: "m.TestA"}}
	names := []string{"TestA", "TestB", "TestC"}
	goroutines := []trace.Goroutine{
		{ID: 0, Test: "TestA", Path: "0"}, {ID: 1, Test: "TestB", Path: "0"}, {ID: 2, Test: "TestC", Path: "0"}, {ID: 3, Path: "main.1"},
	}
	end := func(g trace.GID, failed uint64) trace.Event {
		return trace.Event{G: g, Kind: trace.TestEnd, Obj: uint64(g), Val: failed}
	}
	at := func(g trace.GID, k trace.Kind, site trace.SiteID) trace.Event {
		return trace.Event{G: g, Kind: k, Site: site}
	}
	for _, c := range []struct {
		name           string
		events         []trace.Event
		complete       bool
		limit          uint64
		failing        []string
		culprits, over []string
		where          int // of TestB; -1: nowhere
	}{
		{"passed", []trace.Event{end(0, 0), end(1, 0), end(2, 0)}, true, 0, nil, nil, names, -1},
		{"failed", []trace.Event{end(0, 0), at(1, trace.Assert, own), at(1, trace.Assert, testing), end(1, 1), end(2, 0)}, true, 0, []string{"TestB"}, nil, names, 1},
		{"panics after its end", []trace.Event{end(0, 0), at(1, trace.Panic, own), end(1, 0), at(1, trace.Panic, testing)}, false, 0, []string{"TestB", "TestC"}, []string{"TestB"}, []string{"TestA"}, 1},
		{"recovers", []trace.Event{end(0, 0), at(1, trace.Panic, own), at(1, trace.Recover, own), at(1, trace.Release, own)}, false, 0, []string{"TestB", "TestC"}, []string{"TestB"}, []string{"TestA"}, 3},
		{"exits", []trace.Event{at(0, trace.Read, own), at(1, trace.Assert, own), at(0, trace.Read, own)}, true, 0, names, []string{"TestB"}, nil, 1},
		{"time over", []trace.Event{end(0, 0), at(1, trace.Read, own), at(3, trace.Panic, testing)}, false, 0, []string{"TestB", "TestC"}, []string{"TestB", "TestC"}, []string{"TestA"}, -1},
		{"failed, and another panics", []trace.Event{at(1, trace.Assert, own), end(1, 1), at(2, trace.Panic, own)}, false, 0, names, []string{"TestC"}, []string{"TestB"}, 0},
		{"recording stops", []trace.Event{end(0, 0), at(1, trace.Assert, own), end(1, 1), at(2, trace.Read, own)}, false, 1 << 20, []string{"TestB"}, nil, nil, 1},
	} {
		tr := &trace.Trace{Goroutines: goroutines, TestNames: names, Sites: sites, Events: c.events, Complete: c.complete, Meta: trace.Meta{Limit: c.limit}}
		culprits, over := EndedBy(tr)
		assert.Equal(t, c.culprits, culprits, c.name)
		assert.Equal(t, c.failing, FailedTests(tr), c.name)
		assert.Equal(t, c.over, over, c.name)
		where, found := FailurePosition(tr, "TestB")
		if assert.Equal(t, c.where >= 0, found, c.name); found {
			assert.Equal(t, c.where, where, c.name)
		}
	}
}
