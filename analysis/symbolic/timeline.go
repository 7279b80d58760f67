package symbolic

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A timeline holds the order variables of a formula: which events of the cone have one, and the
// terms that say which of two events comes first and whether an event happens at all.
//
// A run performs a prefix of each goroutine's events. One more solver event, the moment of the
// violation, separates what happens from what does not: an event that the order puts after it
// never happens, and no constraint speaks of it. So the end of each goroutine's prefix is as free
// as the order.
//
// Three index spaces meet here. A position is an index of the trace's events, a node one of nodes,
// and a solver event is the violation plus one plus the node. Parameters called i and j are
// positions, those called n are nodes. A position below the cone's base has no node: it is past in
// each run.
//
// Nodes ascend by position, so the solver begins with the recorded order.
//
// An example: goroutine 0 has the events 0, a fork, and 1; goroutine 1 has 2 and 3. The clock of 2
// holds 1 in the column of goroutine 0, as only event 0 must come before. So precedes(0, 2) is true,
// and precedes(1, 2) is a variable.
type timeline struct {
	m      *Model
	cone   *Cone
	f      *solver.Formula
	engine solver.Engine
	effort

	nodes     []int32      // the events that have a variable, ascending
	nodeAt    []int32      // by position, from the cone's base on: its node, or none
	column    []int32      // by goroutine: its column in clocks, or none
	width     int          // columns
	clocks    [][]int32    // by node and column: the end of the events that must come before
	violation solver.Event // of the violation
	// anyValue has a literal for each read that matters and that a target names: what it finds may
	// be anything, as its goroutine does nothing more.
	anyValue map[int32]solver.Bool
	// comparisons are the pairs of nodes of different goroutines whose order the formula uses.
	comparisons [][2]int32
}

// selectNodes gives variables to the events that are relevant or that targets name, and computes
// what must precede each.
func (e *timeline) selectNodes(relevant func(i int32) bool) error {
	base := int32(e.cone.Base)
	wanted := e.targeted()
	end := e.columns()
	e.nodeAt = make([]int32, end-base)
	for i := base; i < end; i++ {
		e.nodeAt[i-base] = none
		if i < e.cone.ends[e.m.gid(i)] && (wanted[i] || relevant(i)) {
			e.nodeAt[i-base] = int32(len(e.nodes))
			e.nodes = append(e.nodes, i)
		}
	}
	if len(e.nodes)*e.width > maxClock {
		return fmt.Errorf("symbolic: %d events of %d goroutines have a part in it: too many to encode", len(e.nodes), e.width)
	}
	// The violation is the first event that is made. So the order that the solver begins with puts
	// all events after it that need not happen.
	e.violation = e.f.Event("violation")
	e.f.Events(e.nodes)
	e.computeClocks()
	return nil
}

// columns numbers the goroutines that have events in the cone, and returns the position after
// their last one.
func (e *timeline) columns() int32 {
	base := int32(e.cone.Base)
	end := base
	e.column = slices.Repeat([]int32{none}, len(e.m.t.Goroutines))
	for _, g := range e.cone.goroutines {
		if i := e.m.firstFrom(g, base); i != none && i < e.cone.ends[g] {
			e.column[g] = int32(e.width)
			e.width++
			end = max(end, e.cone.ends[g])
		}
	}
	return min(end, int32(len(e.m.t.Events)))
}

// targeted returns the events that the targets name, and makes the literals of anyValue.
func (e *timeline) targeted() map[int32]bool {
	wanted := make(map[int32]bool)
	for _, t := range e.cone.targets {
		for _, i := range t.Executed {
			wanted[int32(i)] = true
		}
		for _, p := range t.Order {
			for _, k := range p {
				i := int32(k)
				wanted[i] = true
				// The next event becomes a node as well, so that the formula can say that it does
				// not happen.
				if e.m.allowsAnyValue(&t, i) && e.m.matters(i) {
					e.allowAnyValue(i)
					wanted[e.m.next(i)] = true
				}
			}
		}
	}
	for _, t := range e.cone.targets {
		for _, k := range t.DepartsAt {
			i := int32(k)
			if e.isPast(i) || e.neverHappens(i) || !e.m.event(i).Kind.IsAccess() {
				continue
			}
			wanted[i], wanted[e.m.next(i)] = true, true
			if e.m.matters(i) {
				e.allowAnyValue(i)
			}
		}
	}
	return wanted
}

func (e *timeline) allowAnyValue(i int32) { e.anyValue[i] = e.f.Bool(fmt.Sprint("free ", i)) }

// computeClocks computes the vector clocks of all nodes: with them mustPrecede takes constant time,
// and most comparisons of the formula become constants. Nodes of one goroutine share a clock up to
// the next node that waits for another goroutine.
func (e *timeline) computeClocks() {
	e.clocks = make([][]int32, len(e.nodes))
	last := make([][]int32, e.width) // by column: the clock of the goroutine's last node
	unordered := make([]int32, e.width)
	for c := range last {
		last[c] = unordered
	}
	// An edge never goes back in the trace. So one pass suffices: the clock of each from is
	// complete.
	for n, i := range e.nodes {
		column := e.column[e.m.gid(i)]
		own, copied := last[column], false
		for in := range e.requiredEdgesInto(i) {
			from := e.nodeOf(in.from)
			// An event with an edge is a node if the cone has it. This one is past, or outside of
			// the cone.
			if from == none {
				continue
			}
			if !copied {
				// Earlier nodes of the goroutine share the slice, and must keep their clock.
				own, copied = slices.Clone(own), true
			}
			for c, end := range e.clocks[from] {
				own[c] = max(own[c], end)
			}
			c := e.column[e.m.gid(in.from)]
			own[c] = max(own[c], in.from+1)
		}
		e.clocks[n], last[column] = own, own
	}
}

// requiredEdgesInto yields the edges to event i that hold in each run to each of the targets.
func (e *timeline) requiredEdgesInto(i int32) func(func(edge) bool) {
	free := e.anyValue[i] != 0
	return func(yield func(edge) bool) {
		for in := range e.m.edgesInto(e.m.gid(i), i, i+1).all {
			if !(in.read && free) && !yield(in) {
				return
			}
		}
	}
}

// precedingEnd returns one more than the last event of goroutine g that must precede node i, which
// is of another goroutine.
func (e *timeline) precedingEnd(i int32, g trace.GID) int32 {
	return e.clocks[e.nodeOf(i)][e.column[g]]
}

// nodeOf returns the node of event i, or none.
func (e *timeline) nodeOf(i int32) int32 {
	if k := i - int32(e.cone.Base); k >= 0 && int(k) < len(e.nodeAt) {
		return e.nodeAt[k]
	}
	return none
}

// solverEvent returns the solver's event of node n.
func (e *timeline) solverEvent(n int32) solver.Event { return e.violation + 1 + solver.Event(n) }

// isPast reports whether event i happens before all events that are encoded.
func (e *timeline) isPast(i int32) bool { return i < int32(e.cone.Base) }

// neverHappens reports whether event i happens in no run.
func (e *timeline) neverHappens(i int32) bool {
	return i == none || !e.isPast(i) && i >= e.cone.ends[e.m.gid(i)]
}

// mustPrecede reports whether event i precedes j, both nodes, in each run that performs j.
func (e *timeline) mustPrecede(i, j int32) bool {
	if e.m.gid(i) == e.m.gid(j) {
		return i < j
	}
	return e.precedingEnd(j, e.m.gid(i)) > i
}

// precedes says that event i precedes j, if j happens. It makes a variable only where neither order
// is certain; that is the constant folding of Said et al., NFM 2011, §4.2. An event that never happens follows all
// others; none is such an event.
func (e *timeline) precedes(i, j int32) solver.Bool {
	f := e.f
	switch {
	case i == j || e.neverHappens(i):
		return f.False()
	case e.neverHappens(j):
		return f.True()
	case e.isPast(i) || e.isPast(j):
		return e.constant(e.isPast(i) && (!e.isPast(j) || i < j))
	case e.mustPrecede(i, j):
		return f.True()
	case e.mustPrecede(j, i):
		return f.False()
	}
	e.noteComparison(i, j)
	return f.Before(e.solverEvent(e.nodeOf(i)), e.solverEvent(e.nodeOf(j)))
}

// noteComparison notes that the formula says which of the nodes of i and j comes first.
func (e *timeline) noteComparison(i, j int32) {
	if !e.mustPrecede(i, j) && !e.mustPrecede(j, i) {
		e.comparisons = append(e.comparisons, [2]int32{e.nodeOf(i), e.nodeOf(j)})
	}
}

func (e *timeline) constant(b bool) solver.Bool {
	if b {
		return e.f.True()
	}
	return e.f.False()
}

// happens says that event i, a node or one that never happens, happens: it comes before the moment of
// the violation. So a prefix of a goroutine costs no variables of its own.
func (e *timeline) happens(i int32) solver.Bool {
	switch {
	case e.neverHappens(i):
		return e.f.False()
	case e.isPast(i) || i < e.cone.certain[e.m.gid(i)]:
		return e.f.True()
	}
	return e.f.Before(e.solverEvent(e.nodeOf(i)), e.violation)
}

// assertIf says that b holds if event i happens.
func (e *timeline) assertIf(i int32, b solver.Bool) { e.assert(e.f.Implies(e.happens(i), b)) }

// assertOrder asserts α: program order, and what must precede what.
func (e *timeline) assertOrder() {
	last := make([]int32, e.width)
	for c := range last {
		last[c] = none
	}
	// sure is the last node of each goroutine that happens in each run. That it comes before the
	// violation implies the same for the earlier ones.
	sure := slices.Clone(last)
	for n, i := range e.nodes {
		c := e.column[e.m.gid(i)]
		if last[c] != none {
			e.assertEdge(last[c], int32(n))
		}
		last[c] = int32(n)
		if i < e.cone.certain[e.m.gid(i)] {
			sure[c] = int32(n)
		}
		for in := range e.requiredEdgesInto(i) {
			if from := e.nodeOf(in.from); from != none {
				e.assertEdge(from, int32(n))
				e.comparisons = append(e.comparisons, [2]int32{from, int32(n)})
			} else if e.neverHappens(in.from) {
				// What i waits for is in no run, and so i is not.
				e.assert(e.f.Not(e.happens(i)))
			}
		}
	}
	for _, n := range sure {
		if n != none {
			e.assert(e.f.Before(e.solverEvent(n), e.violation))
		}
	}
}

func (e *timeline) assertEdge(from, to int32) {
	e.assert(e.f.Before(e.solverEvent(from), e.solverEvent(to)))
}

// assert adds a constraint.
func (e *timeline) assert(b solver.Bool) {
	if b != e.f.True() {
		e.engine.Assert(b)
	}
}

// happensUpTo says that event i, which need not be a node, happens.
//
// The last node up to i decides. No constraint speaks of the events after that node and up to i, so
// a run may add them: see schedule.
func (e *timeline) happensUpTo(i int32) solver.Bool {
	if e.neverHappens(i) {
		return e.f.False()
	}
	for i != none && !e.isPast(i) && e.nodeOf(i) == none {
		i = e.m.prev(i)
	}
	if i == none {
		return e.f.True()
	}
	return e.happens(i)
}

// firstNodeFrom returns the first node of its goroutine at or after event i, or none.
func (e *timeline) firstNodeFrom(i int32) int32 {
	for i != none && !e.neverHappens(i) && e.nodeOf(i) == none {
		i = e.m.next(i)
	}
	if e.neverHappens(i) {
		return none
	}
	return i
}

// alwaysPrecedes reports whether event i precedes j in each run that performs j. It reports false
// for events j that all runs begin with.
func (e *timeline) alwaysPrecedes(i, j int32) bool {
	return !e.isPast(j) && (e.isPast(i) || e.mustPrecede(i, j))
}

// atMostOne asserts that at most one of bs holds, with a number of clauses that grows linearly: a chain of literals, each of which says that one
// of those up to here does.
//
// An example: for a, b and c one literal m suffices. The clauses are a → m, b → m, ¬(a ∧ b) and ¬(m
// ∧ c).
func (e *timeline) atMostOne(bs []solver.Bool) {
	f := e.f
	for k, any := 1, f.False(); k < len(bs); k++ {
		if last := bs[k-1]; k == 1 {
			any = last
		} else {
			more := f.Bool(fmt.Sprintf("one of %d up to %d", bs[0], last))
			e.assert(f.Implies(any, more))
			e.assert(f.Implies(last, more))
			any = more
		}
		e.assert(f.Not(f.And(any, bs[k])))
	}
}
