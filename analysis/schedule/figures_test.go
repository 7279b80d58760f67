package schedule

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func plan(t testing.TB, tr *trace.Trace) *Planner {
	t.Helper()
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	return NewPlanner(tr, o, causality.New(tr, o))
}

// PECAN's figures number events from 1; here they have positions from 0, and
// Figure 5 with v2 and v5 as what Java calls notify and wait.
const (
	figure4 = `
		1 w a   // v1
		1 w x   // v2
		1 w a   // v3
		2 w b   // v4
		2 r x   // v5
		2 w b   // v6`
	figure5 = `
		1 acq l   // v1
		1 post p  // v2
		1 w x     // v3
		1 rel l   // v4
		2 await p // v5
		2 acq l   // v6
		2 rel l   // v7
		2 r x     // v8`
	figure5Unordered = `
		1 acq l   // v1
		1 post p  // v2
		1 w x     // v3
		1 rel l   // v4
		2 post q  // v5
		2 acq l   // v6
		2 rel l   // v7
		2 r x     // v8`
)

func TestPecanFigures(t *testing.T) {
	for _, test := range []struct {
		name, text string
		i, j       int
		steps      []int
	}{
		{"figure 4, δ″", figure4, 1, 4, []int{0, 3}},
		{"figure 5 without the order", figure5Unordered, 2, 7, []int{4, 5, 6, 0, 1}},
	} {
		tr := tracetest.Parse(t, test.text)
		p := plan(t, tr)
		if got := pecanSteps(p.t, p.o, 0, test.i, test.j); !slices.Equal(got, test.steps) {
			t.Errorf("%s: Algorithm 3 makes %v, want %v", test.name, got, test.steps)
		}
		for s := range p.Race(test.i, test.j, nil, math.MaxInt).All() {
			if !slices.Equal(s.Steps, test.steps) || !slices.Equal(s.Violation, []int{test.i, test.j}) {
				t.Errorf("%s: the first schedule is %v", test.name, s)
			}
			if err := feasible.Check(tr, s.Steps, s.Violation); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			break
		}
	}
}

func TestFigure5IsFalse(t *testing.T) {
	tr := tracetest.Parse(t, figure5)
	p := plan(t, tr)
	for s := range p.Race(2, 7, nil, math.MaxInt).All() {
		if feasible.Check(tr, s.Steps, s.Violation) == nil {
			t.Errorf("the false pair has schedule %v", s)
		}
	}
	if held, needed, ok := p.o.ExcludedByHistory(2, 7); !ok || held != 0 || needed != 5 {
		t.Errorf("Locked: %d, %d, %v", held, needed, ok)
	}
	if _, _, ok := plan(t, tracetest.Parse(t, figure5Unordered)).o.ExcludedByHistory(2, 7); ok {
		t.Error("Locked refutes what can happen")
	}
}

func TestTurned(t *testing.T) {
	for _, test := range []struct {
		name, text string
		i, j       int
		steps      []int
	}{
		{"two locks on both sides, each first held by the other", `
			1 acq a
			1 acq b
			1 rel b
			1 w x    // holds a
			1 rel a
			2 acq a
			2 rel a
			2 acq b
			2 w x    // holds b
			2 rel b`,
			3, 8, []int{5, 6, 0, 1, 2, 7}},
		{"what a moved section needs comes before it", `
			3 w y=1
			1 acq a
			1 r y=1
			1 w x
			1 rel a
			2 acq a
			2 rel a
			2 r x`,
			3, 7, []int{0, 5, 6, 1, 2}},
		{"readers need not wait for each other", `
			1 racq a
			1 w x
			1 rrel a
			2 acq a
			2 rel a
			2 racq a
			2 r x
			2 rrel a`,
			1, 6, []int{3, 4, 0, 5}},
	} {
		tr := tracetest.Parse(t, test.text)
		p := plan(t, tr)
		steps, ok := p.turnedSteps(p.baseAt(0), target{accesses: []int{test.i, test.j}}, readsThatMatter)
		if !ok || !slices.Equal(steps, test.steps) {
			t.Errorf("%s: %v, %v, want %v", test.name, steps, ok, test.steps)
		}
		if err := feasible.Check(tr, steps, []int{test.i, test.j}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// The locks of Figure 1 of the universal causality graphs: l2 must be turned
// round, and for that l3, which nobody holds at the accesses.
func TestGuide(t *testing.T) {
	tr := tracetest.Parse(t, `
		1 acq l3
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
		2 w sh`)
	p := plan(t, tr)
	m := causality.New(tr, p.o)
	v := target{accesses: []int{5, 13}, guide: m.Chopped(m.Meeting(5, 13)).Edges(0)}
	steps, ok := p.turnedSteps(p.baseAt(0), v, readsThatMatter)
	if want := []int{7, 8, 9, 10, 11, 12, 0, 1, 2, 3, 4}; !ok || !slices.Equal(steps, want) {
		t.Errorf("%v, %v, want %v", steps, ok, want)
	}
	if err := feasible.Check(tr, steps, v.accesses[:]); err != nil {
		t.Error(err)
	}
}

// A counter that both goroutines count keeps no order of theirs; the flag that
// one of them waits for does.
func TestCounterKeepsNoOrder(t *testing.T) {
	tr := tracetest.Parse(t, `
		3 w flag=1
		1 w x
		1 acq l
		1 r n=0 update
		1 w n=1
		1 rel l
		2 r flag=1
		2 branch
		2 acq l
		2 r n=1 update
		2 w n=2
		2 rel l
		2 branch
		2 r x`)
	p := plan(t, tr)
	steps, ok := p.directSteps(p.baseAt(0), target{accesses: []int{1, 13}}, readsThatMatter)
	if want := []int{0, 6, 7, 8, 9, 10, 11, 12}; !ok || !slices.Equal(steps, want) {
		t.Errorf("%v, %v, want %v", steps, ok, want)
	}
	if err := feasible.Check(tr, steps, []int{1, 13}); err != nil {
		t.Error(err)
	}
}

func TestHold(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		0 fork 2
		0 fork 3
		0 recv c   // begun, and so it completes by itself
		1 begin
		1 w x
		2 begin
		2 send c
		0 recvd c#1
		2 sent c#1
		2 r x
		0 operand  // tells of a value, and nothing else
		0 w z
		3 begin
		4 begin    // not forked by any step
		0 end`)
	for _, r := range plan(t, tr).Race(5, 10, nil, math.MaxInt).All() {
		s := r.Schedule()
		if want := []int{0, 1, 2, 3, 4, 6, 7, 9}; !slices.Equal(s.Steps, want) {
			t.Errorf("steps %v, want %v", s.Steps, want)
		}
		if want := []int{12, 13}; !slices.Equal(s.Hold, want) {
			t.Errorf("hold %v, want %v", s.Hold, want)
		}
		break
	}
}

// Algorithm 3 is among the schedules: it has what nobody needs, as it happened, and
// none of what depends on the first access.
func TestPecanIsTried(t *testing.T) {
	tr := tracetest.Parse(t, `
		3 w z
		1 w x
		1 post p
		3 await p
		3 w z
		2 r x`)
	p := plan(t, tr)
	if got := pecanSteps(p.t, p.o, 0, 1, 5); !slices.Equal(got, []int{0}) {
		t.Errorf("Algorithm 3 makes %v, want [0]", got)
	}
	var all [][]int
	for _, r := range p.Race(1, 5, nil, math.MaxInt).All() {
		all = append(all, r.Schedule().Steps)
	}
	if !slices.ContainsFunc(all, func(steps []int) bool { return slices.Equal(steps, []int{0}) }) {
		t.Errorf("the schedules are %v, and none is that of Algorithm 3", all)
	}
}

// Where the first access's lock is turned round, its goroutine comes late, and with it
// all that comes before the second access.
func TestTurnedLate(t *testing.T) {
	const waits = `
		3 acq a
		3 rel a
		3 post p
		2 await p
		2 w x`
	locks, inner := "", ""
	for k := range 3 {
		locks += fmt.Sprintf("\n2 acq b%d", k)
		inner += fmt.Sprintf("\n1 acq b%d\n1 rel b%d", k, k)
	}
	for _, test := range []struct{ name, text string }{
		{"locks at the second access", "1 acq a" + inner + "\n1 w x\n1 rel a" + locks + waits},
		{"messages in line", "1 acq a\n1 send c/2\n1 sent c#1/2\n1 w x\n1 rel a\n2 send c/2\n2 sent c#2/2" + waits},
	} {
		tr := tracetest.Parse(t, test.text)
		var v []int
		for i, e := range tr.Events {
			if e.Kind == trace.Write {
				v = append(v, i)
			}
		}
		p := plan(t, tr)
		steps, ok := p.turnedSteps(p.baseAt(0), target{accesses: v}, readsThatMatter)
		if !ok {
			t.Errorf("%s: no schedule", test.name)
		} else if once := int64(len(steps) + 2*len(tr.Goroutines)); p.Spent()-p.graphs.Spent() != once {
			t.Errorf("%s: it took %d, want %d: one cone and one try", test.name, p.Spent()-p.graphs.Spent(), once)
		} else if err := feasible.Check(tr, steps, v); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// Each schedule names who has made it.
func TestScheduler(t *testing.T) {
	for _, test := range []struct {
		name, text string
		i, j       int
		steps      []int
		want       Scheduler
	}{
		{"what the accesses need, as it was", "1 w x\n3 w z\n2 w y\n2 r x", 0, 3, []int{2}, Cone},
		{"all that happened", "1 w x\n3 w z\n2 w y\n2 r x", 0, 3, []int{1, 2}, Pecan},
		{"sections the other way round", "1 acq a\n1 w x\n1 rel a\n2 acq a\n2 rel a\n3 w z\n2 r x", 1, 6, []int{3, 4, 0}, Turned},
	} {
		found := false
		p := plan(t, tracetest.Parse(t, test.text))
		for s, recipe := range p.Race(test.i, test.j, nil, math.MaxInt).All() {
			if slices.Equal(s.Steps, test.steps) {
				if found = true; recipe.Scheduler() != test.want {
					t.Errorf("%s: made by %s, want %s", test.name, recipe.Scheduler(), test.want)
				}
			}
		}
		if recipe := p.FromSteps(0, test.steps, []int{test.i, test.j}, []int{test.i, test.j}); !found || recipe.Scheduler() != Solver {
			t.Errorf("%s: found %v, given by %s", test.name, found, recipe.Scheduler())
		}
	}
}
