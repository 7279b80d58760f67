package symbolic

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// counting is the trace of 8 goroutines that each add n times to one counter, and decide by
// what they find; equal says that all find the same.
func counting(n int, equal bool) *trace.Trace {
	const goroutines, counter = 8, 0x1000
	tr := &trace.Trace{Sites: map[trace.SiteID]trace.Site{0: {}}}
	for g := range trace.GID(goroutines) {
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: g, Parent: g, Path: fmt.Sprint(g)})
	}
	for k := range n * goroutines {
		g, v := trace.GID(k%goroutines), uint64(k)
		if equal {
			v = 1
		}
		tr.Events = append(tr.Events,
			trace.Event{Kind: trace.AtomicRMW, G: g, Obj: counter, Size: 8, Val: v, Flags: trace.FlagValue},
			trace.Event{Kind: trace.Branch, G: g, Val: 0})
	}
	return tr
}

// The cone of a counter costs in proportion to the events, not to their pairs.
func TestConeOfCounter(t *testing.T) {
	work := func(n int, equal bool) int64 {
		tr := counting(n, equal)
		o, err := order.New(tr)
		require.NoError(t, err)
		m := New(tr, o)
		c := m.cones.closure(0, nil, func(int32) bool { return false }, true)
		c.add(int32(len(tr.Events) - 1))
		c.addDependencies()
		assert.Equal(t, len(tr.Events)-7, c.followed, "all but what the others decide last")
		return c.steps
	}
	for _, equal := range []bool{false, true} {
		few, many := work(250, equal), work(2000, equal)
		assert.Less(t, many, 10*few, "equal %v", equal)
	}
}

// A cone of several targets has the events that happen in runs to any of them.
func TestLimitsOfSeveralTargets(t *testing.T) {
	both := limits{1: 5, 2: 7}.intersect(limits{1: 9, 3: 4})
	assert.Equal(t, limits{1: 9}, both)
	assert.True(t, both.allows(1, 8))
	assert.False(t, both.allows(1, 9))
	assert.True(t, both.allows(2, 7))
	assert.EqualValues(t, never, both.end(3))
}
