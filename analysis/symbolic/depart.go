package symbolic

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file says what a proof rests on that an assertion cannot fail. What has no
// formula is taken at its recorded value, and each goroutine goes the way that it
// went. Up to where a run departs from that for the first time, it is a run of the
// recorded events. So if no run of these comes to such a place, nothing departs,
// and the proof holds for the program; else it holds for this trace alone.

// Departures looks for them.
type Departures struct{ m *Model }

// NewDepartures prepares for the trace of which NewConcurrent makes the model.
func NewDepartures(t *trace.Trace, o *order.Order, flow *trace.Flow) *Departures {
	return &Departures{newModel(&Model{t: t, order: o, flow: flow, held: true})}
}

// A Departing is where a run may depart from the recorded one.
type Departing struct {
	// At is the position of a read, a condition, or an operation on a channel or a
	// Once that may come in another order; -1 if there is none.
	At int
	// Steps lead there, if it is a read or condition and a run was found: past the
	// read, or to the condition. Stands is the event at which its goroutine stands
	// then; -1 without steps.
	Steps  []int
	Stands int
	Why    string // set if the budget did not suffice to find out
}

// Toward looks for a departure on the way to the event at position i, in runs that
// begin with the first base events of the trace.
func (d *Departures) Toward(ctx context.Context, base, i int, engine func(*solver.Formula) (solver.Engine, error), budget *solver.Budget) (Departing, error) {
	m := d.m
	cone, ok := m.Cone(base, Departure(i))
	if !ok {
		return Departing{At: -1, Stands: -1}, nil
	}
	budget.Spend(perEvent * int64(cone.events))
	may := int32(none)
	for g, upto := range cone.upto {
		for _, at := range m.events(trace.GID(g)) {
			switch {
			case at < int32(base) || at >= upto:
			case m.doubt().swaps[at]:
				return Departing{At: int(at), Stands: -1}, nil
			case may == none && m.doubt().departs[at]:
				may = at
			}
		}
	}
	if may == none {
		return Departing{At: -1, Stands: -1}, nil
	}
	q := m.NewDecider(base, []Target{Departure(i)}, engine)
	defer q.Close()
	a, err := q.Decide(ctx, 0, budget)
	switch {
	case err != nil:
		return Departing{}, err
	case a.Answer == solver.Unsat:
		return Departing{At: -1, Stands: -1}, nil
	case a.Answer == solver.Unknown:
		return Departing{At: int(may), Stands: -1, Why: a.Why}, nil
	}
	steps := make([]int, 0, a.Base+len(a.Steps))
	for k := range a.Base {
		steps = append(steps, k)
	}
	stands := a.Departs
	if m.event(int32(stands)).Kind.IsAccess() {
		stands = int(m.next[stands])
	}
	return Departing{At: a.Departs, Steps: append(steps, a.Steps...), Stands: stands}, nil
}

// doubts are what the departures of a model's runs can be, by event.
type doubts struct {
	departs []bool // reads and conditions
	swaps   []bool // operations
}

// doubt returns what is not sure to be as recorded, whatever comes before what.
func (m *Model) doubt() *doubts {
	if m.doubts != nil {
		return m.doubts
	}
	m.doubts = &doubts{make([]bool, len(m.t.Events)), make([]bool, len(m.t.Events))}
	fixed := make([]bool, len(m.mem.cells))
	for c := range fixed {
		fixed[c] = m.mem.fixed(int32(c))
	}
	varies := func(i int32) bool {
		for c := range m.mem.of(i) {
			if m.mem.cells[c].shared && !fixed[c] {
				return true
			}
		}
		return false
	}
	for i := range m.t.Events {
		pos := int32(i)
		switch e := m.event(pos); {
		case m.matters(pos):
			m.doubts.departs[i] = varies(pos)
		case m.tracked(pos):
			c := &m.mem.cells[m.mem.spans[i].first]
			m.doubts.departs[i] = c.shared && !c.known
		case e.Kind == trace.Branch || e.Kind == trace.Operand:
			if m.t.Sites[e.Site].Fails != trace.Neither {
				continue // that it fails is a finding of its own
			}
			in := m.formula(pos)
			m.doubts.departs[i] = in != nil && slices.ContainsFunc(in.Reads, func(r int32) bool { return r >= 0 && m.tracked(r) && varies(r) })
		}
	}
	m.swapping()
	return m.doubts
}

// fixed reports whether all that is ever in cell c is known and the same.
func (mem *memory) fixed(c int32) bool {
	cl := &mem.cells[c]
	for _, w := range cl.writers {
		if v, ok := mem.part(w, c); !ok || !cl.known || v != cl.initial || mem.m.follows(w) {
			return false
		}
	}
	return true
}

// swapping notes the operations that a channel or a Once serves in their recorded
// order, as the encoding has it, although nothing else makes them come in that; and
// the selects that had a choice.
func (m *Model) swapping() {
	for _, c := range m.chans.byObj {
		for _, line := range [][]int32{c.sends, c.recvs} {
			for k := 1; k < len(line); k++ {
				if !m.order.Before(int(line[k-1]), int(line[k])) {
					m.doubts.swaps[line[k-1]], m.doubts.swaps[line[k]] = true, true
				}
			}
		}
	}
	first := make(map[uint64]int) // by Once: who came first
	for i := range m.t.Events {
		switch e := &m.t.Events[i]; e.Kind {
		case trace.Select:
			m.doubts.swaps[i] = e.Val > 1 || e.Flags&trace.FlagDefault != 0
		case trace.OnceBegin:
			first[e.Obj] = i
		case trace.OnceDone:
			if at, ok := first[e.Obj]; ok && m.t.Events[at].G != e.G && !m.order.BeforeReached(at, i) {
				m.doubts.swaps[at], m.doubts.swaps[i] = true, true
			}
		}
	}
}

// departs says that the run has come to a departure.
func (e *Encoding) departs() solver.Bool {
	if e.departures == nil {
		e.departures = make(map[int32]solver.Bool)
		for _, i := range e.nodes {
			if !e.m.doubt().departs[i] {
				continue
			}
			if b := e.departsAt(i); b != e.f.False() {
				e.departures[i] = e.f.Bool(fmt.Sprint("departs ", i))
				e.assert(e.f.Implies(e.departures[i], b))
			}
		}
	}
	return e.f.Or(slices.Sorted(maps.Values(e.departures))...)
}

// departsAt says that the run ends, for its goroutine, with the read at position i,
// which finds something else than recorded, or if it is tracked, what is not known;
// or at the condition there, which comes out otherwise.
func (e *Encoding) departsAt(i int32) solver.Bool {
	if e.m.event(i).Kind.IsAccess() {
		var ways []solver.Bool
		for c := range e.m.mem.of(i) {
			if e.m.mem.cells[c].shared {
				ways = append(ways, e.others(i, c)...)
			}
		}
		if next := e.m.next[i]; next != none {
			return e.f.And(e.done(i), e.f.Not(e.done(next)), e.f.Or(ways...))
		}
		return e.f.False() // it has done all that it does
	}
	other := e.f.True()
	if e.m.event(i).Kind == trace.Branch {
		other = e.outcome(i, false)
	} else {
		other = e.f.And(e.f.Not(e.f.Eq(e.leaves(i), e.f.Const(e.m.number(i)))), e.knows(i))
	}
	if from := e.m.reached(i); from != none {
		other = e.f.And(other, e.doneUpTo(from))
	}
	return e.f.And(other, e.f.Not(e.done(i)))
}

// others returns the ways in which the read at position i can find something else in
// cell c than it found.
func (e *Encoding) others(i, c int32) (ways []solver.Bool) {
	mem, f := e.m.mem, e.f
	found, ok := mem.found(i, c)
	source, latest := mem.source(i, c), e.latest(i, c)
	for _, w := range e.written(c) {
		if e.m.tracked(i) || w == i || e.must(i, w) || e.hidden(w, latest) {
			continue
		}
		left, known := mem.part(w, c)
		other := e.truth(w != source && !(ok && known && left == found))
		if e.m.follows(w) {
			other = f.Not(e.unchanged(w))
			switch {
			case w != source && e.m.event(i).IsLength():
				other = f.True() // another slice, whatever its length
			case w != source && ok && mem.whole[i]:
				other = f.Not(f.And(f.Eq(e.leaves(w), f.Const(e.m.signed(i, found))), e.knows(w)))
			}
		}
		if other != f.False() {
			ways = append(ways, f.And(e.from(i, c, w, nil), other))
		}
	}
	if len(latest) == 0 {
		left, known := mem.left(e.begins(c), c)
		if !(source == e.begins(c) || ok && known && left == found) {
			ways = append(ways, e.from(i, c, none, nil))
		}
	}
	return ways
}
