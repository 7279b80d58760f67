package symbolic

import (
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file says what a proof rests on that no run comes to a violation. What has no
// formula is taken at its recorded value, and each goroutine goes the way that it
// went. Up to where a run departs from that for the first time, it is a run of the
// recorded events. So if no run of these comes to such a place, nothing departs,
// and the proof holds for the program; else it holds for this trace alone.

// Departures looks for them.
type Departures struct {
	strict      *departureFinder
	indifferent *departureFinder // see Control.anyone; nil before somebody asks
}

// A departureFinder finds the departures of a model's runs.
type departureFinder struct {
	*Model
	doubts  *doubts        // likewise
	selects *selectChoices // nil before somebody asks
}

func newDepartureFinder(m *Model) *departureFinder {
	return &departureFinder{Model: m}
}

// Departures prepares for the trace of which Concurrent makes the model.
func (c *Control) Departures(flow *dataflow.Flow, l *trace.Layout) *Departures {
	m := newModel(&Model{Control: c, strict: true}, flow, l)
	m.Must()
	return &Departures{strict: newDepartureFinder(m)}
}

// A Departing is where a run may depart from the recorded one.
type Departing struct {
	// At is the position of a read, a condition, or an operation on a channel or a
	// Once that may come in another order.
	At int
	// Steps lead there after the first From events, if it is a read or condition and a run was found: past the
	// read, or to the condition. Stands is the event at which its goroutine stands
	// then; -1 without steps.
	From   int
	Steps  []int
	Stands int
	Why    string // set if the budget did not suffice to find out
}

// All looks for departures of the goroutines that are in, in runs that begin with the
// first base events of the trace: one for each site, in the order of the trace, after the
// first operation that may come in another order. Without any, these goroutines do in
// each run of the program what they did in the recorded one. Of sites the first
// maxDepartings are looked at as far as the budget goes; one that is not is returned as
// well.
func (d *Departures) All(ctx context.Context, base int, in func(trace.GID) bool, engine func(*solver.Formula) (solver.Engine, error), budget *solver.Budget) ([]Departing, error) {
	all, others, err := d.strict.find(ctx, base, in, engine, budget)
	if err != nil || len(all) > 0 || !others {
		return all, err
	}
	// What they come to is no schedule, as that has the recorded order of these operations. So
	// nothing is to come out otherwise there, not even what is a finding of its own.
	if d.indifferent == nil {
		m := d.strict.Model
		d.indifferent = newDepartureFinder(newModel(&Model{Control: newControl(m.t, m.order, true), strict: true}, m.flow, m.accesses.layout))
	}
	for i := range d.strict.doubts.indifferent { // before the first of them all is as recorded
		base = min(base, int(i))
	}
	all, _, err = d.indifferent.find(ctx, base, in, engine, budget)
	for k := range all {
		all[k].From, all[k].Steps, all[k].Stands = 0, nil, none
	}
	return all, err
}

// departings is All for a model. It reports whether there are operations that may come in
// another order where that is nothing to anybody.
func (m *departureFinder) find(ctx context.Context, base int, in func(trace.GID) bool, engine func(*solver.Formula) (solver.Engine, error), budget *solver.Budget) (all []Departing, others bool, err error) {
	end := base // of all that these goroutines do
	for g := range m.t.Goroutines {
		if in(trace.GID(g)) {
			end = max(end, m.events(trace.GID(g)).Last()+1)
		}
	}
	budget.Spend(int64(end - base))
	var targets []Target // one for each site
	of := make(map[trace.SiteID]int)
	for i := base; i < end; i++ {
		switch e := &m.t.Events[i]; {
		case !in(e.G):
		case m.findDoubts().indifferent[int32(i)]:
			others = true
		case len(all) == 0 && m.findDoubts().byEvent[i]&swaps != 0 && (e.Kind != trace.Select || m.chooses(int32(i))):
			all = append(all, Departing{At: i, Stands: none})
		case m.findDoubts().byEvent[i]&departs != 0 && !m.recorded.ordered(int32(i)):
			k, ok := of[e.Site]
			if !ok {
				k = len(targets)
				of[e.Site] = k
				targets = append(targets, Departure())
			}
			targets[k].Departs = append(targets[k].Departs, i)
		}
	}
	q := m.NewDecider(base, targets, engine)
	defer q.Close()
	for k, t := range targets {
		if k == maxDepartings || budget.Over() {
			return append(all, Departing{At: t.Departs[0], Stands: none, Why: "not all was looked at"}), others, nil
		}
		budget.Spend(int64(end-base) / eventsPerStep) // to find what it needs
		a, err := q.Decide(ctx, k, budget)
		switch {
		case err != nil:
			return nil, false, err
		case a.Answer == solver.Sat:
			all = append(all, m.departureOf(a))
		case a.Answer == solver.Unknown:
			all = append(all, Departing{At: t.Departs[0], Stands: none, Why: a.Why})
		}
	}
	return all, others, nil
}

// departing returns the departure of a run that was found.
func (m *departureFinder) departureOf(a Answer) Departing {
	stands := int32(a.Departs)
	if m.event(stands).Kind.IsAccess() {
		stands = m.next(stands)
	}
	for stands != none && m.event(stands).Kind == trace.Operand { // nobody can be held back there
		stands = m.next(stands)
	}
	return Departing{At: a.Departs, From: a.Base, Steps: a.Steps, Stands: int(stands)}
}

// doubts are what the departures of a model's runs can be, by event.
type doubts struct {
	byEvent     []doubt
	indifferent map[int32]bool // operations of which it is nothing to anybody which one comes first
}

// A doubt is what is not sure of an event.
type doubt uint8

const (
	departs doubt = 1 << iota // of a read or condition: it finds, or comes out as, something else
	swaps                     // of an operation: it comes in another order
)

// doubt returns what is not sure to be as recorded, whatever comes before what.
func (m *departureFinder) findDoubts() *doubts {
	if m.doubts != nil {
		return m.doubts
	}
	m.doubts = &doubts{make([]doubt, len(m.t.Events)), make(map[int32]bool)}
	fixed := make([]bool, len(m.memory.cells))
	for c := range fixed {
		fixed[c] = m.memory.cells[c].shared && m.memory.isConstant(int32(c))
	}
	quiet := m.quietReads()
	varies := func(i int32) bool {
		if quiet[i] {
			return false
		}
		for c := range m.memory.of(i) {
			if m.memory.cells[c].shared && !fixed[c] {
				return true
			}
		}
		return false
	}
	for i := range m.t.Events {
		pos, may := int32(i), false
		switch e := m.event(pos); {
		case m.matters(pos):
			may = varies(pos)
		case m.tracked(pos):
			c := &m.memory.cells[m.memory.span(int32(i)).First]
			may = c.shared && !c.known && !quiet[pos]
		case e.Kind == trace.Branch || e.Kind == trace.Operand || e.Kind == trace.Assert:
			if m.sites.Of(e.Site).Stops && !m.ignoreIndifferent {
				continue // that it fails is a finding of its own, and the end
			}
			in := m.formula(pos)
			may = in != nil && slices.ContainsFunc(in.Reads, func(r int32) bool { return r >= 0 && m.tracked(r) && varies(r) })
		}
		if may {
			m.doubts.byEvent[i] = departs
		}
	}
	m.findSwaps()
	return m.doubts
}

// quiet returns the reads that only move data, to where nobody looks: after them their
// goroutine neither writes, nor sends or starts anything, nor comes to a condition, nor
// to what it may have found there.
func (m *departureFinder) quietReads() []bool {
	quiet := make([]bool, len(m.t.Events))
	for g := range m.t.Goroutines {
		var met []uint64 // what comes behind
		loud := false
		for i := int32(m.events(trace.GID(g)).Last()); i != none; i = m.prev(i) {
			e := m.event(i)
			switch k := e.Kind; {
			case k == trace.TestEnd: // what comes behind is no part of the test
				met, loud = nil, false
			case loud:
			case k == trace.Read && (m.sites.Of(e.Site).Data || m.tracked(i)):
				found := func(obj uint64) bool { return obj >= e.Val && obj-e.Val < pointerReach }
				quiet[i] = len(met) == 0 || e.HasValue() && e.Size <= 8 && !slices.ContainsFunc(met, found)
			case writes(e), k == trace.AtomicRMW, k == trace.Fork, k.Class() == trace.ClassChannel,
				k == trace.Branch, k == trace.Operand, k == trace.Assert, k == trace.Panic:
				loud = true
			}
			if !loud && e.Kind.HasAddress() {
				met = append(met, e.Obj)
				loud = loud || len(met) == maxQuiet
			}
			loud = loud || e.Flags&trace.FlagBranched != 0
		}
	}
	return quiet
}

// fixed reports whether all that is ever in cell c is known and the same.
func (mem *memory) isConstant(c int32) bool {
	cl := &mem.cells[c]
	for _, w := range mem.writers(c) {
		if v, ok := mem.part(w, c); !ok || !cl.known || v != mem.initial[c] || mem.m.isComputed(w) {
			return false
		}
	}
	return true
}

// swapping notes the operations that a channel or a Once serves in their recorded
// order, as the encoding has it, although nothing else makes them come in that; and
// the selects that had a choice.
func (m *departureFinder) findSwaps() {
	for k := range m.channels {
		c := &m.channels[k]
		admits := m.admitsParallelTests(c)
		for _, line := range [][]int32{c.sends, c.receives} {
			for k := 1; k < len(line); k++ {
				if !m.order.Before(int(line[k-1]), int(line[k])) {
					m.noteSwap(line[k-1], line[k], admits)
				}
			}
		}
	}
	first := make(map[uint64]int) // by Once: who came first
	for i := range m.t.Events {
		switch e := &m.t.Events[i]; e.Kind {
		case trace.Select:
			m.doubts.byEvent[i] |= swaps // see chooses
		case trace.OnceBegin:
			first[e.Obj] = i
		case trace.OnceDone:
			if at, ok := first[e.Obj]; ok && m.t.Events[at].G != e.G && !m.order.BeforeReached(at, i) {
				m.noteSwap(int32(at), int32(i), m.onlyRegisters(int32(at)))
			}
		}
	}
}

// swap notes that two operations may come in the other order.
func (m *departureFinder) noteSwap(i, j int32, nothing bool) {
	if nothing {
		m.doubts.indifferent[i], m.doubts.indifferent[j] = true, true
	} else {
		m.doubts.byEvent[i] |= swaps
		m.doubts.byEvent[j] |= swaps
	}
}
