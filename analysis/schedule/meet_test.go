package schedule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// TestMeetFindsWhatConesFind compares the one cone of two goroutines that grows with the
// cones of all of their pairs: it comes to a schedule that the judge accepts where, with all
// reads as they were, some pair has one by itself. What the judge accepts is real.
func TestMeetFindsWhatConesFind(t *testing.T) {
	found, none, possible := 0, 0, 0
	for k, shape := range []tracetest.Config{
		{Goroutines: 3, Events: 9, Sync: tracetest.All, Locks: 2, Locations: 1},
		{Goroutines: 2, Events: 12, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, Locations: 1, Unnested: true},
		{Goroutines: 3, Events: 8, Sync: tracetest.Mutexes | tracetest.Channels | tracetest.LateForks, Locks: 1, Locations: 1},
	} {
		for seed := range uint64(*traces) {
			tr := tracetest.Random(seed, shape)
			o, p := plan(t, tr)
			judge := feasible.New(tr)
			real := feasible.Races(tr)
			rows := make(map[string][][2]int)
			for _, pair := range conflicts(tr, o) {
				a, b := tr.Events[pair[0]], tr.Events[pair[1]]
				if !a.Kind.IsAccess() {
					continue
				}
				if a.G > b.G {
					a, b = b, a
				}
				// The same rival kinds of accesses, under the same locks.
				key := fmt.Sprint(a.G, b.G, a.Obj, a.Kind, b.Kind, o.LockSet(pair[0]), o.LockSet(pair[1]))
				rows[key] = append(rows[key], pair)
			}
			for key, pairs := range rows {
				var lists [2][]int32
				alone, is := false, false // some pair has a cone of its own that the judge accepts
				for _, pair := range pairs {
					is = is || slices.Contains(real, pair)
					for _, i := range pair {
						of := 0
						if e := tr.Events[i]; e.G != min(tr.Events[pair[0]].G, tr.Events[pair[1]].G) {
							of = 1
						}
						if !slices.Contains(lists[of], int32(i)) {
							lists[of] = append(lists[of], int32(i))
						}
					}
					for s, r := range p.Race(pair[0], pair[1], nil, math.MaxInt).All() {
						alone = alone || r.Scheduler() == "cone" && slices.IsSorted(s.Steps) && judge.CheckFrom(s.From, s.Steps, pair[:]) == nil
					}
				}
				slices.Sort(lists[0])
				slices.Sort(lists[1])
				met := false
				for s, r := range p.Meet(lists[0], lists[1], o.BeforeReached, math.MaxInt) {
					if judge.CheckFrom(s.From, s.Steps, r.Accesses) != nil {
						continue
					}
					met = true
					if !slices.Contains(real, [2]int(r.Accesses)) {
						t.Fatalf("shape %d, seed %d: %v is no race: %v", k, seed, r.Accesses, s)
					}
				}
				if alone && !met {
					t.Errorf("shape %d, seed %d, %s: nothing met of %v", k, seed, key, pairs)
				}
				if is {
					possible++
				}
				if met {
					found++
				} else {
					none++
				}
			}
		}
	}
	t.Logf("of %d rows with a race %d are met, %d have none", possible, found, none)
	if found < *traces/2 || none < *traces/2 {
		t.Errorf("%d rows with a race, %d without", found, none)
	}
}
