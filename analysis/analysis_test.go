package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func predict(t testing.TB, tr *trace.Trace) *analysis.Result {
	t.Helper()
	r, err := analysis.Predict(context.Background(), tr, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPredict(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for _, test := range []struct {
		name, text string
		want       []string // status, positions
	}{
		{"PECAN figure 1", `
			1 w z @1
			2 w x=2 @5
			1 w x=3 @2
			1 w y=1 @3
			2 w x=4 @6
			2 r y=1 @7`,
			[]string{"predicted 5-6", "predicted 6-8", "predicted 7-9"}},
		{"hidden by the recorded order of critical sections", `
			1 w y
			1 acq l
			1 w x
			1 rel l
			2 acq l
			2 w x
			2 rel l
			2 w y`,
			[]string{"predicted 4-11"}},
		{"critical sections must be turned round", `
			1 acq l
			1 w y
			1 rel l
			2 acq l
			2 rel l
			2 w y`,
			[]string{"predicted 5-9"}},
		{"PECAN figure 5", `
			1 acq l
			1 post p
			1 w x
			1 rel l
			2 await p
			2 acq l
			2 rel l
			2 r x`,
			[]string{"infeasible 6-11"}},
		{"universal causality graphs, figure 1", `
			1 acq l3
			1 acq l1
			1 wait c#0
			1 rel l1
			2 acq l1
			2 signal c#1
			2 rel l1
			1 wake c#0
			1 acq l1
			1 acq l2
			1 rel l3
			1 rel l1
			1 w sh
			1 rel l2
			2 acq l1
			2 acq l3
			2 rel l1
			2 acq l2
			2 rel l2
			2 rel l3
			2 w sh`,
			[]string{"infeasible 16-24", "predicted 6", "predicted 5-19"}},
		{"flag guarded by a lock before the data", `
			1 w data=1
			1 acq l
			1 w flag=1
			1 rel l
			2 acq l
			2 r flag=1
			2 branch #1
			2 rel l
			2 r data=1`,
			[]string{"undecided 4-12"}}, // the branch may go the other way
		{"held at one access and needed before the other", `
			1 acq l
			1 post p
			1 w x
			1 rel l
			2 await p
			2 acq l
			2 rel l
			2 w x`,
			[]string{"infeasible 6-11"}},
		{"the same, with more pairs than are the nearest", `
			1 acq l
			1 post p
			1 w x @99
			1 w x @99
			1 w x @99
			1 rel l
			2 await p
			2 acq l
			2 rel l
			2 w x`,
			[]string{"infeasible 8-13", "infeasible 6-13-7"}},
		{"hidden by a counter", `
			1 w x
			1 armw n=1 update
			2 armw n=2 update
			2 branch
			2 w x`,
			[]string{"predicted 4-8"}},
		{"hidden by a counter that is looked at", `
			1 w x
			1 armw n=1 update
			2 armw n=2
			2 branch
			2 w x`, nil},
		{"guarded data", `
			1 acq l
			1 w x=1
			1 rel l
			2 acq l
			2 r x=1
			2 rel l`, nil},
		{"unbuffered hand-over", "1 w x\n1 send c\n2 recv c\n1 sent c#1\n2 recvd c#1\n2 r x", nil},
		{"buffered hand-over", "1 w x\n1 send c/1\n1 sent c#1/1\n2 recv c/1\n2 recvd c#1/1\n2 r x", nil},
		{"WaitGroup", "0 add g#1\n0 post p\n1 await p\n1 w x\n1 add g#-1\n0 wgwait g\n0 wgwaited g\n0 r x", nil},
		{"Once", "1 oncebegin o\n1 w x\n1 onceend o\n1 oncedone o\n2 oncedone o\n2 r x", nil},
		{"atomic as a lock", "1 w x\n1 astore f=1\n2 aload f=1\n2 r x", nil},
		{"no conflict", "1 r x\n2 r x\n1 w y", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := tracetest.Parse(t, forks+test.text)
			var got []string
			for _, f := range predict(t, tr).Findings {
				got = append(got, fmt.Sprintf("%s %s", f.Status, strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Accesses), " ", "-"), "[]")))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFinding(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		1 begin
		1 acq m
		1 racq n
		1 w x=1
		1 rrel n
		1 rel m
		0 r x=1`)
	r := predict(t, tr)
	if len(r.Findings) != 1 {
		t.Fatalf("%d findings", len(r.Findings))
	}
	f := r.Findings[0]
	if f.Kind != "race" || f.Tier != analysis.TierCone || f.Reason != "" {
		t.Errorf("finding %+v", f)
	}
	if want := []trace.SiteID{tr.Events[4].Site, tr.Events[7].Site}; !slices.Equal(f.Sites, want) {
		t.Errorf("sites %v, want %v", f.Sites, want)
	}
	if !slices.Equal(f.Tests, []string{"TestX"}) || f.Note != "" {
		t.Errorf("tests %q, note %q", f.Tests, f.Note)
	}
	if r.Candidates != 1 || r.Pruned() != 0 {
		t.Errorf("%d candidates, %d pruned", r.Candidates, r.Pruned())
	}
}

func TestReasonOfGraph(t *testing.T) {
	tr := tracetest.Parse(t, `
		1 acq a
		1 post p
		1 acq b
		1 rel a
		1 w x
		1 rel b
		2 acq a
		2 await p
		2 acq b
		2 rel b
		2 rel a
		2 w x`)
	f := predict(t, tr).Findings[0]
	want := "each of these would have to come before the next, and the last before the first: " +
		"TestX:0.1: lock at test.go:2, TestX:0.1: unlock at test.go:5, TestX:0.2: lock at test.go:8, TestX:0.2: unlock at test.go:12"
	if f.Status != bug.Infeasible || f.Tier != analysis.TierCausality || f.Reason != want {
		t.Errorf("%s by %s: %s", f.Status, f.Tier, f.Reason)
	}
}

func TestTestsOfFinding(t *testing.T) {
	for _, test := range []struct {
		a, b  string
		tests []string
		note  string
	}{
		{"", "", nil, "outside of any test"},
		{"TestA", "", []string{"TestA"}, "one of the goroutines"},
		{"TestA", "TestB", []string{"TestA", "TestB"}, "different tests"},
	} {
		tr := tracetest.Parse(t, "0 w x\n1 w x")
		tr.Goroutines[0].Test, tr.Goroutines[1].Test = test.a, test.b
		f := predict(t, tr).Findings[0]
		if !slices.Equal(f.Tests, test.tests) || !strings.Contains(f.Note, test.note) {
			t.Errorf("%q and %q: tests %q, note %q", test.a, test.b, f.Tests, f.Note)
		}
	}
}

// Workers that one test has started, or that belong to none, do what another one says.
func TestTestsOfWorkers(t *testing.T) {
	for _, test := range []struct {
		events string
		own    string
		tests  []string
	}{
		{"0 end\n2 testbegin\n2 send c\n2 sent c#1/2\n1 recv c\n1 recvd c#1/2", "TestA", []string{"TestB", "TestA"}},
		{"0 end\n2 testbegin\n2 send c\n2 sent c#1/2\n1 recv c\n1 recvd c#1/2", "", []string{"TestB"}},
		{"0 end\n2 testbegin", "TestA", []string{"TestA"}},
	} {
		tr := tracetest.Parse(t, "0 testbegin\n0 make c\n"+test.events+"\n1 w x\n3 w x")
		for g, in := range []string{"TestA", test.own, "TestB", test.own} {
			tr.Goroutines[g].Test = in
		}
		tr.Goroutines[2].Path = "0"
		f := predict(t, tr).Findings[0]
		if !slices.Equal(f.Tests, test.tests) {
			t.Errorf("%q of %q: tests %q, expected %q", test.events, test.own, f.Tests, test.tests)
		}
	}
}

func TestPairsOfOneTestComeFirst(t *testing.T) {
	tr := tracetest.Parse(t, "0 w x @1\n1 w z\n1 w z\n2 r x @2\n1 r x @2")
	tr.Goroutines[2].Test = "TestY"
	f := predict(t, tr).Findings[0]
	if want := []int{0, 4}; !slices.Equal(f.Accesses, want) || len(f.Tests) != 1 {
		t.Errorf("accesses %v, tests %q", f.Accesses, f.Tests)
	}
}

func TestSitesThatLookAlikeAreOneFinding(t *testing.T) {
	tr := tracetest.Parse(t, "1 r x @1\n1 r x @2\n2 w x @3")
	for id, s := range tr.Sites {
		if s.Op == "read" {
			s.Line = 1
			tr.Sites[id] = s
		}
	}
	r := predict(t, tr)
	if len(r.Findings) != 1 || r.Candidates != 1 || len(slices.Collect(r.Findings[0].Recipes())) < 2 {
		t.Errorf("%d candidates, findings %+v", r.Candidates, r.Findings)
	}
}

func TestRandomTraces(t *testing.T) {
	shape := tracetest.Config{Goroutines: 4, Events: 30, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true, HandOver: true}
	for seed := range uint64(150) {
		tr := tracetest.Random(seed, shape)
		r := predict(t, tr)
		if again := predict(t, tr); !reflect.DeepEqual(r, again) {
			t.Fatalf("seed %d: a second analysis has another result", seed)
		}
		if r.Candidates != len(r.Findings)+r.Pruned() {
			t.Errorf("seed %d: %d candidates, %d findings, %d pruned", seed, r.Candidates, len(r.Findings), r.Pruned())
		}
		sites := make(map[string]bool)
		for _, f := range r.Findings {
			places := fmt.Sprint(f.Kind, slices.Sorted(slices.Values(f.Sites)))
			if sites[places] {
				t.Errorf("seed %d: %s twice", seed, places)
			}
			sites[places] = true
			if (f.Status == bug.Predicted) != (len(f.Schedules) > 0) || (f.Status == bug.Predicted) != (f.Reason == "") {
				t.Errorf("seed %d: %+v", seed, f)
			}
			for _, recipe := range f.Schedules {
				s := recipe.Schedule()
				if again := recipe.Schedule(); !reflect.DeepEqual(s, again) || slices.ContainsFunc(s.Violation, func(i int) bool { return !slices.Contains(recipe.Accesses, i) }) {
					t.Errorf("seed %d: one recipe makes %v and %v", seed, s, again)
				}
				if err := feasible.New(tr).CheckFrom(s.From, s.Steps, recipe.Accesses); err != nil {
					t.Errorf("seed %d, sites %v: %v", seed, f.Sites, err)
				}
			}
		}
	}
}

// TestBudget has candidates that the budget does not suffice for: the same ones
// each time.
func TestBudget(t *testing.T) {
	shape := tracetest.Config{Goroutines: 4, Events: 30, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true, HandOver: true}
	results := make(map[string]int)
	for seed := range uint64(40) {
		for _, steps := range []int64{1, 50_000} {
			opts := analysis.Options{Solving: analysis.Solving{Budget: solver.Budget{Steps: steps}}}
			var both [2]*analysis.Result
			for k := range both {
				var err error
				if both[k], err = analysis.Predict(context.Background(), tracetest.Random(seed, shape), opts); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(both[0], both[1]) {
				t.Fatalf("seed %d, %d steps: a second analysis has another result", seed, steps)
			}
			for _, f := range both[0].Findings {
				switch {
				case f.Tier == analysis.TierSolver:
					results[fmt.Sprint(steps, " decided")]++
				case strings.HasPrefix(f.Reason, "undecided within budget (steps): "):
					results[fmt.Sprint(steps, " undecided")]++
				}
			}
		}
	}
	if results["1 undecided"] == 0 || results["50000 decided"] == 0 || results["50000 undecided"] == 0 {
		t.Errorf("got %v", results)
	}
}

// exhausting is an engine that takes all of each budget, and notes how much that was.
type exhausting struct {
	solver.Engine
	spent *int64
}

func (e exhausting) Check(_ context.Context, budget *solver.Budget, _ ...solver.Bool) (solver.Answer, error) {
	*e.spent += max(0, budget.Steps)
	budget.Spend(budget.Steps)
	return solver.Unknown, nil
}

func (e exhausting) Why() string { return "steps" }

// TestBudgetOfPatterns has many patterns that take all of their budget: which is at most half of
// the work for the trace, so that what comes after them does not go without.
func TestBudgetOfPatterns(t *testing.T) {
	shape := tracetest.Config{Goroutines: 4, Events: 30, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true, HandOver: true}
	const steps = 10_000_000
	most := int64(0)
	for seed := range uint64(10) {
		spent := int64(0)
		_, err := analysis.Predict(context.Background(), tracetest.Random(seed, shape), analysis.Options{
			Kinds: []bug.Kind{bug.Atomicity, bug.AtomicSet},
			Solving: analysis.Solving{Budget: solver.Budget{Steps: steps}, Engine: func(f *solver.Formula) (solver.Engine, error) {
				return exhausting{solver.NewBuiltin(f), &spent}, nil
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, spent)
	}
	if half := analysis.WorkFor(tracetest.Random(0, shape)) / 2; most == 0 || most > half {
		t.Errorf("patterns took %d steps, expected some and at most %d", most, half)
	}
}

// TestEndOfTest has a goroutine that uses a test twice under a lock, while package
// testing ends it: one bug, and no two uses that nothing may part.
func TestEndOfTest(t *testing.T) {
	tr := tracetest.Parse(t, "1 acq m\n1 r x @1\n1 r x @2\n1 rel m\n2 w x @3")
	kinds := func() (kinds []bug.Kind) {
		for _, f := range predict(t, tr).Findings {
			kinds = append(kinds, f.Kind)
		}
		return kinds
	}
	if got, want := kinds(), []bug.Kind{bug.Race, bug.Race}; !reflect.DeepEqual(got, want) {
		t.Fatalf("a variable of the program: got %v, want %v", got, want)
	}
	end := tr.Sites[tr.Events[4].Site]
	end.Func = "testing.tRunner"
	tr.Sites[end.ID] = end
	if got, want := kinds(), []bug.Kind{bug.Failure, bug.Failure}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := analysis.Predict(ctx, tracetest.Parse(t, "0 w x\n1 w x"), analysis.Options{})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1 of 1") {
		t.Errorf("got %v", err)
	}
	_, err = analysis.Predict(context.Background(), &trace.Trace{Events: []trace.Event{{G: 3}}}, analysis.Options{})
	if err == nil {
		t.Error("a damaged trace is analysed")
	}
}

// TestDamage has events in which nothing fits together.
func TestDamage(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		tr := &trace.Trace{Goroutines: make([]trace.Goroutine, 4)}
		for range 60 {
			tr.Events = append(tr.Events, trace.Event{
				Kind: trace.Kind(r.IntN(int(trace.NumKinds) + 2)), Flags: trace.Flags(r.IntN(16)),
				G: trace.GID(r.IntN(4)), Site: trace.SiteID(r.IntN(9)),
				Size: uint32(r.IntN(3)) * math.MaxUint32 / 2, Obj: uint64(r.IntN(4)) - 1 | 1, Val: uint64(r.IntN(5)) - 2,
			})
		}
		again := *tr
		if !reflect.DeepEqual(predict(t, tr), predict(t, &again)) {
			t.Errorf("seed %d: a second analysis has another result", seed)
		}
	}
}

func TestOptions(t *testing.T) {
	tr := tracetest.Parse(t, "1 w z\n1 w x @1\n2 r x @2\n2 post p\n1 post p\n1 w x @1\n2 r x @2\n3 w z")
	for _, n := range []int{1, 2, 3} {
		r, err := analysis.Predict(context.Background(), tr, analysis.Options{Schedules: n})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			if f.Accesses[0] == 1 && len(f.Schedules) != n {
				t.Errorf("%d schedules, want %d", len(f.Schedules), n)
			}
		}
	}
}

// Schedules for patterns in which each read finds what it found come first, though they are for accesses that are
// further apart.
func TestKeptReadsComeFirst(t *testing.T) {
	// Without the write of y, y is read as something else.
	const apart = "1 acq l\n1 r x @1\n1 r x @2\n1 w y\n1 rel l\n2 r y data\n2 w x @3\n"
	const later = "2 post p\n1 await p\n1 acq l\n1 r x @1\n1 r x @2\n1 rel l\n1 w z\n1 w z\n1 w z\n2 w x @3"
	for _, test := range []struct {
		text string
		want []int
	}{{apart, []int{1, 6, 2}}, {apart + later, []int{10, 16, 11}}} {
		r, err := analysis.Predict(t.Context(), tracetest.Parse(t, test.text), analysis.Options{Kinds: []bug.Kind{bug.Atomicity}})
		require.NoError(t, err)
		require.Len(t, r.Findings, 1)
		assert.Equal(t, bug.Predicted, r.Findings[0].Status)
		assert.Equal(t, test.want, r.Findings[0].Accesses)
	}
}

// What is made once it is asked for is what is made at once, in whichever order that is.
func TestRecipes(t *testing.T) {
	shape := tracetest.Config{Goroutines: 4, Events: 60, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true}
	second := 0
	for seed := range uint64(100) {
		tr := tracetest.Random(seed, shape)
		later := predict(t, tr).Findings
		r, err := analysis.Predict(t.Context(), tr, analysis.Options{Schedules: 2})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for k := range later {
			all.Go(func() { later[k].Schedules = slices.Collect(later[k].Recipes()) })
		}
		all.Wait()
		for k, f := range r.Findings {
			if len(later[k].Schedules) != len(f.Schedules) {
				t.Fatalf("seed %d: %d schedules, want %d", seed, len(later[k].Schedules), len(f.Schedules))
			}
			for n, want := range f.Schedules {
				if got := later[k].Schedules[n]; !reflect.DeepEqual(got.Schedule(), want.Schedule()) || !slices.Equal(got.Accesses, want.Accesses) || got.Tier() != want.Tier() {
					t.Errorf("seed %d: schedule %d is %v, want %v", seed, n, got.Schedule(), want.Schedule())
				}
				second += n
			}
		}
	}
	if second < 300 {
		t.Errorf("only %d second schedules", second)
	}
}

func BenchmarkPredict(b *testing.B) {
	tr := tracetest.Random(1, tracetest.Config{Goroutines: 4, Events: 250_000, Sync: tracetest.Mutexes, Locks: 4, Locations: 99, WriteOnly: true})
	for b.Loop() {
		predict(b, tr)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(tr.Events)), "ns/event")
}

// BenchmarkServer decides all patterns in traces of the shape of Derby's in
// PECAN's Table 1, from a fiftieth of its size to twenty times: what one
// event costs should stay the same.
func BenchmarkServer(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 447_392, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tr := tracetest.ServerTrace(n)
			for b.Loop() {
				r, err := analysis.Predict(context.Background(), tr, analysis.Options{Kinds: []bug.Kind{bug.Atomicity, bug.AtomicSet}})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(r.Findings)), "found")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(tr.Events)), "ns/event")
		})
	}
}
