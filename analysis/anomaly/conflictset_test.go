package anomaly_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// TestConflictSetsHaveAllPairs compares rows with all pairs of events, one by one. The events of a
// trace have few places: a candidate has many pairs.
func TestConflictSetsHaveAllPairs(t *testing.T) {
	all := 0
	for seed := range uint64(400) {
		tr := tracetest.Random(seed, tracetest.Config{Goroutines: 4, Events: 25, Sync: tracetest.All &^ tracetest.Channels, Locks: 2, Locations: 2, Unnested: true, HandOver: true})
		classAccesses(tr)
		o, r := find(t, tr)
		var places [][2]uint64
		for _, c := range r.Candidates {
			places = append(places, c.Places)
		}
		for k, rows := range anomaly.ConflictSetsAt(tr, o, places) {
			var got [][2]int
			n := 0
			for _, row := range rows {
				got = row.AppendPairs(got, o, len(tr.Events)*len(tr.Events))
				n += row.CountPairs(o)
				checkNear(t, row, o)
			}
			want := meeting(tr, o, places[k])
			slices.SortFunc(got, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
			if !slices.Equal(got, want) || n != len(want) {
				t.Fatalf("seed %d, places %x: %d pairs %v, want %v", seed, places[k], n, got, want)
			}
			all += n
		}
	}
	if all < 10_000 {
		t.Errorf("only %d pairs came up", all)
	}
}

// checkNear checks that the nearest pair of a row that may meet is among its neighbours.
func checkNear(t *testing.T, row anomaly.ConflictSet, o *order.Order) {
	t.Helper()
	all := row.AppendPairs(nil, o, math.MaxInt)
	nearer := func(a, b [2]int) int { return cmp.Compare(a[1]-a[0], b[1]-b[0]) }
	near := slices.DeleteFunc(slices.Collect(row.AdjacentPairs()), func(pair [2]int) bool { return !slices.Contains(all, pair) })
	for _, pair := range all {
		between := func(i int32) bool { return pair[0] < int(i) && int(i) < pair[1] }
		if !slices.ContainsFunc(row.First, between) && !slices.ContainsFunc(row.Second, between) && !slices.Contains(near, pair) {
			t.Fatalf("neighbours %v of %v lack %v", near, row, pair)
		}
	}
	if len(near) > 0 && slices.MinFunc(all, nearer) != slices.MinFunc(near, nearer) {
		t.Fatalf("of %v the nearest is not among %v", all, near)
	}
}

// crowd gives all events of a kind that goroutines of even number do one place, and those
// of others another.
func classAccesses(tr *trace.Trace) {
	for i := range tr.Events {
		e := &tr.Events[i]
		e.Site = trace.SiteID(2*int(e.Kind) + int(e.G)%2)
		tr.Sites[e.Site] = trace.Site{ID: e.Site, Key: uint64(e.Site)}
	}
}

// meeting lists the pairs that may race at two places, ascending.
func meeting(tr *trace.Trace, o *order.Order, places [2]uint64) (pairs [][2]int) {
	how, at := make(map[int32]order.Access), make(map[int32][2]int32)
	groups := o.Groups()
	for k := range groups {
		for n, i := range groups[k].Events {
			how[i], at[i] = groups[k].Accesses[n], [2]int32{int32(k), groups[k].LocationOf[n]}
		}
	}
	for i := range tr.Events {
		for j := i + 1; j < len(tr.Events); j++ {
			a, b := int32(i), int32(j)
			sites := [2]uint64{uint64(tr.Events[i].Site), uint64(tr.Events[j].Site)}
			if slices.Sort(sites[:]); sites != places || tr.Events[i].G == tr.Events[j].G || at[a][0] != at[b][0] || how[a] == 0 && how[b] == 0 || !how[a].Conflicts(how[b]) {
				continue
			}
			if !groups[at[a][0]].Overlaps.Share(at[a][1], at[b][1]) || o.Exclude(o.LockSet(i), o.LockSet(j)) || o.BeforeReached(i, j) {
				continue
			}
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}
