package analysis_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// TestRacyEventsAreThoseOfAllInterleavings compares the racy events of small traces with what all
// interleavings of these show.
func TestRacyEventsAreThoseOfAllInterleavings(t *testing.T) {
	racy, undecided := 0, 0
	for k, shape := range []tracetest.Config{
		{Goroutines: 3, Events: 10, Sync: tracetest.Mutexes, Locks: 2, Locations: 2},
		{Goroutines: 3, Events: 9, Sync: tracetest.All, Locks: 2, Locations: 1},
		{Goroutines: 2, Events: 14, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, Locations: 1, Unnested: true},
	} {
		for seed := range uint64(100) {
			tr := tracetest.Random(seed, shape)
			second := make(map[int]bool)
			for _, pair := range feasible.Races(tr) {
				if tr.Events[pair[0]].Kind.IsAccess() {
					second[pair[1]] = true
				}
			}
			r, err := analysis.FindRacyEvents(t.Context(), tr, analysis.Options{})
			require.NoError(t, err)
			judge := feasible.New(tr)
			for _, e := range r.Events {
				assert.True(t, second[e.Event], "shape %d, seed %d: event %d is in no race", k, seed, e.Event)
				s := e.Recipe.Schedule()
				assert.NoError(t, judge.CheckFrom(s.From, s.Steps, []int{e.Earlier, e.Event}), "shape %d, seed %d", k, seed)
			}
			racy += len(r.Events)
			undecided += r.Undecided
			if r.Undecided == 0 {
				assert.Len(t, r.Events, len(second), "shape %d, seed %d: %v", k, seed, second)
			}
		}
	}
	t.Logf("%d racy events, %d undecided", racy, undecided)
	assert.Greater(t, racy, 500)
	assert.Less(t, undecided, racy/50)
}
