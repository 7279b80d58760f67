package symbolic

import (
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file finds what a proof that no run reaches a violation rests on. The formula takes what has
// no formula at its recorded value, and each goroutine goes the recorded way. A run of the program
// is a run of the recorded events up to where it first departs from that. So if no run of the
// recorded events reaches a place where it may depart, the proof holds for the program; else it
// holds for this trace alone.
//
// An example: a test asserts count == 2 after two goroutines that each do if enabled { count++ }.
// That no order of the recorded events makes count 1 proves nothing if a third goroutine may store
// enabled = false first: then a branch goes the other way, and the recorded events end there.

// Departures finds where runs may depart from the recorded one.
type Departures struct {
	strict    *departureFinder
	commuting *departureFinder // its model ignores commuting operations; nil until it is needed
}

// A departureFinder finds the departures of a model's runs.
type departureFinder struct {
	*Model
	differences []difference   // by event; nil until they are needed
	commuting   map[int32]bool // operations that may come in another order, and commute
	selects     *selectChoices // nil until it is needed
}

// Departures prepares for the trace of which Concurrent makes the model.
func (c *Control) Departures(flow *dataflow.Flow, l *trace.Layout) *Departures {
	m := newModel(&Model{Control: c, strict: true}, flow, l)
	m.Must()
	return &Departures{strict: &departureFinder{Model: m}}
}

// A FoundDeparture is where a run may depart from the recorded one.
type FoundDeparture struct {
	// Event is the position of a read, a condition, or an operation on a channel or a Once that may
	// come in another order.
	Event int
	// Steps lead there after the first Base events, for a read or condition to which a run was
	// found: past the read, or to the condition. Pending is the event that is next in its goroutine
	// then; -1 without steps.
	Base    int
	Steps   []int
	Pending int
	Why     string // set if the budget did not suffice to find out
}

// All returns the departures of the goroutines that are in, in runs that begin with the first base
// events of the trace: one for each site, in the order of the trace, after the first operation that
// may come in another order. If there are none, these goroutines do in each run of the program what
// they did in the recorded one.
//
// It looks at the first maxDepartings sites, as far as the budget goes. A site that it does not
// look at is returned as well.
func (d *Departures) All(ctx context.Context, base int, in func(trace.GID) bool, engine func(*solver.Formula) (solver.Engine, error), budget *solver.Budget) ([]FoundDeparture, error) {
	all, someCommute, err := d.strict.find(ctx, base, in, engine, budget)
	if err != nil || len(all) > 0 || !someCommute {
		return all, err
	}
	// A run to these is no schedule, as schedules keep the recorded order of commuting operations. So
	// no condition may come out otherwise there, not even one whose failure is a finding of its own.
	if d.commuting == nil {
		m := d.strict.Model
		d.commuting = &departureFinder{Model: newModel(&Model{Control: newControl(m.t, m.order, true), strict: true}, m.flow, m.accesses.layout)}
	}
	for i := range d.strict.commuting { // before the first of them everything is as recorded
		base = min(base, int(i))
	}
	all, _, err = d.commuting.find(ctx, base, in, engine, budget)
	for k := range all {
		all[k].Base, all[k].Steps, all[k].Pending = 0, nil, none
	}
	return all, err
}

// find is All for one model. It also reports whether some operations commute.
func (m *departureFinder) find(ctx context.Context, base int, in func(trace.GID) bool, engine func(*solver.Formula) (solver.Engine, error), budget *solver.Budget) (all []FoundDeparture, someCommute bool, err error) {
	differences := m.findDifferences()
	end := base // the end of all events of these goroutines
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
		case m.commuting[int32(i)]:
			someCommute = true
		case len(all) == 0 && differences[i]&mayReorder != 0 && (e.Kind != trace.Select || m.chooses(int32(i))):
			all = append(all, FoundDeparture{Event: i, Pending: none})
		case differences[i]&mayDepart != 0 && !m.orderedReads.isFixed(int32(i)):
			k, ok := of[e.Site]
			if !ok {
				k = len(targets)
				of[e.Site] = k
				targets = append(targets, Departure())
			}
			targets[k].DepartsAt = append(targets[k].DepartsAt, i)
		}
	}
	q := m.NewDecider(base, targets, engine)
	defer q.Close()
	for k, t := range targets {
		if k == maxDepartings || budget.Over() {
			return append(all, FoundDeparture{Event: t.DepartsAt[0], Pending: none, Why: "not all was looked at"}), someCommute, nil
		}
		budget.Spend(int64(end-base) / eventsPerStep) // for finding its cone
		a, err := q.Decide(ctx, k, budget)
		switch {
		case err != nil:
			return nil, false, err
		case a.Answer == solver.Sat:
			all = append(all, m.departureOf(a))
		case a.Answer == solver.Unknown:
			all = append(all, FoundDeparture{Event: t.DepartsAt[0], Pending: none, Why: a.Why})
		}
	}
	return all, someCommute, nil
}

// departureOf returns the departure of a run that was found.
func (m *departureFinder) departureOf(a Answer) FoundDeparture {
	stands := int32(a.DepartsAt)
	if m.event(stands).Kind.IsAccess() {
		stands = m.next(stands)
	}
	for stands != none && m.event(stands).Kind == trace.Operand { // goroutines cannot be held back there
		stands = m.next(stands)
	}
	return FoundDeparture{Event: a.DepartsAt, Base: a.Base, Steps: a.Steps, Pending: int(stands)}
}

// A difference is what may be otherwise at an event than in the recorded run.
type difference uint8

const (
	mayDepart  difference = 1 << iota // a read finds, or a condition comes out as, something else
	mayReorder                        // operations come in another order
)

// findDifferences returns what may differ from the recorded run, by what must precede what alone.
func (m *departureFinder) findDifferences() []difference {
	if m.differences != nil {
		return m.differences
	}
	m.differences, m.commuting = make([]difference, len(m.t.Events)), make(map[int32]bool)
	fixed := make([]bool, len(m.memory.cells))
	for c := range fixed {
		fixed[c] = m.memory.cells[c].shared && m.memory.isConstant(int32(c))
	}
	quiet := m.inconsequentialReads()
	varies := func(i int32) bool {
		if quiet[i] {
			return false
		}
		for c := range m.memory.cellsOf(i) {
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
			may = c.shared && !c.initialKnown && !quiet[pos]
		case e.Kind == trace.Branch || e.Kind == trace.Operand || e.Kind == trace.Assert:
			if m.sites.Of(e.Site).FailureEndsGoroutine && !m.ignoreCommuting {
				continue // its failure is a finding of its own, and the end of the test
			}
			in := m.formula(pos)
			may = in != nil && slices.ContainsFunc(in.Reads, func(r int32) bool { return r >= 0 && m.tracked(r) && varies(r) })
		}
		if may {
			m.differences[i] = mayDepart
		}
	}
	m.findReorderings()
	return m.differences
}

// inconsequentialReads returns the reads that only move data, to where nothing depends on it: after them
// their goroutine neither writes, nor sends or starts anything, nor reaches a condition, nor
// accesses what they may have found.
//
// It walks each goroutine backwards. loud says that something after this point may show a
// difference; once it is set, no earlier read is quiet. The end of an earlier test resets it.
func (m *departureFinder) inconsequentialReads() []bool {
	quiet := make([]bool, len(m.t.Events))
	for g := range m.t.Goroutines {
		var met []uint64 // the objects of later events
		loud := false
		for i := int32(m.events(trace.GID(g)).Last()); i != none; i = m.prev(i) {
			e := m.event(i)
			switch k := e.Kind; {
			case k == trace.TestEnd: // later events do not belong to the test
				met, loud = nil, false
			case loud:
			case k == trace.Read && (m.sites.Of(e.Site).OnlyStored || m.tracked(i)):
				found := func(obj uint64) bool { return obj >= e.Val && obj-e.Val < pointerReach }
				quiet[i] = len(met) == 0 || e.HasValue() && e.Size <= 8 && !slices.ContainsFunc(met, found)
			case e.Stores(), k == trace.AtomicRMW, k == trace.Fork, k.Class() == trace.ClassChannel,
				k == trace.Branch, k == trace.Operand, k == trace.Assert, k == trace.Panic:
				loud = true
			}
			if !loud && e.Kind.HasAddress() {
				met = append(met, e.Obj)
				loud = loud || len(met) == maxInconsequential
			}
			loud = loud || e.Flags&trace.FlagBranchOmitted != 0
		}
	}
	return quiet
}

// isConstant reports whether cell c holds one known value throughout: a read of it cannot depart,
// whichever write it finds.
func (mem *memory) isConstant(c int32) bool {
	cl := &mem.cells[c]
	for _, w := range mem.writers(c) {
		if v, ok := mem.part(w, c); !ok || !cl.initialKnown || v != mem.initial[c] || mem.m.isComputed(w) {
			return false
		}
	}
	return true
}

// findReorderings notes the operations that a channel or a Once serves in recorded order, as the encoding
// keeps it, although nothing else orders them; and the selects that had a choice.
func (m *departureFinder) findReorderings() {
	for k := range m.channels {
		c := &m.channels[k]
		commute := m.admitsParallelTests(c)
		for _, line := range [][]int32{c.sends, c.receives} {
			for k := 1; k < len(line); k++ {
				if !m.order.Before(int(line[k-1]), int(line[k])) {
					m.noteReordering(line[k-1], line[k], commute)
				}
			}
		}
	}
	first := make(map[uint64]int) // by Once: the event at which its function began
	for i := range m.t.Events {
		switch e := &m.t.Events[i]; e.Kind {
		case trace.Select:
			m.differences[i] |= mayReorder // see chooses
		case trace.OnceBegin:
			first[e.Obj] = i
		case trace.OnceDone:
			if at, ok := first[e.Obj]; ok && m.t.Events[at].G != e.G && !m.order.BeforeReached(at, i) {
				m.noteReordering(int32(at), int32(i), m.hasNoEffects(int32(at)))
			}
		}
	}
}

// noteReordering notes that two operations may come in the other order, and whether they commute.
func (m *departureFinder) noteReordering(i, j int32, commute bool) {
	if commute {
		m.commuting[i], m.commuting[j] = true, true
	} else {
		m.differences[i] |= mayReorder
		m.differences[j] |= mayReorder
	}
}
