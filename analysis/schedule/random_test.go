package schedule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func plan(t testing.TB, tr *trace.Trace) (*order.Order, *schedule.Planner) {
	t.Helper()
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	return o, schedule.NewPlanner(tr, o, causality.New(tr, o))
}

// conflicts returns the pairs that the mutation condition lets through.
func conflicts(tr *trace.Trace, o *order.Order) (pairs [][2]int) {
	for j, b := range tr.Events {
		for i, a := range tr.Events[:j] {
			access := a.Kind.IsAccess() && b.Kind.IsAccess() && (a.Kind.IsWrite() || b.Kind.IsWrite()) && (a.Kind.IsPlain() || b.Kind.IsPlain())
			channel := a.Kind == trace.Close && b.Kind == trace.Send || a.Kind == trace.Send && b.Kind == trace.Close
			if a.G != b.G && a.Obj == b.Obj && (access || channel) && !o.BeforeReached(i, j) && !o.Exclude(o.LockSet(i), o.LockSet(j)) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// TestEveryRealRaceHasSchedule is PECAN's Theorem 1: with nested locks, and
// where no values matter, each real race gets a feasible schedule. So it does
// with un-nested locks and two goroutines, for the graph then knows all. What is
// real, the enumerator of all interleavings tells.
func TestEveryRealRaceHasSchedule(t *testing.T) {
	for k, shape := range []tracetest.Config{
		{Goroutines: 2, Events: 12, Sync: tracetest.Mutexes, Locks: 2, Locations: 1, WriteOnly: true},
		{Goroutines: 2, Events: 12, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 3, Locations: 1, WriteOnly: true},
		{Goroutines: 3, Events: 7, Sync: tracetest.Mutexes | tracetest.LateForks | tracetest.Posts, Locks: 2, Locations: 1, WriteOnly: true},
		{Goroutines: 3, Events: 6, Sync: tracetest.Mutexes | tracetest.Channels, Locks: 1, Locations: 1, WriteOnly: true},
		{Goroutines: 2, Events: 8, Sync: tracetest.Mutexes, Locks: 2, Locations: 1, WriteOnly: true, Counters: true},
		{Goroutines: 2, Events: 14, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 4, Locations: 1, WriteOnly: true, Unnested: true},
	} {
		t.Run(fmt.Sprintf("shape%d", k), func(t *testing.T) {
			for seed := range uint64(250) {
				tr := tracetest.Random(seed, shape)
				o, p := plan(t, tr)
				real := feasible.Races(tr)
				for _, pair := range real {
					for _, most := range []int{math.MaxInt, 0} {
						if !hasSchedule(tr, o, p, pair, most) {
							t.Errorf("seed %d: real race %v has no feasible schedule with cones of %d", seed, pair, most)
						}
					}
				}
				for _, pair := range conflicts(tr, o) {
					is := slices.Contains(real, pair)
					if !is && hasSchedule(tr, o, p, pair, math.MaxInt) {
						t.Errorf("seed %d: unreal race %v has a feasible schedule", seed, pair)
					}
					if held, needed, ok := o.ExcludedByHistory(pair[0], pair[1]); ok && is {
						t.Errorf("seed %d: real race %v is refuted by %d and %d", seed, pair, held, needed)
					}
				}
			}
		})
	}
}

func guide(tr *trace.Trace, o *order.Order, pair [2]int) []causality.Edge {
	m := causality.New(tr, o)
	return m.Chopped(m.Meeting(pair[0], pair[1])).Edges(0)
}

func hasSchedule(tr *trace.Trace, o *order.Order, p *schedule.Planner, pair [2]int, most int) bool {
	for _, r := range p.Race(pair[0], pair[1], guide(tr, o, pair), most).All() {
		s := r.Schedule()
		if feasible.Check(tr, s.Steps, s.Violation) == nil {
			return true
		}
	}
	return false
}

// TestSchedulesAreWellFormed checks what feasible does not: Hold, and that
// nothing is in the steps twice or behind the violation; and that most of what
// is proposed is feasible.
func TestSchedulesAreWellFormed(t *testing.T) {
	for k, shape := range []tracetest.Config{
		{Goroutines: 4, Events: 25, Sync: tracetest.All, Locks: 2, Locations: 2},
		{Goroutines: 4, Events: 40, Sync: tracetest.Mutexes | tracetest.RWMutexes | tracetest.LateForks, Locks: 3, Locations: 2, Unnested: true, HandOver: true},
		{Goroutines: 3, Events: 30, Sync: tracetest.Channels | tracetest.Mutexes, Locks: 1, Locations: 3},
		{Goroutines: 30, Events: 8, Sync: tracetest.All, Locks: 2, Locations: 3},
	} {
		t.Run(fmt.Sprintf("shape%d", k), func(t *testing.T) {
			made, accepted := 0, 0
			for seed := range uint64(100) {
				tr := tracetest.Random(seed, shape)
				o, p := plan(t, tr)
				judge := feasible.New(tr)
				for _, pair := range conflicts(tr, o)[:min(20, len(conflicts(tr, o)))] {
					most := []int{0, math.MaxInt}[seed%2]
					for _, r := range p.Race(pair[0], pair[1], guide(tr, o, pair), most).All() {
						s := r.Schedule()
						if again, n := r.Computed(len(s.Steps)); n > 0 {
							assert.Equal(t, s, again.Schedule(), "seed %d: made once", seed)
							assert.Equal(t, r.Scheduler(), again.Scheduler())
						}
						made++
						checkForm(t, seed, tr, o, s, pair)
						if judge.Check(s.Steps, s.Violation) == nil {
							accepted++
							break
						}
					}
				}
			}
			if accepted*2 < made {
				t.Errorf("only %d of %d schedules are feasible", accepted, made)
			}
		})
	}
}

func checkForm(t *testing.T, seed uint64, tr *trace.Trace, o *order.Order, s schedule.Schedule, pair [2]int) {
	t.Helper()
	if !slices.Equal(s.Violation, pair[:]) {
		t.Fatalf("seed %d: violation %v, want %v", seed, s.Violation, pair)
	}
	next := make(map[trace.GID]int) // by goroutine
	for g := range tr.Goroutines {
		next[trace.GID(g)] = o.Events(trace.GID(g)).First()
	}
	for _, i := range s.Steps {
		g := tr.Events[i].G
		if want := next[g]; i != want {
			t.Fatalf("seed %d, %v: step %d, but the next event of the goroutine is %d: %v", seed, pair, i, want, s.Steps)
		}
		next[g] = o.Program().Next(i)
	}
	held := make(map[trace.GID]bool)
	for _, i := range s.Hold {
		g := tr.Events[i].G
		if held[g] || next[g] < 0 || i < next[g] {
			t.Fatalf("seed %d, %v: hold %d", seed, pair, i)
		}
		held[g] = true
	}
	for _, i := range pair {
		g := tr.Events[i].G
		if next[g] != i || held[g] {
			t.Fatalf("seed %d: goroutine %d does not stand at %d", seed, g, i)
		}
	}
}

func TestUnorderedReadsKeepTheirWrites(t *testing.T) {
	// The flag is read as true only after the first access: no schedule.
	tr := tracetest.Parse(t, `
		1 w x=1
		1 acq m
		1 w flag=1
		1 rel m
		2 acq m
		2 r flag=1
		2 branch #1
		2 rel m
		2 r x=1`)
	if o, p := plan(t, tr); hasSchedule(tr, o, p, [2]int{0, 8}, math.MaxInt) {
		t.Error("a guarded flag does not order the accesses")
	}
	// Nor does it matter if the value is only moved.
	tr = tracetest.Parse(t, `
		1 w x=1
		1 w y=1
		2 r y=1 data
		2 w z=1
		2 r x=1`)
	if o, p := plan(t, tr); !hasSchedule(tr, o, p, [2]int{0, 4}, math.MaxInt) {
		t.Error("a read that only moves data orders the accesses")
	}
}

// Both sections that the accesses are in have to come last, the second goroutine has to
// find the flag, and what it moved it must not: that is written in the first section.
func TestTurnedSectionsKeepReadsThatMatter(t *testing.T) {
	tr := tracetest.Parse(t, `
		3 w flag=1
		1 acq l
		1 acq m
		1 rel m
		1 w y=1
		1 w x=1
		1 rel l
		2 acq l
		2 r y=1 data
		2 r flag=1
		2 rel l
		2 acq m
		2 w x=2
		2 rel m`)
	if o, p := plan(t, tr); !hasSchedule(tr, o, p, [2]int{5, 12}, math.MaxInt) {
		t.Error("no schedule")
	}
}

func BenchmarkRace(b *testing.B) {
	tr := tracetest.Random(1, tracetest.Config{Goroutines: 4, Events: 250_000, Sync: tracetest.Mutexes, Locks: 4, Locations: 99})
	_, p := plan(b, tr)
	judge := feasible.New(tr)
	// The last two accesses of different goroutines that conflict by address
	// need most of the trace.
	j := len(tr.Events) - 1
	for !tr.Events[j].Kind.IsWrite() {
		j--
	}
	i := j - 1
	for tr.Events[i].G == tr.Events[j].G || tr.Events[i].Obj != tr.Events[j].Obj {
		i--
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			for range p.Race(i, j, nil, math.MaxInt).All() {
				break
			}
		}
	})
	b.Run("judged", func(b *testing.B) {
		for b.Loop() {
			for s := range p.Race(i, j, nil, math.MaxInt).All() {
				if judge.CheckFrom(s.From, s.Steps, s.Violation) == nil {
					break
				}
			}
		}
	})
}
