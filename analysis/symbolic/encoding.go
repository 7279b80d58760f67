package symbolic

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An Encoding is the formula of one cone, in an engine: ψ = α ∧ β ∧ γ (Said et
// al., NFM 2011, §2.2), of which the models are the runs of the cone's events.
// The property ρ of a target is assumed for one check.
//
// A run performs a prefix of each goroutine's events. One more event, the
// moment of the violation, parts what happens from what does not: what the
// order puts behind it never happens, and no constraint speaks of it. So the
// cut of each goroutine is as free as the order.
type Encoding struct {
	m      *Model
	cone   *Cone
	f      *solver.Formula
	engine solver.Engine

	nodes  []int32 // the events with a part in the formula, ascending
	at     []int32 // by position, from the base on: its node, or none
	column []int32 // by goroutine: its column in clock, or none
	width  int
	// A clock has by column one more than the last event of another goroutine that must come before a
	// node. The nodes of a goroutine share one up to the next that waits for others.
	clock  []int32   // by node: its number
	clocks [][]int32 // in chunks
	made   int32     // how many there are
	moment solver.Event

	// free are the reads that matter among the accesses of targets: that what
	// they read may be anything.
	free    map[int32]solver.Bool
	taint   taint
	reading reading
	values  values
	writers map[int32]*writers       // by cell
	pairs   map[[2]int32]bool        // sections that are kept apart
	ended   map[int32][]solver.Bool  // by acquire of a loose lock: what ends its section
	takes   map[[2]int32]solver.Bool // by signal and wait of a condition: that it wakes this one
	bounds  bounds
	// departures are by event that a run departs there; see Departure.
	departures map[int32]solver.Bool
	paired     int   // sections and releases of loose locks that the formula has compared
	ways       int   // that conditions have put into the formula
	spent      int64 // steps that budgets know of
	most       int64 // how many it may take now; 0: any
	err        error // why the encoding is not whole
}

// maxClock bounds the numbers in the clocks of one encoding, if each node has its own; chunk of them lie together.
const maxClock, chunk = 1 << 24, 32

// Encode makes the encoding of a cone in the engine of f, which is empty. It
// fails if the cone is too large.
func (m *Model) Encode(cone *Cone, f *solver.Formula, engine solver.Engine) (*Encoding, error) {
	return m.encode(cone, f, engine, nil)
}

// encode is Encode within a budget, which the writes in the formula are taken off.
func (m *Model) encode(cone *Cone, f *solver.Formula, engine solver.Engine, budget *solver.Budget) (*Encoding, error) {
	e := &Encoding{m: m, cone: cone, f: f, engine: engine, pairs: make(map[[2]int32]bool), ended: make(map[int32][]solver.Bool), takes: make(map[[2]int32]solver.Bool), free: make(map[int32]solver.Bool), writers: make(map[int32]*writers)}
	e.taint = newTaint(e)
	e.reading = newReading()
	e.values = newValues()
	if err := e.place(); err != nil {
		return nil, err
	}
	if budget != nil {
		e.most = max(1, budget.Steps)
	}
	e.order()
	e.synchronize()
	e.matters()
	e.most = 0
	e.taint.define()
	e.spend(budget)
	return e, e.err
}

// assert adds a constraint.
func (e *Encoding) assert(b solver.Bool) {
	if b != e.f.True() {
		e.engine.Assert(b)
	}
}

// place finds the nodes and their clocks.
func (e *Encoding) place() error {
	m, base := e.m, int32(e.cone.Base)
	e.column = slices.Repeat([]int32{none}, len(m.t.Goroutines))
	end := base
	for _, g := range e.cone.goroutines {
		if i := m.from1(g, base); i != none && i < e.cone.upto[g] {
			e.column[g] = int32(e.width)
			e.width++
			end = max(end, e.cone.upto[g])
		}
	}
	end = min(end, int32(len(m.t.Events)))
	e.at = make([]int32, end-base)
	wanted := make(map[int32]bool)
	for _, t := range e.cone.targets {
		for _, i := range t.Over {
			wanted[int32(i)] = true
		}
		for _, p := range t.Order {
			for _, i := range p {
				wanted[int32(i)] = true
				if i := int32(i); e.m.frees(&t, i) && e.m.matters(i) {
					e.free[i] = e.f.Bool("free " + strconv.Itoa(int(i)))
					wanted[e.m.next(i)] = true
				}
			}
		}
	}
	for _, t := range e.cone.targets {
		for _, at := range t.Departs {
			if i := int32(at); i >= base && i < e.cone.upto[m.gid(i)] && m.event(i).Kind.IsAccess() {
				wanted[i], wanted[m.next(i)] = true, true
				if m.matters(i) {
					e.free[i] = e.f.Bool("free " + strconv.Itoa(int(i)))
				}
			}
		}
	}
	for i := base; i < end; i++ {
		e.at[i-base] = none
		if i < e.cone.upto[m.gid(i)] && (wanted[i] || e.relevant(i)) {
			e.at[i-base] = int32(len(e.nodes))
			e.nodes = append(e.nodes, i)
		}
	}
	if len(e.nodes)*e.width > maxClock {
		return fmt.Errorf("symbolic: %d events of %d goroutines have a part in it: too many to encode", len(e.nodes), e.width)
	}
	e.moment = e.f.Event("violation") // first: what needs not be before it comes behind
	e.f.Events(e.nodes)
	e.tick()
	return nil
}

// relevant reports whether event i, which is in the cone, has a part in any
// constraint.
func (e *Encoding) relevant(i int32) bool {
	m, ev := e.m, e.m.event(i)
	switch k := ev.Kind; {
	case k.IsAccess():
		for c := range m.mem.of(i) {
			if m.mem.cells[c].shared {
				return true
			}
		}
		if e.taint.may[ev.G] && m.matters(i) {
			return true
		}
	case k.Class() == trace.ClassLock:
		if m.locks.byObj[ev.Obj].many {
			return true
		}
	case k.Class() == trace.ClassCond, k.Class() == trace.ClassWaitGroup, k.Class() == trace.ClassChannel && !apart(k):
		return true
	case k == trace.Branch || k == trace.Assert || k == trace.Panic || k == trace.Operand:
		if m.formula(i) != nil {
			return true
		}
		if _, ok := m.chans.operation(i); ok || e.taint.may[ev.G] {
			return true
		}
	}
	return m.linked(i) || e.taint.lost[i] != nil || e.taint.may[ev.G] && ev.Flags&trace.FlagBranched != 0
}

// apart reports whether an event of kind k, of a channel or select, does nothing
// there whose place matters: what it has a part in are edges.
func apart(k trace.Kind) bool {
	return k == trace.ChanMake || k == trace.SelectSend || k == trace.SelectDone
}

// linked reports whether event i has an edge to or from other goroutines.
func (m *Model) linked(i int32) bool {
	g := m.gid(i)
	return len(m.edgesInto(g, i, i+1).keys) > 0 || len(m.edgesFrom(g, i, i+1).keys) > 0
}

// into yields the edges to event i that each run to each of the targets follows.
func (e *Encoding) into(i int32) func(func(edge) bool) {
	free := e.free[i] != 0
	return func(yield func(edge) bool) {
		for in := range e.m.edgesInto(e.m.gid(i), i, i+1).all {
			if !(in.read && free) && !yield(in) {
				return
			}
		}
	}
}

// tick computes what must come before what.
func (e *Encoding) tick() {
	e.clock = make([]int32, len(e.nodes))
	e.newClock()                   // of nodes that wait for nobody
	last := make([]int32, e.width) // by column: that of the goroutine's last node
	for n, i := range e.nodes {
		c := e.column[e.m.gid(i)]
		own := last[c]
		for in := range e.into(i) {
			if from := e.node(in.from); from != none {
				if own == last[c] {
					own = e.newClock()
					copy(e.clockAt(own), e.clockAt(last[c]))
				}
				e.join(e.clockAt(own), from)
			}
		}
		e.clock[n], last[c] = own, own
	}
}

// newClock makes one of nothing.
func (e *Encoding) newClock() int32 {
	if e.made%chunk == 0 {
		e.clocks = append(e.clocks, make([]int32, chunk*e.width))
	}
	e.made++
	return e.made - 1
}

// clockAt returns the clock of a number.
func (e *Encoding) clockAt(n int32) []int32 {
	return e.clocks[n/chunk][int(n%chunk)*e.width:][:e.width]
}

// join adds node n and what is before it to a clock.
func (e *Encoding) join(clock []int32, n int32) {
	for c, v := range e.clockAt(e.clock[n]) {
		clock[c] = max(clock[c], v)
	}
	c := e.column[e.m.gid(e.nodes[n])]
	clock[c] = max(clock[c], e.nodes[n]+1)
}

// known returns one more than the last event of goroutine g, which is not that of event i, that must come
// before i, a node.
func (e *Encoding) known(i int32, g trace.GID) int32 {
	return e.clockAt(e.clock[e.node(i)])[e.column[g]]
}

// node returns the node of event i, or none.
func (e *Encoding) node(i int32) int32 {
	if k := i - int32(e.cone.Base); k >= 0 && int(k) < len(e.at) {
		return e.at[k]
	}
	return none
}

// event returns the solver's event of node n.
func (e *Encoding) event(n int32) solver.Event { return e.moment + 1 + solver.Event(n) }

// past reports whether event i happens before all that is encoded.
func (e *Encoding) past(i int32) bool { return i < int32(e.cone.Base) }

// outside reports whether event i happens in no run.
func (e *Encoding) outside(i int32) bool {
	return i == none || !e.past(i) && i >= e.cone.upto[e.m.gid(i)]
}

// must reports whether event i comes before j, both nodes, in each run that
// performs j.
func (e *Encoding) must(i, j int32) bool {
	if e.m.gid(i) == e.m.gid(j) {
		return i < j
	}
	return e.known(j, e.m.gid(i)) > i
}

// before says that event i comes before j, if j happens. An event that happens
// in no run comes after all others; none is one.
func (e *Encoding) before(i, j int32) solver.Bool {
	f := e.f
	switch {
	case i == j || e.outside(i):
		return f.False()
	case e.outside(j):
		return f.True()
	case e.past(i) || e.past(j):
		return e.truth(e.past(i) && (!e.past(j) || i < j))
	case e.must(i, j):
		return f.True()
	case e.must(j, i):
		return f.False()
	}
	e.compares(i, j)
	return f.Before(e.event(e.node(i)), e.event(e.node(j)))
}

// compares notes that the formula says which of the nodes of i and j comes first.
func (e *Encoding) compares(i, j int32) {
	if !e.must(i, j) && !e.must(j, i) {
		e.bounds.crosses = append(e.bounds.crosses, [2]int32{e.node(i), e.node(j)})
	}
}

func (e *Encoding) truth(b bool) solver.Bool {
	if b {
		return e.f.True()
	}
	return e.f.False()
}

// done says that event i, a node or outside, happens.
func (e *Encoding) done(i int32) solver.Bool {
	switch {
	case e.outside(i):
		return e.f.False()
	case e.past(i) || i < e.cone.sure[e.m.gid(i)]:
		return e.f.True()
	}
	return e.f.Before(e.event(e.node(i)), e.moment)
}

// need says that b holds if event i happens.
func (e *Encoding) need(i int32, b solver.Bool) { e.assert(e.f.Implies(e.done(i), b)) }

// order asserts α: program order, and what must come before what.
func (e *Encoding) order() {
	last := make([]int32, e.width)
	for c := range last {
		last[c] = none
	}
	sure := slices.Clone(last)
	for n, i := range e.nodes {
		c := e.column[e.m.gid(i)]
		if last[c] != none {
			e.fact(last[c], int32(n))
		}
		last[c] = int32(n)
		if i < e.cone.sure[e.m.gid(i)] {
			sure[c] = int32(n)
		}
		for in := range e.into(i) {
			if from := e.node(in.from); from != none {
				e.fact(from, int32(n))
				e.bounds.crosses = append(e.bounds.crosses, [2]int32{from, int32(n)})
			} else if e.outside(in.from) {
				e.assert(e.f.Not(e.done(i)))
			}
		}
	}
	for _, n := range sure {
		if n != none {
			e.assert(e.f.Before(e.event(n), e.moment))
		}
	}
}

func (e *Encoding) fact(from, to int32) { e.assert(e.f.Before(e.event(from), e.event(to))) }

// synchronize asserts γ. Two critical sections of one lock are kept apart when
// a model has them overlap; see apart.
func (e *Encoding) synchronize() {
	var loose []*lock // the last to be encoded: it may turn out before that the rest is too much
	conds := make(map[uint64]bool)
	chans := make(map[*channel]bool)
	for _, i := range e.nodes {
		if e.err != nil {
			return
		}
		switch ev := e.m.event(i); ev.Kind {
		case trace.Acquire, trace.Release, trace.RAcquire, trace.RRelease:
			if l := e.m.locks.byObj[ev.Obj]; l.loose && !slices.Contains(loose, l) {
				loose = append(loose, l)
			}
		case trace.CondWake:
			if !conds[ev.Obj] {
				conds[ev.Obj] = true
				e.condition(ev.Obj)
			}
		case trace.SendDone, trace.RecvDone, trace.Close, trace.Send, trace.Recv, trace.Select, trace.Panic:
			c := e.m.chans.byObj[ev.Obj]
			if k, ok := e.m.chans.begun(i); ok {
				c = e.m.chans.ops[k].ch
			}
			if c != nil && !chans[c] {
				chans[c] = true
				e.channel(c)
			}
		case trace.WaitGroupAdd, trace.WaitGroupWaited:
			e.waitGroup(i)
		}
	}
	for _, l := range loose {
		if e.stops() {
			return
		}
		e.loose(l)
	}
}
