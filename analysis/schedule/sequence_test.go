package schedule_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

var traces = flag.Int("traces", 150, "random traces to search for anomalies, for each shape")

// TestEveryRealAnomalyHasSchedule is PECAN's Theorem 1 for triples, patterns of
// two variables, and users' patterns of more: with nested locks, and where no values matter, each
// one that some run shows is found, is not refuted, and gets a feasible
// schedule. What is real, a search of all runs tells.
func TestEveryRealAnomalyHasSchedule(t *testing.T) {
	user, err := anomaly.ParsePatterns("user", `
pattern relay
E   e1 e2 e3
T   t1 t2 t3
SV  s1 s1 s1
AR  u1 u2 u3
AT  w  w  w

pattern three-variables
E   e1 e2 e3 e4 e5
T   t1 t1 t2 t2 t1
SV  s1 s2 s1 s3 s3
AR  u1 u1 u2 u2 u1
AT  w  w  w  w  w

pattern two-in-one
E   e1 e2 e3 e4
T   t1 t2 t3 t1
SV  s1 s1 s2 s2
AR  u1 u2 u3 u1
AT  w  w  w  w`)
	if err != nil {
		t.Fatal(err)
	}
	patterns := append(anomaly.Builtin(), user...)
	for k, shape := range []tracetest.Config{
		{Goroutines: 2, Events: 14, Sync: tracetest.Mutexes, Locks: 3, Locations: 2},
		{Goroutines: 2, Events: 14, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, Locations: 2, Unnested: true},
		{Goroutines: 3, Events: 7, Sync: tracetest.Mutexes | tracetest.LateForks | tracetest.Posts, Locks: 2, Locations: 2},
		{Goroutines: 2, Events: 12, Sync: tracetest.Mutexes | tracetest.Channels, Locks: 2, Locations: 1},
		{Goroutines: 3, Events: 7, Sync: tracetest.Mutexes, Locks: 2, Locations: 3},
	} {
		t.Run(fmt.Sprintf("shape%d", k), func(t *testing.T) {
			t.Parallel()
			shown := 0
			for seed := range uint64(*traces) {
				shape.WriteOnly = true
				tr := tracetest.Random(seed, shape)
				o, p := plan(t, tr)
				m := causality.New(tr, o)
				regions := anomaly.FindRegions(tr, o)
				found := anomaly.Search(tr, o, regions, patterns, anomaly.MaxCombinations)
				for _, a := range found.Found {
					for _, events := range a.Matches {
						g := m.Chopped(m.Sequence(events...))
						has := hasSequence(t, tr, p, events, g.Edges(0), math.MaxInt)
						is := happens(tr, events)
						switch {
						case is && g.Cyclic() != 0:
							t.Errorf("seed %d: %s %v is refuted by %v", seed, a.Pattern.Name, events, g.Cycle(0))
						case is && !has:
							t.Errorf("seed %d: %s %v has no feasible schedule", seed, a.Pattern.Name, events)
						case !is && has:
							t.Errorf("seed %d: %s %v has a feasible schedule and cannot happen", seed, a.Pattern.Name, events)
						case is && !hasSequence(t, tr, p, events, g.Edges(0), 0):
							t.Errorf("seed %d: %s %v has no feasible schedule that keeps what happened", seed, a.Pattern.Name, events)
						case is:
							shown++
						}
					}
				}
			}
			if shown < *traces/4 {
				t.Errorf("only %d anomalies", shown)
			}
		})
	}
}

// TestNoScheduleTwice: a replay of one that was tried already is wasted.
func TestNoScheduleTwice(t *testing.T) {
	shape := tracetest.Config{Goroutines: 3, Events: 25, Sync: tracetest.All, Locks: 2, Locations: 2}
	made := 0
	for seed := range uint64(100) {
		tr := tracetest.Random(seed, shape)
		o, p := plan(t, tr)
		m := causality.New(tr, o)
		for _, a := range anomaly.Search(tr, o, anomaly.FindRegions(tr, o), anomaly.Builtin(), anomaly.MaxCombinations).Found {
			seen := make(map[string]bool)
			for _, recipe := range p.Sequence(a.Matches[0], m.Chopped(m.Sequence(a.Matches[0]...)).Edges(0), math.MaxInt).All() {
				s := recipe.Schedule()
				if text := fmt.Sprint(s.From, s.Steps); seen[text] {
					t.Errorf("seed %d: %s %v has the schedule %s twice", seed, a.Pattern.Name, a.Matches[0], text)
				} else {
					seen[text] = true
				}
				made++
			}
		}
	}
	if made < 100 {
		t.Errorf("only %d schedules", made)
	}
}

// hasSequence reports whether a feasible schedule has the events in order.
func hasSequence(t *testing.T, tr *trace.Trace, p *schedule.Planner, events []int, guide []causality.Edge, most int) bool {
	t.Helper()
	judge := feasible.New(tr)
	for s := range p.Sequence(events, guide, most).All() {
		if judge.CheckFrom(s.From, s.Steps, events) != nil {
			continue
		}
		var at []int
		for _, i := range events[:len(events)-1] {
			at = append(at, slices.Index(s.Steps, i))
		}
		if slices.Contains(at, -1) || !slices.IsSorted(at) || !slices.Equal(s.Violation, events[len(events)-1:]) {
			t.Fatalf("%v does not have %v in order", s, events)
		}
		return true
	}
	return false
}

// happens reports whether the events can happen in this order.
func happens(tr *trace.Trace, events []int) (shown bool) {
	last := len(events) - 1
	keep := func(order []int) bool {
		k := slices.Index(events, order[len(order)-1])
		return k < 0 || k < last && (k == 0 || slices.Contains(order, events[k-1]))
	}
	tracetest.Explore(tr, keep, func(order []int) bool {
		shown = slices.Contains(order, events[last-1]) && feasible.Check(tr, order, events[last:]) == nil
		return !shown
	})
	return shown
}

// PECAN's Figure 3: v8 fits in between v3 and v5, where l1 is free.
func TestFigure3(t *testing.T) {
	tr := tracetest.Parse(t, `
		1 regionbegin
		1 acq l1       // v1
		1 r x          // v2
		1 rel l1       // v3
		1 w y          // v4
		1 w x          // v5
		1 regionend
		2 acq l1       // v6
		2 acq l2       // v7
		2 w x          // v8
		2 rel l2
		2 rel l1`)
	o, p := plan(t, tr)
	m := causality.New(tr, o)
	g := m.Chopped(m.Sequence(2, 9, 5))
	for s := range p.Sequence([]int{2, 9, 5}, g.Edges(0), math.MaxInt).All() {
		if want := []int{0, 1, 2, 3, 4, 7, 8, 9}; !slices.Equal(s.Steps, want) || !slices.Equal(s.Violation, []int{5}) {
			t.Errorf("steps %v to %v, want %v", s.Steps, s.Violation, want)
		}
		if err := feasible.Check(tr, s.Steps, s.Violation); err != nil {
			t.Error(err)
		}
		break
	}
}

// What one goroutine has done outside of its locks may come first only as far as
// the other has not read in between.
func TestReadsBeforeTheAnomalyStay(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		0 fork 2
		1 acq a
		1 r x=0
		1 r x=0
		1 r x=0
		1 rel a
		2 acq b
		2 w x=1
		2 rel b
		2 acq b
		2 w x=2
		2 rel b`)
	o, p := plan(t, tr)
	accesses := []int{4, 11, 5}
	g := causality.New(tr, o).Chopped(causality.New(tr, o).Sequence(accesses...))
	if !hasSequence(t, tr, p, accesses, g.Edges(0), math.MaxInt) {
		t.Error("no schedule lets the second goroutine write twice between two reads of the first")
	}
}

// The read in the middle has found the last write, which it now comes before: that is the
// anomaly. The flag it finds as it did.
func TestTheAnomalysReadFindsAnotherWrite(t *testing.T) {
	tr := tracetest.Parse(t, `
		3 w flag=1
		1 acq l
		1 w x=1
		1 w x=2
		1 rel l
		2 r flag=1
		2 r x=2`)
	o, p := plan(t, tr)
	accesses := []int{2, 6, 3}
	m := causality.New(tr, o)
	if !hasSequence(t, tr, p, accesses, m.Chopped(m.Sequence(accesses...)).Edges(0), math.MaxInt) {
		t.Error("no schedule lets the second goroutine read between two writes of the first")
	}
}
