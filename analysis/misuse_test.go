package analysis_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Misuse is predicted exactly where the enumeration of all interleavings comes to it: a send
// to or close of what is closed, a Done below zero, an unlock of what is not locked; or two
// operations that meet, of which one must have been over.
func TestMisuseOracle(t *testing.T) {
	for name, shape := range map[string]tracetest.Config{
		"channels":    {Goroutines: 3, Events: 7, Sync: tracetest.Channels | tracetest.Mutexes, Locks: 1},
		"selects":     {Goroutines: 3, Events: 8, Sync: tracetest.Channels},
		"WaitGroups":  {Goroutines: 3, Events: 6, Sync: tracetest.WaitGroups | tracetest.Mutexes, Locks: 1},
		"groups":      {Goroutines: 4, Events: 5, Sync: tracetest.WaitGroups},
		"handed over": {Goroutines: 3, Events: 8, Sync: tracetest.Mutexes | tracetest.Posts, Locks: 2, HandOver: true},
		"readers":     {Goroutines: 3, Events: 6, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 1, HandOver: true},
	} {
		t.Run(name, func(t *testing.T) {
			predicted, open := 0, 0
			for seed := range uint64(*programs) {
				p, u := misuse(t, seed, tracetest.Random(seed, shape))
				predicted, open = predicted+p, open+u
			}
			t.Logf("%d predicted, %d undecided", predicted, open)
			assert.NotZero(t, predicted)
		})
	}
}

// misuse compares what is predicted for a program with all of its interleavings, and returns
// how much is predicted and undecided.
func misuse(t *testing.T, seed uint64, tr *trace.Trace) (predicted, undecided int) {
	t.Helper()
	shown := make(map[trace.SiteID]bool)
	races := feasible.Races(tr)
	for _, f := range ofKinds(t, tr, bug.Channel, bug.WaitGroup, bug.LockMisuse).Findings {
		for _, s := range f.Sites {
			shown[s] = shown[s] || f.Status == bug.Predicted
		}
		switch {
		case f.Status == bug.Undecided:
			undecided++
		case f.Status != bug.Predicted:
		case len(f.Accesses) == 1:
			predicted++
			assert.True(t, feasible.Fails(tr, f.Accesses[0]), "seed %d: %v is no misuse", seed, f.Accesses)
		default:
			predicted++
			pair := [2]int(slices.Sorted(slices.Values(f.Accesses)))
			assert.Contains(t, races, pair, "seed %d", seed)
		}
	}
	for i := range tr.Events {
		if misusable(tr, i) && feasible.Fails(tr, i) {
			assert.True(t, shown[tr.Events[i].Site], "seed %d: misuse at %d is not predicted", seed, i)
		}
	}
	return predicted, undecided
}

// misusable reports whether event i can be misuse, and was none in the recorded run.
func misusable(tr *trace.Trace, i int) bool {
	e := &tr.Events[i]
	for _, next := range tr.Events[i+1:] {
		if next.G == e.G {
			if next.Kind == trace.Panic {
				return false
			}
			break
		}
	}
	switch e.Kind {
	case trace.Send, trace.SelectSend, trace.Close:
		return e.Obj != 0
	case trace.WaitGroupAdd:
		return int64(e.Val) < 0
	case trace.Release, trace.RRelease:
		return true
	}
	return false
}
