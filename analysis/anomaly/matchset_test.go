package anomaly_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

var seeds = flag.Int("seeds", 60, "random traces of which sets are compared with all ways to choose events")

// TestMatchSetsHaveAllMatches compares sets with all ways to choose events, one by one: each has
// a match in a set that is shown wherever it is, and each match is a way to choose events. The
// events of a trace have few places: a pattern has many matches there.
func TestMatchSetsHaveAllMatches(t *testing.T) {
	all, recorded := 0, 0
	for seed := range uint64(*seeds) {
		tr := tracetest.Random(seed, tracetest.Config{Goroutines: 3, Events: 20, Sync: tracetest.Mutexes | tracetest.RWMutexes | tracetest.Posts | tracetest.Atomics, Locks: 2, Locations: 2, Unnested: true})
		classAccesses(tr)
		o, err := order.New(tr)
		if err != nil {
			t.Fatal(err)
		}
		regions := anomaly.FindRegions(tr, o)
		found := anomaly.Search(tr, o, regions, anomaly.Builtin(), anomaly.MaxCombinations).Found
		var tuples []anomaly.Tuple
		for _, a := range found {
			tuples = append(tuples, a.Tuple())
		}
		b := anomaly.NewMatchFinder(tr, o, regions, tuples)
		for k, tuple := range tuples {
			want := chosen(tr, o, regions, tuple)
			var got [][]int
			if _, whole := b.MatchSets(k, 1); whole && len(want) > 0 {
				t.Fatalf("seed %d: a match is of more than one access", seed)
			}
			sets, whole := b.MatchSets(k, math.MaxInt)
			if !whole {
				t.Fatalf("seed %d: not all was looked at", seed)
			}
			for _, set := range sets {
				for events := range set.Matches(o) {
					got = append(got, events)
					if !slices.ContainsFunc(want, func(w []int) bool { return slices.Equal(w, events) }) {
						t.Fatalf("seed %d: %s %v does not match", seed, tuple.Pattern.Name, events)
					}
				}
				for events := range set.Recorded() {
					recorded++
					if !slices.IsSorted(events) {
						t.Fatalf("seed %d: %v came in another order", seed, events)
					}
				}
			}
			for _, w := range want {
				if !slices.ContainsFunc(got, func(g []int) bool { return shows(tuple.Pattern, w, g) }) {
					t.Fatalf("seed %d: %s %v is in no set: %v", seed, tuple.Pattern.Name, w, got)
				}
			}
			all += len(want)
		}
	}
	if all < 40**seeds || recorded < 5**seeds {
		t.Errorf("only %d matches came up, %d in their order", all, recorded)
	}
}

// shows reports whether each run that has the events of w in their order has those of g in theirs:
// the first one of these may be earlier in its goroutine, and where two of another goroutine come
// one after the other, the first of them later.
func shows(p *anomaly.Pattern, w, g []int) bool {
	for k := range w {
		inner := k > 0 && k+1 < len(w) && p.Events[k].Goroutine == p.Events[k+1].Goroutine
		if w[k] != g[k] && !(k == 0 && g[0] < w[0]) && !(inner && g[k] > w[k]) {
			return false
		}
	}
	return true
}

// chosen lists the events of tr that match a tuple and can, by the must-order and the locks held from one
// to the next, come in the order of its pattern.
func chosen(tr *trace.Trace, o *order.Order, regions *anomaly.Regions, tuple anomaly.Tuple) (all [][]int) {
	loc := make(map[int]string)
	groups := o.Groups()
	for k := range groups {
		for n, i := range groups[k].Events {
			loc[int(i)] = fmt.Sprint(k, groups[k].LocationOf[n])
		}
	}
	p := tuple.Pattern
	var choose func(events []int)
	choose = func(events []int) {
		k := len(events)
		if k == len(p.Events) {
			if !locked(tr, o, events) {
				all = append(all, slices.Clone(events))
			}
			return
		}
		want := p.Events[k]
		for i := range tr.Events {
			e := &tr.Events[i]
			if loc[i] == "" || uint64(e.Site) != tuple.Places[k] || want.Write != e.Stores() && e.Kind != trace.AtomicRMW || want.Write && !e.Stores() {
				continue
			}
			fits := true
			for n, j := range events {
				other := p.Events[n]
				same := regions.Of(i) == regions.Of(j) && regions.Of(i) > 0
				fits = fits && (tr.Events[j].G == e.G) == (other.Goroutine == want.Goroutine) && (loc[i] == loc[j]) == (other.Variable == want.Variable) &&
					same == (other.Region == want.Region) && !o.Before(i, j) && !o.BeforeReached(i, j)
				if g := tr.Events[j].G; g == e.G {
					fits = fits && j < i
				} else if after(p, n) {
					fits = fits && !o.BeforeReached(i, o.Program().Next(j))
				}
			}
			if fits {
				choose(append(events, i))
			}
		}
	}
	choose(nil)
	return all
}

// after reports whether the goroutine of event n has a later one in p.
func after(p *anomaly.Pattern, n int) bool {
	return slices.ContainsFunc(p.Events[n+1:], func(e anomaly.PatternEvent) bool { return e.Goroutine == p.Events[n].Goroutine })
}

// locked reports whether a goroutine holds a lock in one section before and after an event of
// another one that excludes it.
func locked(tr *trace.Trace, o *order.Order, events []int) bool {
	for b, e := range events {
		for a := range b {
			for c := b + 1; c < len(events); c++ {
				if g := tr.Events[events[a]].G; g == tr.Events[e].G || g != tr.Events[events[c]].G {
					continue
				}
				for _, acq := range o.Held(events[a]) {
					s, ok := o.Section(int(acq))
					if ok && slices.Contains(o.Held(events[c]), acq) && order.Exclude([]order.Lock{s.Lock}, o.Locks(o.LockSet(e))) {
						return true
					}
				}
			}
		}
	}
	return false
}
