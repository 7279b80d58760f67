package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// refine follows a model's run and reports whether it is possible. It asserts the constraints that
// the formula has left out and the run violates; if that takes the rest of the budget, only some.
func (e *Encoding) refine(order []int32, budget *solver.Budget) bool {
	c := runChecker{
		Encoding: e, lastWriters: make(map[int32]int32), openSections: make(map[*lock][]*facts.Section),
	}
	for k := range e.m.locks {
		c.openPastSections(&e.m.locks[k])
	}
	for _, i := range order {
		switch ev := e.m.event(i); ev.Kind {
		case trace.Acquire, trace.RAcquire, trace.Release, trace.RRelease:
			c.checkLock(i, e.m.lock(i))
		default:
			if ev.Kind.IsAccess() {
				c.checkAccess(i, ev)
			}
		}
	}
	c.checkProducts()
	for _, add := range c.repairs {
		if add(); budget != nil && e.steps-e.spent > budget.Steps {
			break
		}
	}
	e.taint.defineLiterals()
	return len(c.repairs) == 0
}

// A runChecker is the state of a run that is followed. It is the lazy part of the encoding: pairs of
// critical sections, and writes between a read and its source, are so many that asserting all of them
// takes longer than solving. The run of a model shows which of them are needed. Each repair excludes
// the model, so the loop ends.
//
// An example: two goroutines lock m, and the model has the second Lock before the first Unlock. The
// walk finds the first section still open, and asserts that these two sections exclude each other.
// All other pairs of sections of m stay out of the formula.
//
// lastWriters holds one more than a position, so that the zero value of the map means none.
type runChecker struct {
	*Encoding
	lastWriters  map[int32]int32 // by cell: one more than the last writer
	openSections map[*lock][]*facts.Section
	repairs      []func() // each asserts a constraint that the run violates
}

// openPastSections opens the critical sections that began, and did not end, before the cone.
func (c *runChecker) openPastSections(l *lock) {
	if c.cone.Base == 0 || !l.shared || l.releasedByOthers {
		return
	}
	for s := range c.m.sections(l) {
		if !c.isPast(s.Acquire) {
			break
		}
		if !c.locks.isOver(s) {
			c.openSections[l] = append(c.openSections[l], s)
		}
	}
}

func (c *runChecker) checkLock(i int32, l *lock) {
	if l.releasedByOthers || !l.shared {
		return
	}
	if s := c.m.section(i); s != nil {
		for _, o := range c.openSections[l] {
			if excludes(s, o) {
				c.repairs = append(c.repairs, func() { c.locks.exclude(o, s) })
			}
		}
		c.openSections[l] = append(c.openSections[l], s)
		return
	}
	c.openSections[l] = slices.DeleteFunc(c.openSections[l], func(o *facts.Section) bool { return o.Release == i })
}

func (c *runChecker) checkAccess(i int32, ev *trace.Event) {
	mem := c.m.memory
	if ev.Kind.IsRead() {
		vague := c.reads.undefinedReads[i] && c.engine.Value(c.reads.asRecorded[i])
		for cell := range mem.cellsOf(i) {
			if !mem.cells[cell].shared {
				continue
			}
			last := c.lastWriter(cell)
			if vague && !c.findsRecorded(i, cell, last) {
				c.repairs = append(c.repairs, func() { c.reads.defineRecorded(i) })
				// One definition covers all cells of the read.
				vague = false
			}
			for _, ch := range c.reads.choicesOf[i] {
				if ch.cell == cell && !ch.includes(last) && c.engine.Value(ch.literal) {
					c.repairs = append(c.repairs, func() { c.reads.keepOutNeighbours(ch, last) })
				}
			}
		}
	}
	if ev.Stores() {
		for cell := range mem.cellsOf(i) {
			c.lastWriters[cell] = i + 1
		}
	}
}

// lastWriter returns the last writer of a cell so far, or none.
func (c *runChecker) lastWriter(cell int32) int32 { return c.lastWriters[cell] - 1 }

// findsRecorded reports whether the read at position i finds in the cell what it found in the
// recorded run if w is the last writer, whatever else happens.
func (c *runChecker) findsRecorded(i, cell, w int32) bool {
	if w != none && !c.taint.neverDiffers(w) {
		return false
	}
	ws, initially := c.m.memory.sameValueWriters(i, cell)
	if w == none {
		if w = c.writes.lastPastWriter(cell); w == none {
			return initially
		}
	}
	_, ok := slices.BinarySearch(ws, w)
	return ok
}

// checkProducts finds the products that have a wrong value in the model.
func (c *runChecker) checkProducts() {
	for _, p := range c.values.products.all {
		a, b := c.engine.IntValue(p.factors[0]), c.engine.IntValue(p.factors[1])
		if c.engine.Value(p.defined) && c.engine.IntValue(p.value) != a*b {
			c.repairs = append(c.repairs, func() { c.values.products.multiply(p, [2]int64{a, b}) })
		}
	}
}

// modelRun returns the nodes that happen in the engine's model, in its order.
func (e *timeline) modelRun() (order []int32) {
	for _, ev := range e.engine.Order() {
		if ev == e.violation {
			return order
		}
		// Solver events after those of the nodes are ends of sections, which are no events of the
		// trace.
		if n := int(ev - e.violation - 1); n >= 0 && n < len(e.nodes) {
			order = append(order, e.nodes[n])
		}
	}
	return order
}

// schedule completes a run of nodes with the other events of the cone that happen then.
func (e *timeline) schedule(run []int32, t Target) []int {
	next := make([]int32, len(e.m.t.Goroutines))
	for g := range next {
		next[g] = e.m.firstFrom(trace.GID(g), int32(e.cone.Base))
	}
	var steps []int
	upTo := func(g trace.GID, end int32) {
		for ; next[g] != none && next[g] < end; next[g] = e.m.next(next[g]) {
			steps = append(steps, int(next[g]))
		}
	}
	// An event without a node comes just before the next node of its goroutine.
	for _, i := range run {
		upTo(e.m.gid(i), i+1)
	}
	for _, s := range t.Pending {
		upTo(e.m.gid(int32(s)), int32(s))
	}
	return steps
}
