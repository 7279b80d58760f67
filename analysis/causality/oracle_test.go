package causality_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

var traces = flag.Int("traces", 100, "random traces to compare with all their interleavings")

// shapes are what random traces look like; exact ones have two goroutines, and
// only synchronization for which acyclic graphs have a run.
var shapes = []struct {
	name  string
	exact bool
	tracetest.Config
}{
	{"two, nested", true, tracetest.Config{Goroutines: 2, Events: 12, Sync: tracetest.Mutexes, Locks: 3, Locations: 1}},
	{"two, un-nested", true, tracetest.Config{Goroutines: 2, Events: 12, Sync: tracetest.Mutexes, Locks: 3, Locations: 1, Unnested: true}},
	{"two, readers", true, tracetest.Config{Goroutines: 2, Events: 12, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, Locations: 1, Unnested: true}},
	{"two, conditions", true, tracetest.Config{Goroutines: 2, Events: 12, Sync: tracetest.Mutexes | tracetest.Conds, Locks: 2, Locations: 1, Unnested: true}},
	{"two, channels", true, tracetest.Config{Goroutines: 2, Events: 10, Sync: tracetest.Mutexes | tracetest.Channels, Locks: 2, Locations: 1, Unnested: true}},
	{"two, all else", false, tracetest.Config{Goroutines: 2, Events: 12, Sync: tracetest.All &^ tracetest.Atomics, Locks: 2, Locations: 1, HandOver: true}},
	{"three, locks", false, tracetest.Config{Goroutines: 3, Events: 6, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, Locations: 1, Unnested: true}},
	{"three, all", false, tracetest.Config{Goroutines: 3, Events: 7, Sync: tracetest.All &^ tracetest.Atomics, Locks: 2, Locations: 1, Unnested: true}},
	{"four, all", false, tracetest.Config{Goroutines: 4, Events: 5, Sync: tracetest.All &^ tracetest.Atomics, Locks: 2, Locations: 1, Unnested: true}},
}

// TestOracle compares graphs with the interleavings of random traces: whole,
// chopped, labelled and parted ones agree; none is cyclic if a run shows the violation;
// and with two goroutines, all are if none does (Theorem 1).
func TestOracle(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.WriteOnly = true
			n := cases{T: t}
			for seed := range uint64(*traces) {
				n.trace(seed, tracetest.Random(seed, s.Config), s.exact)
			}
			if n.cyclic < *traces/10 || n.shown < *traces/2 {
				t.Errorf("only %d violations refuted, %d shown", n.cyclic, n.shown)
			}
			t.Logf("%d violations refuted, %d shown, %d neither", n.cyclic, n.shown, n.neither)
		})
	}
}

// cases counts what became of violations.
type cases struct {
	*testing.T
	cyclic, shown, neither int
}

// A violation has a property, and whether an order of events shows it.
type violation struct {
	causality.Property
	events []int
	race   bool
	shown  bool
}

func (n *cases) trace(seed uint64, tr *trace.Trace, exact bool) {
	o, err := order.New(tr)
	if err != nil {
		n.Fatal(err)
	}
	m := causality.New(tr, o)
	vs := violations(tr, m)
	if len(vs) > causality.MaxLabels {
		vs = vs[:causality.MaxLabels]
	}
	search(tr, o, vs)
	var props []causality.Property
	for _, v := range vs {
		props = append(props, v.Property)
	}
	whole, chopped := m.Whole(props...), m.Chopped(props...)
	parted := make([]causality.Labels, len(vs))
	for _, group := range m.Partition(props) {
		var ps []causality.Property
		for _, k := range group {
			ps = append(ps, props[k])
		}
		g := m.Chopped(ps...)
		for n, k := range group {
			parted[k] = g.Cyclic() >> n & 1
		}
	}
	for k, v := range vs {
		g := m.Whole(v.Property)
		cyclic := g.Cyclic() != 0
		for _, same := range []causality.Labels{m.Chopped(v.Property).Cyclic(), whole.Cyclic() >> k & 1, chopped.Cyclic() >> k & 1, parted[k]} {
			if (same != 0) != cyclic {
				n.Fatalf("seed %d, %v: whole graph cyclic %v, another one not\n%s", seed, v.events, cyclic, text(tr))
			}
		}
		edges, ok := m.Possible(v.Property)
		if ok == cyclic || ok && !slices.Equal(edges, m.Chopped(v.Property).Edges(0)) {
			n.Fatalf("seed %d, %v: cyclic %v, and possible %v with the edges %v\n%s", seed, v.events, cyclic, ok, edges, text(tr))
		}
		switch {
		case cyclic && v.shown:
			n.Fatalf("seed %d: %v can happen, and its graph has the cycle %v\n%s", seed, v.events, g.Cycle(0), text(tr))
		case cyclic:
			n.cyclic++
			if len(g.Cycle(0)) == 0 {
				n.Fatalf("seed %d, %v: no cycle given", seed, v.events)
			}
		case v.shown:
			n.shown++
		case exact:
			n.Fatalf("seed %d: %v cannot happen, and its graph has no cycle\n%s", seed, v.events, text(tr))
		default:
			n.neither++
		}
	}
}

// violations lists the races and unserializable triples of a trace by what
// they access, without a look at any order.
func violations(tr *trace.Trace, m *causality.Model) (vs []*violation) {
	var accesses []int
	for i, e := range tr.Events {
		if e.Kind.IsAccess() {
			accesses = append(accesses, i)
		}
	}
	for a, i := range accesses {
		for _, j := range accesses[a+1:] {
			if tr.Events[i].G != tr.Events[j].G {
				vs = append(vs, &violation{Property: m.Meeting(i, j), events: []int{i, j}, race: true})
				continue
			}
			for _, k := range accesses {
				if tr.Events[k].G != tr.Events[i].G && (i+j+k)%3 == 0 {
					vs = append(vs, &violation{Property: m.Sequence(i, k, j), events: []int{i, k, j}})
				}
			}
		}
	}
	return vs
}

// search explores the orders of events that keep the must-order, with each
// waiter woken by the signal that woke it in the trace, and begun before it, and
// notes which violations are shown.
func search(tr *trace.Trace, o *order.Order, vs []*violation) {
	keep := func(order []int) bool {
		i := order[len(order)-1]
		for _, a := range o.Ancestors(i) {
			if !slices.Contains(order, a) {
				return false
			}
		}
		return tr.Events[i].Kind != trace.CondWake || inUnison(tr, order, i)
	}
	tracetest.Explore(tr, keep, func(order []int) bool {
		for _, v := range vs {
			if v.race && !v.shown {
				v.shown = stands(tr, order, v.events[0]) && stands(tr, order, v.events[1])
			}
		}
		return true
	})
	for _, v := range vs {
		if v.race {
			continue
		}
		first, second, third := v.events[0], v.events[1], v.events[2]
		inOrder := func(order []int) bool {
			switch order[len(order)-1] {
			case second:
				return slices.Contains(order, first) && keep(order)
			case third:
				return false
			}
			return keep(order)
		}
		tracetest.Explore(tr, inOrder, func(order []int) bool {
			v.shown = slices.Contains(order, second) && stands(tr, order, third)
			return !v.shown
		})
	}
}

// stands reports whether the goroutine of event i stands at it after order.
func stands(tr *trace.Trace, order []int, i int) bool {
	if slices.Contains(order, i) {
		return false
	}
	for k := i - 1; k >= 0; k-- {
		if tr.Events[k].G == tr.Events[i].G {
			return slices.Contains(order, k)
		}
	}
	return i == 0
}

// inUnison reports whether wait, signal and wake come in this order.
func inUnison(tr *trace.Trace, order []int, wake int) bool {
	w := tr.Events[wake]
	wait, signal := -1, -1
	for k, i := range order {
		e := tr.Events[i]
		switch {
		case e.Obj != w.Obj:
		case e.Kind == trace.CondWait && e.Val == w.Val:
			wait = k
		case e.Kind == trace.CondSignal && e.Val == w.Val+1,
			e.Kind == trace.CondBroadcast && w.Val-e.Val < uint64(e.Size):
			signal = k
		}
	}
	return wait >= 0 && signal > wait
}

func text(tr *trace.Trace) (s string) {
	for i, e := range tr.Events {
		s += fmt.Sprintf("%3d: %d %v %#x val %d size %d\n", i, e.G, e.Kind, e.Obj, e.Val, e.Size)
	}
	return s
}
