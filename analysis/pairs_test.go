package analysis_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// TestOracleOfPairs compares races of places with all interleavings. All accesses are at two
// places, so that there are more pairs of them than the detectors hand over.
func TestOracleOfPairs(t *testing.T) {
	for _, shape := range []struct {
		name string
		tracetest.Config
	}{
		{"mutexes", tracetest.Config{Goroutines: 3, Events: 9, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, Locations: 1, Unnested: true}},
		{"posts", tracetest.Config{Goroutines: 3, Events: 9, Sync: tracetest.Mutexes | tracetest.Posts | tracetest.LateForks, Locks: 1, Locations: 1}},
		{"channels", tracetest.Config{Goroutines: 3, Events: 8, Sync: tracetest.Mutexes | tracetest.Channels, Locks: 1, Locations: 1}},
		{"two goroutines", tracetest.Config{Goroutines: 2, Events: 18, Sync: tracetest.Mutexes | tracetest.Posts, Locks: 1, Locations: 1}},
		{"all", tracetest.Config{Goroutines: 3, Events: 9, Sync: tracetest.All, Locks: 2, Locations: 2}},
	} {
		t.Run(shape.name, func(t *testing.T) {
			got := make(map[bug.Status]int)
			tiers := make(map[string]int)
			for seed := range uint64(*programs) {
				tr := tracetest.Random(seed, shape.Config)
				crowd(tr)
				o, err := order.New(tr)
				require.NoError(t, err)
				real := make(map[[2]trace.SiteID]bool)
				for _, pair := range feasible.Races(tr) {
					a, b := &tr.Events[pair[0]], &tr.Events[pair[1]]
					if a.Kind.IsAccess() && b.Kind.IsAccess() && !o.BeforeReached(pair[0], pair[1]) {
						real[sitesOf(tr, pair[:])] = true
					}
				}
				r, err := analysis.Predict(context.Background(), tr, analysis.Options{Kinds: []bug.Kind{bug.Race}})
				require.NoError(t, err)
				for _, f := range r.Findings {
					if !tr.Events[f.Accesses[0]].Kind.IsAccess() || !tr.Events[f.Accesses[1]].Kind.IsAccess() {
						continue
					}
					got[f.Status]++
					tiers[f.Tier]++
					is := real[sitesOf(tr, f.Accesses)]
					delete(real, sitesOf(tr, f.Accesses))
					assert.Equal(t, is, f.Status == bug.Predicted, "seed %d: %v of %v: %s", seed, f.Status, f.Accesses, f.Reason)
					assert.NotContains(t, f.Reason, "and there are more", "seed %d", seed)
				}
				assert.Empty(t, real, "seed %d: no candidates", seed)
			}
			t.Log(got, tiers)
		})
	}
}

// TestAllPairs: of two places the detectors hand over the nearest pairs, none of which can
// be, as the flag has one writer.
func TestAllPairs(t *testing.T) {
	near := strings.Repeat("1 w x @6\n1 post a\n", 12) + "1 w flag=1\n2 r flag=1\n" + strings.Repeat("2 w x @5\n2 post b\n", 12)
	apart := strings.Repeat("1 w y @7\n", 50)
	for _, test := range []struct {
		name, text string
		status     bug.Status
		accesses   []int
		reason     string
	}{
		{"the farthest can be", "2 w x @5\n" + apart + near, bug.Predicted, []int{0, 51}, ""},
		{"none can be", apart + near, bug.Undecided, []int{72, 76}, "in each run of the recorded events, but x may find something else (read at test.go:76)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := analysis.Predict(context.Background(), tracetest.Parse(t, test.text), analysis.Options{Kinds: []bug.Kind{bug.Race}})
			require.NoError(t, err)
			k := slices.IndexFunc(r.Findings, func(f analysis.Finding) bool { return f.Sites[0] != f.Sites[1] && f.Sites[0]&^trace.SiteRewritten >= 5 })
			require.GreaterOrEqual(t, k, 0, "%v", r.Findings)
			f := r.Findings[k]
			assert.Equal(t, test.status, f.Status, "%v", f)
			assert.Equal(t, test.accesses, f.Accesses)
			assert.Contains(t, f.Reason, test.reason)
			assert.Equal(t, test.status == bug.Undecided, f.Refuted)
		})
	}
}

// crowd gives all accesses of a kind one place, at which each read matters.
func crowd(tr *trace.Trace) {
	for i := range tr.Events {
		if e := &tr.Events[i]; e.Kind.IsAccess() {
			e.Site = trace.SiteID(1000 + int(e.Kind))
			tr.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site), Func: e.Kind.String(), Line: 1}
		}
	}
}

// sitesOf returns the sites of two accesses, ascending.
func sitesOf(tr *trace.Trace, accesses []int) [2]trace.SiteID {
	sites := [2]trace.SiteID{tr.Events[accesses[0]].Site, tr.Events[accesses[1]].Site}
	slices.Sort(sites[:])
	return sites
}
