package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An Encoding is the formula of one cone, in an engine: ψ = α ∧ β ∧ γ (Said et al., NFM 2011,
// §2.2). Its models are the runs of the cone's events. The property ρ of a target is assumed for
// one check.
//
// The timeline has the order variables and α. Each of the other parts encodes one thing, and knows
// of the parts that it needs. Parts make their terms when they are asked for: a target that depends on
// no computed value gets a formula without integers.
//
// In the terms of Wang et al., FAC 2011, §4.2: the timeline has the program order Φ_PO. The values
// have the variable definitions Φ_VD and the π-functions Φ_PI. Φ_PRP is not asserted, but assumed by
// each question. Path conditions have no subformula of their own. A condition that happens comes out
// as recorded, so what follows it in its goroutine depends on that.
type Encoding struct {
	*timeline
	writes     *writeIndex
	reads      *readEncoder  // β
	values     *valueEncoder // β of reads whose values are computed
	taint      *taint        // what may differ because of data that was only moved
	locks      *lockEncoder  // γ, like the next three
	conds      *condEncoder
	groups     *groupEncoder
	channels   *channelEncoder
	departures *departureEncoder // ρ of targets that depart from the recorded run
	switches   *switchBound      // few context switches
}

// Encode makes the encoding of a cone in the engine of f, which is empty. It fails if the cone is
// too large.
func (m *Model) Encode(cone *Cone, f *solver.Formula, engine solver.Engine) (*Encoding, error) {
	return m.encode(cone, f, engine, nil)
}

// encode is Encode within a budget, of which it takes what the formula's size costs.
func (m *Model) encode(cone *Cone, f *solver.Formula, engine solver.Engine, budget *solver.Budget) (*Encoding, error) {
	e := newEncoding(&timeline{m: m, cone: cone, f: f, engine: engine, anyValue: make(map[int32]solver.Bool)})
	if err := e.selectNodes(e.relevant); err != nil {
		return nil, err
	}
	if budget != nil {
		// A limit of 0 would be no limit, so an empty budget counts as 1.
		e.limit = max(1, budget.Steps)
	}
	e.assertOrder()
	e.assertSync()
	e.reads.assertReads()
	e.limit = 0
	e.taint.defineLiterals()
	e.spend(budget)
	return e, e.err
}

// newEncoding connects the parts.
func newEncoding(t *timeline) *Encoding {
	writes := &writeIndex{timeline: t, byCell: make(map[int32]*cellWriters)}
	tainted := newTaint(t)
	reads := newReadEncoder(t, writes, tainted)
	values := newValueEncoder(t, writes, tainted, reads)
	reads.values, tainted.values, tainted.reads = values, values, reads
	return &Encoding{
		timeline: t, writes: writes, reads: reads, values: values, taint: tainted,
		locks:      &lockEncoder{timeline: t, excluded: make(map[[2]int32]bool), endedBy: make(map[int32][]solver.Bool)},
		conds:      &condEncoder{timeline: t, takes: make(map[[2]int32]solver.Bool)},
		groups:     &groupEncoder{timeline: t},
		channels:   &channelEncoder{timeline: t},
		departures: &departureEncoder{timeline: t, writes: writes, reads: reads, values: values, literals: make(map[int32]solver.Bool)},
		switches:   &switchBound{timeline: t},
	}
}

// assertSync asserts γ: what each primitive does, once for each object. That two critical sections
// of a lock do not overlap is asserted only when a model has them overlap; see lockEncoder.
func (e *Encoding) assertSync() {
	var loose []*lock // encoded last: the rest may be too much already
	conds := make(map[uint64]bool)
	chans := make(map[*channel]bool)
	for _, i := range e.nodes {
		if e.err != nil {
			return
		}
		ev := e.m.event(i)
		switch k := ev.Kind; {
		case k.Class() == trace.ClassLock:
			if l := e.m.lock(i); l.releasedByOthers && !slices.Contains(loose, l) {
				loose = append(loose, l)
			}
		case k == trace.CondWake:
			if !conds[ev.Obj] {
				conds[ev.Obj] = true
				e.conds.assertCondition(ev.Obj)
			}
		case k.Class() == trace.ClassChannel && !onlyEdges(k), k == trace.Panic:
			_, c := e.m.begun(i)
			if c == nil {
				c = e.m.channel(ev.Obj)
			}
			if c != nil && !chans[c] {
				chans[c] = true
				e.channels.assertChannel(c)
			}
		case k.Class() == trace.ClassWaitGroup:
			e.groups.assertWaitGroup(i)
		}
	}
	for _, l := range loose {
		if e.overLimit() {
			return
		}
		e.locks.assertReleasedByOthers(l)
	}
}

// relevant reports whether some constraint may speak of event i, which is in the cone. The other
// events get no variable. They happen just before the next event of their goroutine that has one.
func (e *Encoding) relevant(i int32) bool {
	m, ev := e.m, e.m.event(i)
	switch k := ev.Kind; {
	case k.IsAccess():
		for c := range m.memory.cellsOf(i) {
			// Where one goroutine is alone, or nobody writes, program order says what reads find.
			if m.memory.cells[c].shared {
				return true
			}
		}
		if e.taint.canBeTainted[ev.G] && m.matters(i) {
			return true
		}
	case k.Class() == trace.ClassLock:
		// A lock that one goroutine has to itself excludes nobody.
		if m.lock(i).shared {
			return true
		}
	case k.Class() == trace.ClassCond, k.Class() == trace.ClassWaitGroup, k.Class() == trace.ClassChannel && !onlyEdges(k):
		return true
	case k == trace.Branch || k == trace.Assert || k == trace.Panic || k == trace.Operand:
		if m.formula(i) != nil {
			return true
		}
		if op, _ := m.operation(i); op != nil || e.taint.canBeTainted[ev.G] {
			return true
		}
	}
	return m.hasEdges(i) || e.taint.pointerReads[i] != nil || e.taint.canBeTainted[ev.G] && ev.Flags&trace.FlagBranchOmitted != 0
}

// onlyEdges reports whether edges say all about events of kind k, of a channel or select.
func onlyEdges(k trace.Kind) bool {
	return k == trace.ChanMake || k == trace.SelectSend || k == trace.SelectDone
}
