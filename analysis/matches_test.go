package analysis_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// TestOracleOfMatches compares patterns of places with all interleavings. All accesses are at two
// places, so that there are more matches of them than the detectors hand over.
func TestOracleOfMatches(t *testing.T) {
	var patterns []anomaly.Pattern
	for _, p := range anomaly.Builtin() {
		if len(p.Events) > 2 {
			patterns = append(patterns, p)
		}
	}
	for _, shape := range []struct {
		name string
		tracetest.Config
	}{
		{"mutexes", tracetest.Config{Goroutines: 2, Events: 18, Sync: tracetest.Mutexes, Locks: 2, Locations: 1}},
		{"two variables", tracetest.Config{Goroutines: 2, Events: 18, Sync: tracetest.Mutexes, Locks: 2, Locations: 2}},
		{"readers", tracetest.Config{Goroutines: 3, Events: 9, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, Locations: 1, Unnested: true}},
		{"posts", tracetest.Config{Goroutines: 3, Events: 9, Sync: tracetest.Mutexes | tracetest.Posts | tracetest.LateForks, Locks: 1, Locations: 1}},
		{"channels", tracetest.Config{Goroutines: 3, Events: 10, Sync: tracetest.Mutexes | tracetest.Channels, Locks: 1, Locations: 2}},
	} {
		t.Run(shape.name, func(t *testing.T) {
			got, tiers := make(map[bug.Status]int), make(map[string]int)
			many, recorded, missed := 0, 0, 0
			for seed := range uint64(*programs / 10) {
				tr := tracetest.Random(seed, shape.Config)
				crowd(tr)
				o, err := order.New(tr)
				require.NoError(t, err)
				regions := anomaly.FindRegions(tr, o)
				all := make(map[string]bool) // by kind and places: some way to choose events is real
				for k := range patterns {
					for _, events := range matching(tr, o, regions, &patterns[k]) {
						key := keyOf(tr, patterns[k].Kind(), events)
						all[key] = all[key] || feasible.Reaches(tr, events)
					}
				}
				var tuples []anomaly.Tuple
				for _, a := range anomaly.Search(tr, o, regions, patterns, anomaly.MaxCombinations).Found {
					if !a.Exhaustive {
						tuples = append(tuples, a.Tuple())
					}
				}
				many += len(tuples)
				for k, b := 0, anomaly.NewMatchFinder(tr, o, regions, tuples); k < len(tuples); k++ {
					if sets, _ := b.MatchSets(k, math.MaxInt); slices.ContainsFunc(sets, func(b anomaly.MatchSet) bool {
						for range b.Recorded() {
							return true
						}
						return false
					}) {
						recorded++
					}
				}
				r, err := analysis.Predict(context.Background(), tr, analysis.Options{Kinds: []bug.Kind{bug.LockMisuse}, Patterns: patterns})
				require.NoError(t, err)
				for _, f := range r.Findings {
					if f.Pattern == nil {
						continue
					}
					got[f.Status]++
					tiers[f.Tier]++
					key := keyOf(tr, f.Kind, f.Accesses)
					assert.Equal(t, all[key], f.Status == bug.Predicted, "seed %d: %v %s of %v: %s", seed, f.Status, f.Pattern.Name, f.Accesses, f.Reason)
					assert.NotContains(t, f.Reason, "and there are more", "seed %d", seed)
					delete(all, key)
				}
				for _, real := range all {
					if real { // the search for candidates looks at the latest of each goroutine only
						missed++
					}
				}
			}
			t.Logf("%v, tiers %v; of %d patterns at places that have more matches than instances %d came in their order; %d are no candidates", got, tiers, many, recorded, missed)
			assert.Less(t, missed*20, got[bug.Predicted]+20)
		})
	}
}

// matching lists the events of tr that match a pattern in some order, and of which nothing must
// come before what the pattern has before it.
func matching(tr *trace.Trace, o *order.Order, regions *anomaly.Regions, p *anomaly.Pattern) (all [][]int) {
	var choose func(events []int)
	choose = func(events []int) {
		k := len(events)
		if k == len(p.Events) {
			all = append(all, slices.Clone(events))
			return
		}
		want := p.Events[k]
		for i := range tr.Events {
			e := &tr.Events[i]
			if !e.Kind.IsAccess() || want.Write != e.Kind.IsWrite() && e.Kind != trace.AtomicRMW {
				continue
			}
			if !slices.ContainsFunc(events, func(j int) bool {
				n := slices.Index(events, j)
				other, f := p.Events[n], &tr.Events[j]
				same := regions.Of(i) == regions.Of(j) && regions.Of(i) > 0
				return (f.G == e.G) != (other.Goroutine == want.Goroutine) || (f.Obj == e.Obj) != (other.Variable == want.Variable) ||
					same != (other.Region == want.Region) || o.Before(i, j)
			}) {
				choose(append(events, i))
			}
		}
	}
	choose(nil)
	return all
}

// keyOf is equal for what a report has as one finding.
func keyOf(tr *trace.Trace, kind bug.Kind, events []int) string {
	var sites []rune
	for _, i := range events {
		sites = append(sites, rune(tr.Events[i].Site))
	}
	slices.Sort(sites)
	return string(kind) + " " + string(sites)
}
