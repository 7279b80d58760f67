package feasible_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Conditions that are marked at what comes next decide as much as those that are events.
func TestBranched(t *testing.T) {
	marked, found, refused := 0, 0, 0
	for seed := range uint64(150) {
		tr := tracetest.Random(seed, tracetest.Config{
			Goroutines: 3, Events: 9, Sync: tracetest.Mutexes | tracetest.Atomics, Locks: 1, Locations: 2, Counters: seed%2 == 0,
		})
		branched, at := tracetest.WithoutBranches(tr)
		marked += len(tr.Events) - len(branched.Events)
		want := feasible.Races(tr)
		var got [][2]int
		for _, r := range feasible.Races(branched) {
			got = append(got, [2]int{at[r[0]], at[r[1]]})
		}
		assert.Equal(t, want, got, "seed %d", seed)
		found += len(got)
		for i := range branched.Events {
			branched.Events[i].Flags &^= trace.FlagBranchOmitted
		}
		refused += len(feasible.Races(branched)) - len(got)
	}
	assert.Greater(t, marked, 50)
	assert.Greater(t, found, 50)
	assert.Greater(t, refused, 5, "conditions decide little: nothing is tested")
}
