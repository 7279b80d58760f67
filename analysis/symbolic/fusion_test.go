package symbolic_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// The figures of Wang, Kundu, Limaye, Ganai, Gupta, Symbolic Predictive Analysis
// for Concurrent Programs, 2011.

// A figure is a trace in the making. The first goroutine initializes the variables
// and starts the others.
type figure struct {
	*trace.Trace
	at map[string]int // positions by the names of the paper
}

const (
	x, y, lock = 0x1000, 0x1008, 0x2000
	key        = trace.SiteRewritten
)

func newFigure(threads int) *figure {
	f := &figure{&trace.Trace{Sites: make(map[trace.SiteID]trace.Site), Complete: true}, make(map[string]int)}
	f.Goroutines = []trace.Goroutine{{Path: "main"}}
	f.write("x0", 0, x, "0", 0)
	f.write("y0", 0, y, "0", 0)
	for g := range threads {
		id := trace.GID(g + 1)
		f.Goroutines = append(f.Goroutines, trace.Goroutine{ID: id, Path: "main." + string(rune('1'+g))})
		f.event("", trace.Event{Kind: trace.Fork, Obj: uint64(id)})
	}
	for g := range threads {
		f.event("", trace.Event{Kind: trace.Begin, G: trace.GID(g + 1)})
	}
	return f
}

func (f *figure) event(name string, e trace.Event) {
	f.at[name] = len(f.Events)
	f.Events = append(f.Events, e)
}

// site makes the site number n, from 1 on.
func (f *figure) site(n int, s trace.Site) trace.SiteID {
	s.ID = key | trace.SiteID(n)
	s.Key = uint64(n)
	f.Sites[s.ID] = s
	return s.ID
}

// read reads at the site number n, so that formulas know the value as @n.
func (f *figure) read(name string, g trace.GID, n int, obj uint64, val uint64) {
	id := f.site(n, trace.Site{OnlyInFormulas: true})
	f.event(name, trace.Event{Kind: trace.Read, Flags: trace.FlagValue, G: g, Site: id, Obj: obj, Size: 8, Val: val})
}

func (f *figure) write(name string, g trace.GID, obj uint64, formula string, val uint64) {
	id := f.site(100+len(f.Events), trace.Site{Formula: formula})
	f.event(name, trace.Event{Kind: trace.Write, Flags: trace.FlagValue, G: g, Site: id, Obj: obj, Size: 8, Val: val})
}

func (f *figure) decide(name string, g trace.GID, kind trace.Kind, formula string) {
	s := trace.Site{Formula: formula}
	if kind == trace.Assert {
		s.FailsIf = trace.IfFalse
	}
	f.event(name, trace.Event{Kind: kind, G: g, Site: f.site(100+len(f.Events), s), Val: 1})
}

func (f *figure) lock(name string, g trace.GID, kind trace.Kind) {
	f.event(name, trace.Event{Kind: kind, G: g, Obj: lock})
}

// The models of section 7.
func (f *figure) concurrent(o *order.Order) *symbolic.Model {
	return symbolic.NewConcurrent(f.Trace, o, dataflow.New(f.Trace))
}

func (f *figure) constrained(o *order.Order) *symbolic.Model {
	return symbolic.NewConcurrent(f.Trace, o, dataflow.New(f.Trace).Constrained(f.Trace))
}

func (f *figure) relaxed(o *order.Order) *symbolic.Model { return symbolic.NewRelaxed(f.Trace, o) }

// ask solves for the target in a model.
func (f *figure) ask(t *testing.T, model func(*order.Order) *symbolic.Model, target symbolic.Target) symbolic.Answer {
	t.Helper()
	require.NoError(t, trace.Validate(f.Trace))
	o, err := order.New(f.Trace)
	require.NoError(t, err)
	d := model(o).NewDecider(0, []symbolic.Target{target}, newEngine)
	defer d.Close()
	a, err := d.Decide(context.Background(), 0, &solver.Budget{Steps: 60 * solver.Second})
	require.NoError(t, err)
	return a
}

// fusion1 is the running example, Figures 1 to 4; t3 stores 2 + a, or with
// another number that plus a.
func fusion1(t3 string, v3 uint64) *figure {
	f := newFigure(2)
	f.read("t1", 1, 1, x, 0)
	f.lock("t2", 1, trace.Acquire)
	f.write("t3", 1, x, t3, v3)
	f.lock("t4", 1, trace.Release)
	f.write("t5", 1, y, "(+ 1 @1i8)", 1)
	f.lock("t6", 1, trace.Acquire)
	f.write("t7", 1, x, "(+ 1 @1i8)", 1)
	f.lock("t8", 1, trace.Release)
	f.lock("t10", 2, trace.Acquire)
	f.read("", 2, 11, x, 1)
	f.decide("t11", 2, trace.Branch, "(< 0 @bi8)")
	f.read("r12", 2, 12, y, 1)
	f.decide("t12", 2, trace.Assert, "(= @ci8 1)")
	f.lock("t13", 2, trace.Release)
	return f
}

func TestFusionFigure1(t *testing.T) {
	f := fusion1("(+ 2 @1i8)", 2)
	target := symbolic.Failure(f.at["t12"])
	a := f.ask(t, f.concurrent, target)
	require.Equal(t, solver.Sat, a.Answer)
	require.NoError(t, feasible.Check(f.Trace, a.Steps, target.Pending))
	// As in ρ′: x > b by what t3 has written, and y is still 0.
	assert.Contains(t, a.Steps, f.at["t3"])
	assert.NotContains(t, a.Steps[:slices.Index(a.Steps, f.at["r12"])], f.at["t5"])

	// No model of recorded values knows that 2 > 0, too.
	assert.Equal(t, solver.Unsat, f.ask(t, f.constrained, target).Answer)
}

func TestFusionFigure7(t *testing.T) {
	f := fusion1("(+ 1 @1i8)", 1)
	target := symbolic.Failure(f.at["t12"])
	assert.Equal(t, solver.Sat, f.ask(t, f.constrained, target).Answer)
	assert.Equal(t, solver.Sat, f.ask(t, f.concurrent, target).Answer)
}

// TestFusionFigure5: the violation leads to a branch that was not taken.
func TestFusionFigure5(t *testing.T) {
	f := newFigure(2)
	f.write("t1", 1, x, "0", 0)
	f.read("t2", 1, 2, x, 0)
	f.decide("t3", 1, trace.Branch, "(= (+ @2i8 1) 1)")
	f.write("t4", 1, x, "2", 2)
	f.write("t5", 2, x, "3", 3)
	f.read("t6", 2, 6, x, 3)
	triple := symbolic.Sequence(f.at["t1"], f.at["t5"], f.at["t2"])
	assert.Equal(t, solver.Sat, f.ask(t, f.concurrent, triple).Answer)
	whole := symbolic.Target{Order: append(slices.Clone(triple.Order), [2]int{f.at["t2"], f.at["t4"]})}
	assert.Equal(t, solver.Unsat, f.ask(t, f.concurrent, whole).Answer, "a whole run of these events")
}

// TestFusionFigure9: without data there is a violation that no run shows, without
// it and with synchronization there is none.
func TestFusionFigure9(t *testing.T) {
	f := newFigure(2)
	f.read("t1", 1, 1, x, 0)
	f.write("t2", 1, x, "(+ @1i8 1)", 1)
	f.read("t3", 2, 3, x, 1)
	f.decide("t4", 2, trace.Branch, "(< 0 @3i8)")
	f.write("t5", 2, x, "(+ @3i8 1)", 2)
	triple := symbolic.Sequence(f.at["t1"], f.at["t5"], f.at["t2"])
	assert.Equal(t, solver.Sat, f.ask(t, f.relaxed, triple).Answer)
	assert.Equal(t, solver.Unsat, f.ask(t, f.concurrent, triple).Answer)

	f = newFigure(2)
	f.write("t1", 1, x, "1", 1)
	f.read("t2", 1, 2, x, 1)
	f.event("t3", trace.Event{Kind: trace.Post, G: 1, Obj: 7})
	f.event("t4", trace.Event{Kind: trace.Await, G: 2, Obj: 7})
	f.write("t5", 2, x, "0", 0)
	triple = symbolic.Sequence(f.at["t1"], f.at["t5"], f.at["t2"])
	assert.Equal(t, solver.Unsat, f.ask(t, f.relaxed, triple).Answer)
	assert.Equal(t, solver.Unsat, f.ask(t, f.concurrent, triple).Answer)
}

// fusion11 is a run of the program of Figures 11 to 13, in which one thread runs
// before the other one: the first finds 0 and takes its first branch, the second
// finds 2 and takes the other one. The names are those of the paper's events.
func fusion11(first, second trace.GID) *figure {
	f := newFigure(2)
	own := map[trace.GID]uint64{1: x, 2: y}
	f.read("read", first, 1, own[second], 0)
	f.decide("then", first, trace.Branch, "(= @1i8 0)") // t12 or t22
	f.write("", first, own[first], "1", 1)
	f.read("", first, 2, own[first], 1)
	f.write("stored", first, own[first], "(+ @2i8 1)", 2) // t15 or t25
	f.event("", trace.Event{Kind: trace.Post, G: first, Obj: 7})
	f.read("", second, 3, own[first], 2)
	f.decide("else", second, trace.Branch, "(not (= @3i8 0))") // t26 or t16
	f.write("", second, own[second], "0", 0)
	f.event("", trace.Event{Kind: trace.Post, G: second, Obj: 8})
	f.event("", trace.Event{Kind: trace.Await, Obj: 7})
	f.event("", trace.Event{Kind: trace.Await, Obj: 8})
	f.read("", 0, 4, x, 2*uint64(second-1))
	f.read("", 0, 5, y, 2*uint64(first-1))
	f.decide("t5", 0, trace.Assert, "(not (= @4i8 @5i8))")
	return f
}

// TestFusionFigure11: the assertion fails where both threads take their first branch.
// No run that passes has both, so none shows that by itself; each shows that the
// thread which took the other branch can take the first. ρ′ of the paper is among
// these runs: its t21 comes before t15.
func TestFusionFigure11(t *testing.T) {
	for _, f := range []*figure{fusion11(1, 2), fusion11(2, 1)} {
		fails, turns := symbolic.Failure(f.at["t5"]), symbolic.Failure(f.at["else"])
		assert.Equal(t, solver.Unsat, f.ask(t, f.concurrent, fails).Answer)
		assert.False(t, feasible.Fails(f.Trace, fails.Pending[0]))

		a := f.ask(t, f.concurrent, turns)
		require.Equal(t, solver.Sat, a.Answer)
		assert.True(t, feasible.Fails(f.Trace, turns.Pending[0]))
		require.NoError(t, feasible.Check(f.Trace, a.Steps, turns.Pending))
		assert.NotContains(t, a.Steps, f.at["stored"])

		early := symbolic.Target{Order: [][2]int{{f.at["else"], f.at["stored"]}}}
		assert.Equal(t, solver.Sat, f.ask(t, f.concurrent, early).Answer, "ρ′")
	}
}
