package evidence

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
	"github.com/gopredict/gopredict/replayer/witness"
)

// addConnections adds to f the locks that goroutines hold after its steps, and the edges between the
// steps. Both come from the trace of the replay, or else from that of the recorded run. But which
// write is read, and which unlock comes before a lock, follows from the order of the steps, which
// may differ from the recorded one.
func (b builder) addConnections(f *report.Finding, steps []shownStep) {
	r := cmp.Or(b.replayed, b.recorded)
	if r == nil || len(steps) == 0 {
		return
	}
	c := connection{builder: b, run: r, steps: f.Interleaving, stepAt: make(map[int]int)}
	if b.replayed != nil {
		for _, s := range steps {
			c.positions = append(c.positions, s.position)
		}
	} else {
		var all []witness.Step
		for _, s := range steps {
			all = append(all, *s.Step)
		}
		c.positions = witness.FindSteps(r.Trace, r.index, all)
	}
	for i, position := range c.positions {
		switch {
		case position >= r.Happened(): // the goroutine was blocked in the operation
			c.positions[i] = -1
		case position >= 0:
			c.stepAt[position] = i
		}
	}
	c.addLocks(f.Accesses)
	c.addStarts()
	for i := range c.steps {
		c.addEnabler(i)
	}
	c.addOrdered()
	slices.SortFunc(c.edges, func(a, b report.Edge) int { return cmp.Or(a.To-b.To, a.From-b.From) })
	f.Edges = slices.Compact(c.edges)
}

// A connection finds the edges of an interleaving.
type connection struct {
	builder
	*run                  // the run that has the steps
	positions []int       // of the steps in the trace; -1: it has none
	stepAt    map[int]int // steps by their positions
	steps     []report.Step
	edges     []report.Edge
}

// event returns the event of step i, nil if the trace has none.
func (c *connection) event(i int) *trace.Event {
	if c.positions[i] < 0 {
		return nil
	}
	return &c.Events[c.positions[i]]
}

// add adds an edge, unless both ends are of one goroutine.
func (c *connection) add(from, to int, kind report.EdgeKind) {
	if from >= 0 && to >= 0 && c.steps[from].Goroutine != c.steps[to].Goroutine {
		c.edges = append(c.edges, report.Edge{From: from, To: to, Kind: kind})
	}
}

// addLocks adds the locks that goroutines hold after their steps. A step without an event, as it
// blocks, changes nothing. If its goroutine has no step before, the access has the locks.
func (c *connection) addLocks(accesses []report.Access) {
	type acquire struct {
		op   trace.Kind
		site trace.SiteID
	}
	names := make(map[acquire]string)
	name := func(e *trace.Event) string {
		at := acquire{e.Kind, e.Site}
		if _, known := names[at]; !known {
			names[at] = cmp.Or(c.place(c.run, e.Kind, e.Site).Expr, "a lock")
			if e.Kind == trace.RAcquire {
				names[at] += " (reading)"
			}
		}
		return names[at]
	}
	lists := make([][]string, len(c.steps))
	c.openAfter(slices.Sorted(maps.Keys(c.stepAt)), func(position int, rows []int32) {
		for _, row := range rows {
			i := c.stepAt[position]
			lists[i] = append(lists[i], name(&c.Events[c.facts().Sections()[row].Acquire]))
		}
	})
	before := make(map[string][]string)
	for _, a := range accesses {
		for _, l := range a.Locks {
			before[a.Goroutine] = append(before[a.Goroutine], cmp.Or(l.Expr, "a lock"))
		}
	}
	for i := range c.steps {
		s := &c.steps[i]
		if s.Locks = lists[i]; c.positions[i] < 0 {
			s.Locks = before[s.Goroutine]
		}
		before[s.Goroutine] = s.Locks
	}
}

// addStarts adds the edges to the first steps of goroutines.
func (c *connection) addStarts() {
	forks := make(map[string]int) // by child
	seen := make(map[string]bool)
	for i, s := range c.steps {
		if by, ok := forks[s.Goroutine]; ok && !seen[s.Goroutine] {
			c.add(by, i, report.EdgeGo)
		}
		seen[s.Goroutine] = true
		if s.Op != trace.Fork.String() {
			continue
		}
		child := s.Value
		if e := c.event(i); e != nil {
			child = c.goroutine(c.Goroutines[e.Obj].Name())
		}
		forks[child] = i
	}
}

// addEnabler adds the edge to step i from the step that let it go on: a send, a close, the last Done
// or a signal.
func (c *connection) addEnabler(i int) {
	if c.positions[i] < 0 {
		return
	}
	position, f := c.positions[i], c.facts()
	if row := f.OperationOf(position); row != facts.None {
		switch o := &f.Operations()[row]; {
		case o.Receive && o.Outcome == facts.Passed:
			c.addFrom(f.Enabler(int(o.Done)), i, report.EdgeMessage)
		case o.Outcome == facts.FoundClosed:
			c.addFrom(f.Enabler(int(o.Done)), i, report.EdgeClose)
		}
	}
	if row := f.GroupWaitOf(position); row != facts.None {
		if w := f.GroupWaits()[row]; w.Done != facts.None && w.Round != facts.None {
			c.addFrom(f.Rounds()[w.Round].Zero, i, report.EdgeWaitGroup)
		}
	}
	if row := f.TicketOf(position); row != facts.None {
		if t := f.Tickets()[row]; t.Wake != facts.None {
			c.addFrom(t.Waker, i, report.EdgeSignal)
		}
	}
}

// addFrom adds an edge from the step at a position, if there is one.
func (c *connection) addFrom(position int32, to int, kind report.EdgeKind) {
	if from, ok := c.stepAt[int(position)]; ok {
		c.add(from, to, kind)
	}
}

// addOrdered adds the edges that follow from the order of the steps.
func (c *connection) addOrdered() {
	var (
		unlocks = make(map[uint64]int) // by lock: the last unlock of a writer
		leaves  = make(map[uint64]int) // by lock: the last unlock of a reader
		ended   = make(map[uint64]int) // by Once
		tokens  = make(map[uint64]int)
		writes  = make(map[uint64]int) // by word of memory
	)
	from := func(steps map[uint64]int, obj uint64) int {
		if i, ok := steps[obj]; ok {
			return i
		}
		return -1
	}
	for i := range c.steps {
		e := c.event(i)
		if e == nil {
			continue
		}
		switch e.Kind {
		case trace.Release:
			unlocks[e.Obj] = i
		case trace.RRelease:
			leaves[e.Obj] = i
		case trace.Acquire:
			c.add(max(from(unlocks, e.Obj), from(leaves, e.Obj)), i, report.EdgeLock)
		case trace.RAcquire:
			c.add(from(unlocks, e.Obj), i, report.EdgeLock)
		case trace.OnceEnd:
			ended[e.Obj] = i
		case trace.OnceDone:
			c.add(from(ended, e.Obj), i, report.EdgeOnce)
		case trace.Post:
			tokens[e.Obj] = i
		case trace.Await:
			if e.Obj != 0 {
				c.add(from(tokens, e.Obj), i, report.EdgeToken)
			}
		}
		if !e.Kind.IsAccess() || e.Size == 0 {
			continue
		}
		if e.Kind != trace.Write && e.Kind != trace.AtomicStore {
			c.add(c.lastWriteOf(writes, e), i, report.EdgeValue)
		}
		if e.Kind.IsWrite() {
			for w := range countWords(e) {
				writes[e.Obj>>3+w] = i
			}
		}
	}
}

// countWords returns how many words of memory e touches, at most 64: larger accesses have no edges
// beyond these.
func countWords(e *trace.Event) uint64 { return min((e.Obj&7+uint64(e.Size)+7)>>3, 64) }

// lastWriteOf returns the last step that wrote what e reads, -1 if there is none. It also returns -1
// if that wrote another value: then the interleaving leaves out a write in between, which makes no
// difference to the bug.
func (c *connection) lastWriteOf(writes map[uint64]int, e *trace.Event) int {
	last := -1
	for w := range countWords(e) {
		if i, ok := writes[e.Obj>>3+w]; ok {
			last = max(last, i)
		}
	}
	if last < 0 {
		return -1
	}
	by := c.event(last)
	overlap := by.Obj < e.Obj+uint64(e.Size) && e.Obj < by.Obj+uint64(by.Size)
	if !overlap || e.Kind != trace.AtomicRMW && by.HasValue() && e.HasValue() && by.Obj == e.Obj && by.Size == e.Size && !e.ValueEquals(by.Val) {
		return -1
	}
	return last
}
