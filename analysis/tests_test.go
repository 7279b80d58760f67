package analysis_test

import (
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// after returns a trace in which a test runs b after another has run a. They
// have nothing in common.
func after(a, b *trace.Trace) *trace.Trace {
	const apart = 1 << 20
	tr := &trace.Trace{Goroutines: slices.Clone(a.Goroutines), Sites: map[trace.SiteID]trace.Site{}, TestNames: []string{"TestA", "TestX"}}
	for id, s := range a.Sites {
		tr.Sites[id] = s
	}
	for id, s := range b.Sites {
		s.ID, s.Key, s.Line = s.ID+apart, s.Key+apart, s.Line+apart
		tr.Sites[id+apart] = s
	}
	for g := range tr.Goroutines {
		tr.Goroutines[g].Test = "TestA"
	}
	n := trace.GID(len(a.Goroutines))
	for _, g := range b.Goroutines {
		g.ID, g.Parent = g.ID+n, g.Parent+n
		tr.Goroutines = append(tr.Goroutines, g)
	}
	tr.Goroutines[n].Path = "0"
	tr.Events = append(slices.Clone(a.Events), trace.Event{Kind: trace.TestBegin, G: n, Obj: 1})
	for _, e := range b.Events {
		e.G += n
		if e.Site != 0 {
			e.Site += apart
		}
		switch {
		case e.Kind == trace.Fork:
			e.Obj += uint64(n)
		case e.Obj != 0:
			e.Obj += apart
		}
		tr.Events = append(tr.Events, e)
	}
	return tr
}

// What is predicted for a test does not depend on the tests before it, and
// schedules begin where the test does.
func TestTestsBeforeDoNotMatter(t *testing.T) {
	shape := tracetest.Config{Goroutines: 4, Events: 25, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true, HandOver: true, Counters: true}
	predicted := 0
	for seed := range uint64(150) {
		a, b := tracetest.Random(seed+1000, shape), tracetest.Random(seed, shape)
		for g := range b.Goroutines {
			b.Goroutines[g].Test = "TestX"
		}
		both := after(a, b)
		begin := len(a.Events)
		var got []analysis.Finding
		for _, f := range predict(t, both).Findings {
			if f.Accesses[0] > begin {
				got = append(got, f)
			}
		}
		want := predict(t, b).Findings
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d findings, want %d", seed, len(got), len(want))
		}
		for k, f := range got {
			w := want[k]
			if f.Status != w.Status || !slices.EqualFunc(f.Accesses, w.Accesses, func(i, j int) bool { return i-begin-1 == j }) || len(f.Schedules) != len(w.Schedules) {
				t.Errorf("seed %d: finding %+v, want %+v", seed, f, w)
			}
			for _, recipe := range f.Schedules[:min(len(f.Schedules), len(w.Schedules))] {
				s := recipe.Schedule()
				if s.From != begin || len(s.Steps) > len(b.Events)+1 { // which of several runs the solver finds may differ
					t.Errorf("seed %d: schedule %+v", seed, s)
				}
				all := make([]int, 0, s.From+len(s.Steps))
				for i := range s.From {
					all = append(all, i)
				}
				if err := feasible.Check(both, append(all, s.Steps...), recipe.Accesses); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				predicted++
			}
		}
	}
	if predicted < 100 {
		t.Errorf("only %d schedules", predicted)
	}
}
