package symbolic

import (
	"context"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An Answer is what an encoding says of a target.
type Answer struct {
	solver.Answer
	Why   string // for Unknown
	Never bool   // for Unsat: no run comes to the target, whatever it begins with
	// Steps lead to the target, for Sat: positions. Before them come the first
	// Base events in recorded order.
	Base  int
	Steps []int
	// Departs is where the run departs from the recorded one, for a Departure.
	Departs int
}

// departing returns the first departure for t in the engine's model, or none.
func (e *Encoding) departing(t Target) int {
	for _, i := range t.Departs {
		if b, ok := e.departures[int32(i)]; ok && e.engine.Value(b) {
			return i
		}
	}
	return none
}

// Solve says whether a run comes to t, which must be one of the cone's targets.
// What that takes is taken off the budget.
func (e *Encoding) Solve(ctx context.Context, t Target, budget *solver.Budget) (Answer, error) {
	q := e.question(ctx, t, budget)
	return q.ask()
}

// A question is one target and what may be spent on it.
type question struct {
	*Encoding
	ctx      context.Context
	target   Target
	property []solver.Bool
	budget   *solver.Budget
	bound    int           // of switches, if few of them are looked for
	core     []solver.Bool // after an Unsat: the assumptions that it needs
	over     bool          // to say what the target is took all of the budget
}

func (e *Encoding) question(ctx context.Context, t Target, budget *solver.Budget) *question {
	q := &question{Encoding: e, ctx: ctx, target: t, budget: budget, bound: unbounded}
	if budget != nil {
		e.most = e.spent + max(1, budget.Steps)
	}
	q.property = e.property(t)
	e.taint.define()
	if e.most = 0; e.err == errOver { // of this question only
		q.over, e.err = true, nil
	}
	e.spend(budget)
	return q
}

// ask asks under more assumptions, until a model's run is whole.
func (q *question) ask(more ...solver.Bool) (Answer, error) {
	for {
		assumptions := slices.Concat(q.property, more, q.narrows())
		switch {
		case q.err != nil:
			return Answer{Why: q.err.Error()}, nil
		case q.over:
			return Answer{Why: errOver.Error()}, nil
		case slices.Contains(assumptions, q.f.False()):
			q.core = nil
			return Answer{Answer: solver.Unsat}, nil
		}
		answer, err := q.engine.Check(q.ctx, q.budget, assumptions...)
		if err != nil {
			return Answer{}, err
		}
		if answer == solver.Unsat && q.widen(q.engine.Core()) {
			q.taint.define()
			q.spend(q.budget)
			continue
		}
		if answer != solver.Sat {
			a := Answer{Answer: answer}
			if answer == solver.Unknown {
				a.Why = q.engine.Why()
			} else {
				q.core = q.engine.Core()
			}
			return a, nil
		}
		run, short := q.performed(), true
		if q.bound != unbounded {
			run, short = q.stretched(run, q.bound)
		}
		if short && q.whole(run, q.budget) {
			return Answer{Answer: answer, Base: q.cone.Base, Steps: q.steps(run, q.target), Departs: q.departing(q.target)}, nil
		}
		q.spend(q.budget)
	}
}

// property returns ρ: what must hold in a run that comes to t.
func (e *Encoding) property(t Target) []solver.Bool {
	f := e.f
	var all []solver.Bool
	for _, s := range t.Stands {
		i := int32(s)
		if from := e.m.reached(i); from != none {
			all = append(all, e.doneUpTo(from))
		}
		if n := e.nodeFrom(i); n != none {
			all = append(all, f.Not(e.done(n)))
		}
		all = append(all, e.found(i))
		if t.Fails {
			all = append(all, e.failsAtMoment(i))
			continue
		}
		if t.Blocks {
			for _, side := range e.m.sides(i) {
				all = append(all, e.waitsIn(side)...)
			}
		}
		switch ev := e.m.event(i); ev.Kind {
		case trace.WaitGroupWait:
			if t.Blocks {
				all = append(all, e.count(ev.Obj, e.done, func(n int64) bool { return n > 0 }, false))
			}
		case trace.CondWake:
			for _, signal := range t.Over {
				all = append(all, e.misses(int32(signal), i))
			}
		case trace.WaitGroupAdd:
			all = append(all, e.zeroAtMoment(ev.Obj))
		case trace.Close, trace.Send, trace.SelectSend:
			if c := e.m.chans.byObj[ev.Obj]; c != nil {
				for _, cl := range c.closes {
					all = append(all, f.Not(e.done(cl)))
				}
			}
		}
	}
	for _, i := range t.Over {
		all = append(all, e.done(int32(i)))
	}
	for _, p := range t.Order {
		i, j := int32(p[0]), int32(p[1])
		all = append(all, e.done(i), e.before(i, j))
		if !t.stands(p[1]) {
			all = append(all, e.done(j))
		}
	}
	if len(t.Departs) > 0 {
		all = append(all, e.departs(t.Departs))
	}
	for _, i := range slices.Sorted(maps.Keys(e.free)) {
		if free := e.free[i]; e.m.frees(&t, i) {
			all = append(all, free)
		} else {
			all = append(all, f.Not(free))
		}
	}
	return slices.DeleteFunc(all, func(b solver.Bool) bool { return b == f.True() })
}

// doneUpTo says that event i, which need not be a node, happens.
func (e *Encoding) doneUpTo(i int32) solver.Bool {
	if e.outside(i) {
		return e.f.False()
	}
	for i != none && !e.past(i) && e.node(i) == none {
		i = e.m.prev(i)
	}
	if i == none {
		return e.f.True()
	}
	return e.done(i)
}

// nodeFrom returns the first node of its goroutine at or after event i, or none.
func (e *Encoding) nodeFrom(i int32) int32 {
	for i != none && !e.outside(i) && e.node(i) == none {
		i = e.m.next(i)
	}
	if e.outside(i) {
		return none
	}
	return i
}

// performed returns the nodes that happen in the engine's model, in its order.
func (e *Encoding) performed() (order []int32) {
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

// whole goes through a model's run as far as it is possible, and reports whether
// it is. It asserts what the formula has left out that the model breaks.
// What is asserted may take the rest of the budget: then it is less than all.
func (e *Encoding) whole(order []int32, budget *solver.Budget) bool {
	c := checker{
		Encoding: e, writer: make(map[int32]int32), open: make(map[*lock][]section),
	}
	for _, obj := range e.m.locks.objs {
		c.begin(e.m.locks.byObj[obj])
	}
	for _, g := range e.m.gates {
		c.begin(g)
	}
	for _, i := range order {
		switch ev := e.m.event(i); ev.Kind {
		case trace.Acquire, trace.RAcquire, trace.Release, trace.RRelease:
			c.lock(i, e.m.locks.byObj[ev.Obj])
		default:
			if ev.Kind.IsAccess() {
				c.access(i, ev)
			}
		}
	}
	c.products()
	for _, add := range c.broken {
		if add(); budget != nil && e.effort()-e.spent > budget.Steps {
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
	open   map[*lock][]section
	broken []func() // what asserts that it must not be
}

// begin opens the sections that the past has not ended.
func (c *checker) begin(l *lock) {
	if c.cone.Base == 0 || !l.many || l.loose {
		return
	}
	for s := range l.all() {
		if !c.past(s.acq) {
			break
		}
		if !c.over(s) {
			c.open[l] = append(c.open[l], s)
		}
	}
}

func (c *checker) lock(i int32, l *lock) {
	if l.loose || !l.many {
		return
	}
	if s, ok := l.section(i); ok {
		for _, o := range c.open[l] {
			if !(s.shared && o.shared) {
				c.broken = append(c.broken, func() { c.apart(o, s) })
			}
		}
		c.open[l] = append(c.open[l], s)
		return
	}
	c.open[l] = slices.DeleteFunc(c.open[l], func(o section) bool { return o.rel == i })
}

func (c *checker) access(i int32, ev *trace.Event) {
	mem := c.m.mem
	if reads(ev.Kind) {
		vague := c.reading.vague[i] && c.engine.Value(c.reading.as[i])
		for cell := range mem.of(i) {
			if !mem.cells[cell].shared {
				continue
			}
			last := c.last(cell)
			if vague && !c.plainlySame(i, cell, last) {
				c.broken = append(c.broken, func() { c.readsFrom(i) })
				vague = false
			}
			for _, ch := range c.reading.of[i] {
				if ch.cell == cell && !ch.is(last) && c.engine.Value(ch.lit) {
					c.broken = append(c.broken, func() { c.part(ch, last) })
				}
			}
		}
	}
	if writes(ev) {
		for cell := range mem.of(i) {
			c.writer[cell] = i + 1
			if g := c.m.gates[cell]; g != nil {
				c.lock(i, g)
			}
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
		if w = c.begins(cell); w == none {
			return initially
		}
	}
	_, ok := slices.BinarySearch(ws, w)
	return ok
}

// steps adds to a run of nodes the other events of the cone that come with
// them.
func (e *Encoding) steps(run []int32, t Target) []int {
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
