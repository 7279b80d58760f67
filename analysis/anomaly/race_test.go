package anomaly_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func find(t testing.TB, tr *trace.Trace) (*order.Order, *anomaly.Races) {
	t.Helper()
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	return o, anomaly.FindRaces(tr, o)
}

func TestRaces(t *testing.T) {
	for _, test := range []struct {
		name, text                            string
		pairs                                 [][2]int
		conflicts, candidates, locked, orderd int
	}{
		{"write and read", "0 w x\n1 r x", [][2]int{{0, 1}}, 1, 1, 0, 0},
		{"two reads", "0 r x\n1 r x\n0 w x", [][2]int{{1, 2}}, 1, 1, 0, 0},
		{"one goroutine", "0 w x\n0 r x", nil, 0, 0, 0, 0},
		{"common lock", "0 acq m\n0 w x\n0 rel m\n1 acq m\n1 r x\n1 rel m", nil, 1, 0, 1, 0},
		{"readers of a common lock", "0 racq m\n0 w x\n0 rrel m\n1 racq m\n1 r x\n1 rrel m", [][2]int{{1, 4}}, 1, 1, 0, 0},
		{"reader against writer", "0 racq m\n0 r x\n0 rrel m\n1 acq m\n1 w x\n1 rel m", nil, 1, 0, 1, 0},
		{"other lock", "0 acq m\n0 w x\n0 rel m\n1 acq n\n1 r x\n1 rel n", [][2]int{{1, 4}}, 1, 1, 0, 0},
		{"hidden by the recorded order of sections", "0 w x\n0 acq m\n0 rel m\n1 acq m\n1 rel m\n1 r x", [][2]int{{0, 5}}, 1, 1, 0, 0},
		{"ordered by a fork", "0 w x\n0 fork 1\n1 begin\n1 w x", nil, 1, 0, 0, 1},
		{"two atomics", "0 astore x\n1 armw x", nil, 0, 0, 0, 0},
		{"atomic and plain", "0 astore x\n1 r x", [][2]int{{0, 1}}, 1, 1, 0, 0},
		{"atomic that observes what follows", "0 w x @1\n0 astore x @2\n1 aload x @3", [][2]int{{0, 2}}, 1, 1, 0, 0},
		{"atomic that has observed", "0 w x @1\n0 astore f @2\n1 aload f @3\n1 aload x @4", nil, 1, 0, 0, 1},
		{"parts", "0 w x/4\n1 w x+4/4\n2 r x/8", [][2]int{{1, 2}, {0, 2}}, 2, 2, 0, 0},
		{"neighbours", "0 w x/4\n1 w x+4/4", nil, 0, 0, 0, 0},
		{"send and close", "0 send c\n1 close c\n0 sent c#1/1", [][2]int{{0, 1}}, 1, 1, 0, 0},
		{"two closes", "0 close c\n1 close c", [][2]int{{0, 1}}, 1, 1, 0, 0},
		{"close after the receive", "0 send c\n0 sent c#1/1\n1 recv c\n1 recvd c#1/1\n1 close c", nil, 1, 0, 0, 1},
		{"select and close", "0 selsend c\n0 select\n1 close c", [][2]int{{0, 2}}, 1, 1, 0, 0},
		{"receive and close", "0 recv c\n1 close c\n0 recvd c", nil, 0, 0, 0, 0},
		{"guarded close", "0 acq m\n0 send c\n0 sent c#1/1\n0 rel m\n1 acq m\n1 close c\n1 rel m", nil, 1, 0, 1, 0},
		{"add and wait", "0 add g#1\n1 wgwait g", [][2]int{{0, 1}}, 1, 1, 0, 0},
		{"another add and wait", "1 add g#1\n0 add g#1\n1 wgwait g", [][2]int{{1, 2}}, 1, 1, 0, 0},
		{"done and wait", "1 add g#1\n0 add g#-1\n1 wgwait g", nil, 0, 0, 0, 0},
		{"two waits", "0 wgwait g\n1 wgwait g", nil, 0, 0, 0, 0},
		{"reuse before the other waiter is back", "0 add g#1\n0 fork 1\n1 begin\n1 wgwait g\n0 add g#-1\n0 wgwait g\n0 wgwaited g\n0 add g#1", [][2]int{{3, 7}}, 2, 1, 0, 1},
		{"lock and overwriting it", "0 acq m\n1 w m", [][2]int{{0, 1}}, 1, 1, 0, 0},
		{"lock and reading it", "0 rel m\n1 r m", [][2]int{{0, 1}}, 1, 1, 0, 0},
		{"a lock's own operations", "0 acq m\n0 rel m\n1 acq m\n1 rel m", nil, 0, 0, 0, 0},
		{"Once and overwriting it", "0 oncebegin o\n1 w o", [][2]int{{0, 1}}, 1, 1, 0, 0},
		{"no size", "0 armw x/0\n1 r x\n1 w x", nil, 0, 0, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, r := find(t, tracetest.Parse(t, test.text))
			var pairs [][2]int
			for _, c := range r.Candidates {
				pairs = append(pairs, c.Pairs...)
			}
			got := []int{r.Conflicts, len(r.Candidates), r.Locked, r.Ordered}
			want := []int{test.conflicts, test.candidates, test.locked, test.orderd}
			if !slices.Equal(got, want) {
				t.Errorf("conflicts, candidates, locked, ordered: %v, want %v", got, want)
			}
			if !sameSet(pairs, test.pairs) {
				t.Errorf("pairs %v, want %v", pairs, test.pairs)
			}
		})
	}
}

func sameSet(a, b [][2]int) bool {
	for _, p := range a {
		if !slices.Contains(b, p) {
			return false
		}
	}
	return len(a) == len(b)
}

func TestNearestFirst(t *testing.T) {
	_, r := find(t, tracetest.Parse(t, "0 w x @1\n0 w y\n1 r x @2\n2 r x @2\n0 post p\n0 w x @1"))
	want := [][2]int{{0, 2}, {3, 5}, {0, 3}, {2, 5}}
	if !reflect.DeepEqual(r.Candidates[0].Pairs, want) {
		t.Errorf("pairs %v, want %v", r.Candidates[0].Pairs, want)
	}
}

// TestRepeated: what a goroutine does again at the same place, with nothing that orders
// it in between, races with what has come between the two, before and after that.
func TestRepeated(t *testing.T) {
	tr := tracetest.Parse(t, "0 w x @1\n0 w x @1\n1 r x @2\n0 w x @1\n0 w x @1")
	_, r := find(t, tr)
	places := [2]uint64{uint64(tr.Events[0].Site), uint64(tr.Events[2].Site)}
	want := []anomaly.Candidate{{Pairs: [][2]int{{1, 2}, {0, 2}}, RepeatedPairs: [][2]int{{2, 3}}, Places: places}}
	if !reflect.DeepEqual(r.Candidates, want) {
		t.Errorf("candidates %v, want %v", r.Candidates, want)
	}
}

// TestAgainstBruteForce compares with the definition, pair by pair.
func TestAgainstBruteForce(t *testing.T) {
	shapes := []tracetest.Config{
		{Goroutines: 3, Events: 12, Sync: tracetest.All, Locks: 2, Locations: 3},
		{Goroutines: 4, Events: 40, Sync: tracetest.All, Locks: 2, Locations: 2, Unnested: true, HandOver: true, Overlap: true},
		{Goroutines: 60, Events: 6, Sync: tracetest.Posts | tracetest.Mutexes | tracetest.LateForks, Locks: 2, Locations: 2},
		{Goroutines: 40, Events: 30, Sync: tracetest.Posts, Locks: 1, Locations: 1},
	}
	for k, shape := range shapes {
		for seed := range uint64(100) {
			t.Run(fmt.Sprintf("shape%d/seed%d", k, seed), func(t *testing.T) {
				tr := tracetest.Random(seed, shape)
				o, r := find(t, tr)
				checkRaces(t, tr, o, r)
				if _, again := find(t, tr); !reflect.DeepEqual(r, again) {
					t.Error("a second search has another result")
				}
			})
		}
	}
}

type sites [2]trace.SiteID

func sitesOf(tr *trace.Trace, i, j int) sites {
	a, b := tr.Events[i].Site, tr.Events[j].Site
	return sites{min(a, b), max(a, b)}
}

// conflicting is the definition for events i before j of different goroutines.
// An Add to a WaitGroup conflicts with Wait: the counter may be zero.
func conflicting(tr *trace.Trace, i, j int) bool {
	a, b := tr.Events[i], tr.Events[j]
	kinds := []trace.Kind{a.Kind, b.Kind}
	both := func(of ...trace.Kind) bool { return slices.Contains(of, a.Kind) && slices.Contains(of, b.Kind) }
	switch {
	case a.Kind.IsAccess() && b.Kind.IsAccess():
		return (a.Kind.IsPlain() || b.Kind.IsPlain()) && (a.Stores() || b.Stores()) &&
			a.Obj < b.Obj+uint64(b.Size) && b.Obj < a.Obj+uint64(a.Size)
	case a.Obj != b.Obj || a.Obj == 0:
		return false
	case slices.Contains(kinds, trace.Close):
		return both(trace.Close, trace.Send, trace.SelectSend)
	case slices.Contains(kinds, trace.WaitGroupWait) && slices.Contains(kinds, trace.WaitGroupAdd):
		add := j
		if a.Kind == trace.WaitGroupAdd {
			add = i
		}
		return int64(tr.Events[add].Val) > 0
	}
	return false
}

func checkRaces(t *testing.T, tr *trace.Trace, o *order.Order, r *anomaly.Races) {
	conflicts, free := make(map[sites]bool), make(map[sites]bool)
	racing := make(map[sites][][2]int)
	for j, b := range tr.Events {
		for i, a := range tr.Events[:j] {
			if a.G == b.G || !conflicting(tr, i, j) {
				continue
			}
			s := sitesOf(tr, i, j)
			conflicts[s] = true
			if o.Exclude(o.LockSet(i), o.LockSet(j)) {
				continue
			}
			free[s] = true
			if !o.BeforeReached(i, j) {
				racing[s] = append(racing[s], [2]int{i, j})
			}
		}
	}
	got := []int{r.Conflicts, len(r.Candidates), r.Locked, r.Ordered}
	want := []int{len(conflicts), len(racing), len(conflicts) - len(free), len(free) - len(racing)}
	if !slices.Equal(got, want) {
		t.Fatalf("conflicts, candidates, locked, ordered: %v, want %v", got, want)
	}
	for _, c := range r.Candidates {
		s := sitesOf(tr, c.Pairs[0][0], c.Pairs[0][1])
		for _, p := range c.Pairs {
			if sitesOf(tr, p[0], p[1]) != s || !slices.Contains(racing[s], p) {
				t.Fatalf("pair %v of %v does not race", p, s)
			}
		}
		if c.Exhaustive && !sameSet(c.Pairs, racing[s]) {
			t.Fatalf("pairs %v of %v, want %v", c.Pairs, s, racing[s])
		}
		delete(racing, s)
	}
	if len(racing) > 0 {
		t.Fatalf("not found: %v", racing)
	}
}

func BenchmarkFindRaces(b *testing.B) {
	for _, shape := range []struct {
		name       string
		goroutines int
		sync       tracetest.Sync
	}{
		{"locks", 4, tracetest.Mutexes},
		{"posts", 100, tracetest.Mutexes | tracetest.Posts},
	} {
		tr := tracetest.Random(1, tracetest.Config{
			Goroutines: shape.goroutines, Events: 1_000_000 / shape.goroutines, Sync: shape.sync, Locks: 4, Locations: 99,
		})
		o, err := order.New(tr)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(shape.name, func(b *testing.B) {
			for b.Loop() {
				anomaly.FindRaces(tr, o)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(tr.Events)), "ns/event")
		})
	}
}
