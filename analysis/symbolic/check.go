package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// whole goes through a model's run as far as it is possible, and reports whether
// it is. It asserts what the formula has left out that the model breaks.
// What is asserted may take the rest of the budget: then it is less than all.
func (e *Encoding) whole(order []int32, budget *solver.Budget) bool {
	c := checker{
		Encoding: e, writer: make(map[int32]int32), open: make(map[*lock][]*facts.Section),
	}
	for k := range e.m.locks {
		c.begin(&e.m.locks[k])
	}
	for _, i := range order {
		switch ev := e.m.event(i); ev.Kind {
		case trace.Acquire, trace.RAcquire, trace.Release, trace.RRelease:
			c.lock(i, e.m.lock(i))
		default:
			if ev.Kind.IsAccess() {
				c.access(i, ev)
			}
		}
	}
	c.products()
	for _, add := range c.broken {
		if add(); budget != nil && e.effort.steps()-e.spent > budget.Steps {
			break
		}
	}
	e.taint.define()
	return len(c.broken) == 0
}

// A checker is the state of a run.
type checker struct {
	*Encoding
	writer map[int32]int32 // by cell: one more than the last writer
	open   map[*lock][]*facts.Section
	broken []func() // what asserts that it must not be
}

// begin opens the sections that the past has not ended.
func (c *checker) begin(l *lock) {
	if c.cone.Base == 0 || !l.shared || l.loose {
		return
	}
	for s := range c.m.sections(l) {
		if !c.past(s.Acquire) {
			break
		}
		if !c.locks.over(s) {
			c.open[l] = append(c.open[l], s)
		}
	}
}

func (c *checker) lock(i int32, l *lock) {
	if l.loose || !l.shared {
		return
	}
	if s := c.m.section(i); s != nil {
		for _, o := range c.open[l] {
			if excludes(s, o) {
				c.broken = append(c.broken, func() { c.locks.apart(o, s) })
			}
		}
		c.open[l] = append(c.open[l], s)
		return
	}
	c.open[l] = slices.DeleteFunc(c.open[l], func(o *facts.Section) bool { return o.Release == i })
}

func (c *checker) access(i int32, ev *trace.Event) {
	mem := c.m.mem
	if reads(ev.Kind) {
		vague := c.reads.vague[i] && c.engine.Value(c.reads.as[i])
		for cell := range mem.of(i) {
			if !mem.cells[cell].shared {
				continue
			}
			last := c.last(cell)
			if vague && !c.plainlySame(i, cell, last) {
				c.broken = append(c.broken, func() { c.reads.readsFrom(i) })
				vague = false
			}
			for _, ch := range c.reads.choicesOf[i] {
				if ch.cell == cell && !ch.is(last) && c.engine.Value(ch.lit) {
					c.broken = append(c.broken, func() { c.reads.part(ch, last) })
				}
			}
		}
	}
	if writes(ev) {
		for cell := range mem.of(i) {
			c.writer[cell] = i + 1
		}
	}
}

// last returns the last writer of a cell so far, or none.
func (c *checker) last(cell int32) int32 { return c.writer[cell] - 1 }

// plainlySame reports whether the read at position i finds in the cell what it
// found in the recorded run, if w was the last to write there.
func (c *checker) plainlySame(i, cell, w int32) bool {
	if w != none && !c.taint.never(w) {
		return false
	}
	ws, initially := c.m.mem.same(i, cell)
	if w == none {
		if w = c.writes.begins(cell); w == none {
			return initially
		}
	}
	_, ok := slices.BinarySearch(ws, w)
	return ok
}

// products finds the products that the model has wrong.
func (c *checker) products() {
	for _, p := range c.values.products.all {
		a, b := c.engine.IntValue(p.factors[0]), c.engine.IntValue(p.factors[1])
		if c.engine.Value(p.counts) && c.engine.IntValue(p.value) != a*b {
			c.broken = append(c.broken, func() { c.values.products.multiply(p, [2]int64{a, b}) })
		}
	}
}

// performed returns the nodes that happen in the engine's model, in its order.
func (e *timeline) performed() (order []int32) {
	for _, ev := range e.engine.Order() {
		if ev == e.moment {
			return order
		}
		if n := int(ev - e.moment - 1); n >= 0 && n < len(e.nodes) {
			order = append(order, e.nodes[n])
		}
	}
	return order
}

// steps adds to a run of nodes the other events of the cone that come with
// them.
func (e *timeline) steps(run []int32, t Target) []int {
	next := make([]int32, len(e.m.t.Goroutines))
	for g := range next {
		next[g] = e.m.from1(trace.GID(g), int32(e.cone.Base))
	}
	var steps []int
	upTo := func(g trace.GID, end int32) {
		for ; next[g] != none && next[g] < end; next[g] = e.m.next(next[g]) {
			steps = append(steps, int(next[g]))
		}
	}
	for _, i := range run {
		upTo(e.m.gid(i), i+1)
	}
	for _, s := range t.Stands {
		upTo(e.m.gid(int32(s)), int32(s))
	}
	return steps
}
