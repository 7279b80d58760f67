package symbolic_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

var (
	traces = flag.Int("traces", 25, "random traces of each shape to compare with all their interleavings")
	engine = flag.String("engine", "builtin", "solver to check: builtin, z3, or both and that they agree")
)

func newEngine(f *solver.Formula) (solver.Engine, error) {
	switch *engine {
	case "z3":
		return solver.NewZ3(f)
	case "both":
		return solver.NewBoth(f)
	}
	return solver.NewBuiltin(f), nil
}

// shapes are what random traces look like.
var shapes = []struct {
	name string
	tracetest.Config
}{
	{"all", tracetest.Config{Goroutines: 3, Events: 9, Sync: tracetest.All, Locks: 2, Locations: 2}},
	{"mutexes", tracetest.Config{Goroutines: 3, Events: 8, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, Locations: 2, Unnested: true}},
	{"sections", tracetest.Config{Goroutines: 3, Events: 10, Locks: 1, Locations: 2, DistinctValues: true, Sections: true}},
	{"handed over", tracetest.Config{Goroutines: 3, Events: 7, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 1, Locations: 1, Unnested: true, HandOver: true}},
	{"conditions", tracetest.Config{Goroutines: 3, Events: 9, Sync: tracetest.Mutexes | tracetest.Conds, Locks: 1, Locations: 1}},
	{"channels", tracetest.Config{Goroutines: 3, Events: 7, Sync: tracetest.Channels, Locks: 1, Locations: 1}},
	{"WaitGroups", tracetest.Config{Goroutines: 3, Events: 7, Sync: tracetest.WaitGroups | tracetest.Onces, Locks: 1, Locations: 1}},
	{"atomics", tracetest.Config{Goroutines: 3, Events: 7, Sync: tracetest.Atomics, Locks: 1, Locations: 1}},
	{"posts", tracetest.Config{Goroutines: 3, Events: 7, Sync: tracetest.Posts | tracetest.LateForks | tracetest.Mutexes, Locks: 1, Locations: 1}},
	{"counters", tracetest.Config{Goroutines: 3, Events: 7, Sync: tracetest.Mutexes | tracetest.Atomics, Locks: 1, Locations: 2, Counters: true, Overlap: true}},
}

// A target of the tests, and whether it can be come to.
type goal struct {
	symbolic.Target
	accesses []int
	race     bool
	real     bool
}

// races lists the pairs of tr that would be races.
func races(tr *trace.Trace) (goals []goal) {
	real := feasible.Races(tr)
	starts := make(map[int]bool)
	counts := make(map[uint64]int64)
	for i, e := range tr.Events {
		if e.Kind == trace.WaitGroupAdd {
			starts[i] = counts[e.Obj] == 0 && int64(e.Val) > 0
			counts[e.Obj] += int64(e.Val)
		}
	}
	for j := range tr.Events {
		for i := range j {
			if tr.Events[i].G != tr.Events[j].G && (conflict(tr, i, j, starts) || conflict(tr, j, i, starts)) {
				goals = append(goals, goal{symbolic.Simultaneous(i, j), []int{i, j}, true, slices.Contains(real, [2]int{i, j})})
			}
		}
	}
	return goals
}

func conflict(tr *trace.Trace, i, j int, starts map[int]bool) bool {
	a, b := &tr.Events[i], &tr.Events[j]
	switch {
	case a.Kind.IsAccess() && b.Kind.IsAccess():
		return a.Obj < b.Obj+uint64(max(b.Size, 1)) && b.Obj < a.Obj+uint64(max(a.Size, 1)) &&
			(a.Stores() || b.Stores()) && (a.Kind.IsPlain() || b.Kind.IsPlain())
	case a.Kind == trace.Close:
		return a.Obj == b.Obj && (b.Kind == trace.Close || b.Kind == trace.Send || b.Kind == trace.SelectSend)
	case a.Kind == trace.WaitGroupWait && b.Kind == trace.WaitGroupAdd:
		return a.Obj == b.Obj && starts[j]
	}
	return false
}

// triples lists some accesses of two goroutines, the second in between those of
// the first.
func triples(tr *trace.Trace, most int) (goals []goal) {
	for c := range tr.Events {
		for a := range c {
			for b := range tr.Events {
				x, y, z := &tr.Events[a], &tr.Events[b], &tr.Events[c]
				if x.G != z.G || y.G == x.G || !x.Kind.IsAccess() || !y.Kind.IsAccess() || !z.Kind.IsAccess() ||
					x.Obj != y.Obj || y.Obj != z.Obj || len(goals) == most {
					continue
				}
				accesses := []int{a, b, c}
				goals = append(goals, goal{symbolic.Sequence(accesses...), accesses, false, feasible.Reaches(tr, accesses)})
			}
		}
	}
	return goals
}

// misuses lists the operations that may be misuse: of a lock that is free, a channel that
// is closed, a counter at zero.
func misuses(tr *trace.Trace) (goals []goal) {
	for i, e := range tr.Events {
		switch e.Kind {
		case trace.Send, trace.SelectSend, trace.Close:
			if e.Obj == 0 {
				continue
			}
			fallthrough
		case trace.Release, trace.RRelease, trace.WaitGroupAdd:
			goals = append(goals, goal{symbolic.Failure(i), []int{i}, false, feasible.Fails(tr, i)})
		}
	}
	return goals
}

// TestOracle compares what the encoding says with all interleavings.
func TestOracle(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			sat, unsat, unreal, refuted := 0, 0, 0, 0
			for seed := range uint64(*traces) {
				tr := tracetest.Random(seed, shape.Config)
				if seed%3 == 2 {
					tr, _ = tracetest.WithoutBranches(tr)
				}
				goals := slices.Concat(races(tr), triples(tr, 6), misuses(tr))
				decide(t, seed, tr, goals)
				refuted += clocked(t, seed, tr, goals)
				for _, g := range goals {
					if g.real {
						sat++
					} else {
						unsat++
						if g.race {
							unreal++
						}
					}
				}
			}
			t.Logf("%d possible, %d impossible; the must clock refutes %d of %d impossible races", sat, unsat, refuted, unreal)
			if sat == 0 || unsat == 0 {
				t.Error("one of the two never came up")
			}
		})
	}
}

// clocked asks the must clock about the races among the goals, and returns how many it
// refutes: none that a run shows, and all that no run comes to by edges alone.
func clocked(t *testing.T, seed uint64, tr *trace.Trace, goals []goal) (refuted int) {
	t.Helper()
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	m := symbolic.New(tr, o)
	must := m.Must()
	for _, g := range goals {
		if !g.race {
			continue
		}
		before := must.BeforeReached(g.accesses[0], g.accesses[1])
		if _, possible := m.Cone(0, g.Target); before && g.real || !before && !possible {
			t.Fatalf("seed %d: %v is before %v, possible %v, real %v\n%s", seed, g.accesses, before, possible, g.real, show(tr))
		}
		if before {
			refuted++
		}
	}
	return refuted
}

// decide puts the goals to a decider, and each to the encoding of the whole trace.
func decide(t *testing.T, seed uint64, tr *trace.Trace, goals []goal) {
	t.Helper()
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	m := symbolic.New(tr, o)
	var targets []symbolic.Target
	for _, g := range goals {
		targets = append(targets, g.Target)
	}
	d := m.NewDecider(0, targets, newEngine)
	defer d.Close()
	judge := feasible.New(tr)
	for k, g := range goals {
		cone, err := d.Decide(context.Background(), k, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := solver.Unsat
		if g.real {
			want = solver.Sat
		}
		for scope, a := range map[string]symbolic.Answer{"cone": cone, "whole": whole(t, m, g.Target)} {
			if a.Answer != want {
				t.Fatalf("seed %d, %s: %v is %v (%s), want %v\n%s", seed, scope, g.accesses, a.Answer, a.Why, want, show(tr))
			}
			if a.Answer != solver.Sat {
				continue
			}
			if err := judge.CheckFrom(a.Base, a.Steps, g.accesses); err != nil {
				t.Fatalf("seed %d, %s: %v after %v: %v\n%s", seed, scope, g.accesses, a.Steps, err, show(tr))
			}
		}
	}
}

func whole(t *testing.T, m *symbolic.Model, target symbolic.Target) symbolic.Answer {
	t.Helper()
	cone, ok := m.WholeCone(target)
	if !ok {
		return symbolic.Answer{Answer: solver.Unsat}
	}
	f := solver.NewFormula()
	en, err := newEngine(f)
	if err != nil {
		t.Fatal(err)
	}
	defer en.Close()
	e, err := m.Encode(cone, f, en)
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := e.SolveBounded(context.Background(), target, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func show(tr *trace.Trace) (s string) {
	for i, e := range tr.Events {
		site := tr.Sites[e.Site]
		s += fmt.Sprintf("%d: %d %v obj=%#x val=%d size=%d flags=%d data=%t update=%t\n", i, e.G, e.Kind, e.Obj, e.Val, e.Size, e.Flags, site.OnlyStored, site.IsUpdate)
	}
	return s
}
