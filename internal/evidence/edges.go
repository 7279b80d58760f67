package evidence

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// connect adds to f what its steps have to do with each other: the locks that their goroutines
// hold, and the edges between them. Both are taken from the recording of the replay, or else from
// the recorded run. Which write is read and who unlocked what is locked follows from the order
// of the steps instead: that may be another one.
func (b builder) connect(f *report.Finding, steps []shownStep) {
	t := cmp.Or(b.Replayed, b.Trace)
	if t == nil || len(steps) == 0 {
		return
	}
	c := connection{builder: b.with(t), steps: f.Interleaving, first: 0, end: len(t.Events)}
	if b.Replayed != nil {
		for _, s := range steps {
			c.positions = append(c.positions, s.position)
		}
	} else {
		var all []witness.Step
		for _, s := range steps {
			all = append(all, *s.Step)
		}
		c.positions = witness.Find(t, b.Index, all)
		c.first, c.end = b.Index.Range(t, all)
	}
	c.addLocks(f.Accesses)
	c.addStarts()
	c.addCompletions()
	c.addOrdered()
	slices.SortFunc(c.edges, func(a, b report.Edge) int { return cmp.Or(a.To-b.To, a.From-b.From) })
	f.Edges = slices.Compact(c.edges)
}

// A connection finds the edges of an interleaving.
type connection struct {
	builder         // with the trace that has the steps
	positions []int // of the steps in the trace; -1: it has none
	steps     []report.Step
	edges     []report.Edge
	// The events of the goroutines of the steps are at positions from first on, before end.
	first, end int
}

// event returns that of step i, nil if there is none.
func (c *connection) event(i int) *trace.Event {
	if c.positions[i] < 0 {
		return nil
	}
	return &c.Trace.Events[c.positions[i]]
}

// add adds an edge, unless both ends are of one goroutine.
func (c *connection) add(from, to int, kind report.EdgeKind) {
	if from >= 0 && to >= 0 && c.steps[from].Goroutine != c.steps[to].Goroutine {
		c.edges = append(c.edges, report.Edge{From: from, To: to, Kind: kind})
	}
}

// byPosition returns the steps by their positions, and the last of these.
func (c *connection) byPosition() (steps map[int]int, last int) {
	steps, last = make(map[int]int), -1
	for i, position := range c.positions {
		if position >= 0 {
			steps[position] = i
			last = max(last, position)
		}
	}
	return steps, last
}

// addLocks adds which locks goroutines hold after their steps. A step that the trace does not
// have, as it blocks, changes nothing; what its goroutine holds is known of the access, if there
// is no step before.
func (c *connection) addLocks(accesses []report.Access) {
	steps, last := c.byPosition()
	type acquire struct {
		op   trace.Kind
		site trace.SiteID
	}
	names := make(map[acquire]string)
	name := func(e trace.Event) string {
		at := acquire{e.Kind, e.Site}
		if _, known := names[at]; !known {
			names[at] = cmp.Or(c.place(e.Kind, e.Site).Expr, "a lock")
			if e.Kind == trace.RAcquire {
				names[at] += " (reading)"
			}
		}
		return names[at]
	}
	lists := make([][]string, len(c.steps))
	latest := make(map[string][]string) // by goroutine its last list, which steps share
	heldAt(c.Trace, c.first, last+1, slices.Sorted(maps.Keys(steps)), func(position int, held []trace.Event) {
		var list []string
		for _, h := range held {
			if h.G == c.Trace.Events[position].G {
				list = append(list, name(h))
			}
		}
		i := steps[position]
		if goroutine := c.steps[i].Goroutine; len(list) == 0 {
			lists[i] = nil
		} else {
			if !slices.Equal(latest[goroutine], list) {
				latest[goroutine] = list
			}
			lists[i] = latest[goroutine]
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
			child = c.goroutine(c.Trace.Goroutines[e.Obj].Name())
		}
		forks[child] = i
	}
}

// addCompletions adds the edges of operations that end in another event than they begin with,
// or that name each other by a number: of channels, groups, conditions.
func (c *connection) addCompletions() {
	type number struct{ obj, n uint64 }
	of, _ := c.byPosition()
	var (
		begun  = make(map[trace.GID]int) // by goroutine the step of what it is at, -1 if that is none
		sent   = make(map[number]int)
		got    = make(map[int]number)
		closed = make(map[uint64]int)
		done   = make(map[uint64]int) // by group the step of its last Done
		woken  = make(map[number]int) // by ticket the step of who has woken it
	)
	step := func(p int) int {
		if i, ok := of[p]; ok {
			return i
		}
		return -1
	}
	// What a step has begun may end long after the last one: a send, when its goroutine goes on.
	for p := c.first; p < c.end; p++ {
		switch e := &c.Trace.Events[p]; e.Kind {
		case trace.Send, trace.Recv, trace.Select, trace.WaitGroupWait, trace.CondWait:
			begun[e.G] = step(p)
		case trace.SendDone:
			if i, ok := begun[e.G]; ok {
				sent[number{e.Obj, e.Val}] = i
			}
		case trace.RecvDone:
			if i, ok := begun[e.G]; ok && i >= 0 {
				got[i] = number{e.Obj, e.Val}
			}
		case trace.Close:
			closed[e.Obj] = step(p)
		case trace.WaitGroupAdd:
			if int64(e.Val) < 0 {
				done[e.Obj] = step(p)
			}
		case trace.WaitGroupWaited:
			from, ok := done[e.Obj]
			if i, waits := begun[e.G]; ok && waits {
				c.add(from, i, report.EdgeWaitGroup)
			}
		case trace.CondSignal:
			if e.Val > 0 {
				woken[number{e.Obj, e.Val - 1}] = step(p)
			}
		case trace.CondBroadcast:
			for n := range min(uint64(e.Size), uint64(len(c.Trace.Goroutines))) {
				woken[number{e.Obj, e.Val + n}] = step(p)
			}
		case trace.CondWake:
			from, ok := woken[number{e.Obj, e.Val}]
			if i, waits := begun[e.G]; ok && waits {
				c.add(from, i, report.EdgeSignal)
			}
		}
	}
	for to, n := range got {
		if from, ok := closed[n.obj]; ok && n.n == 0 {
			c.add(from, to, report.EdgeClose)
		} else if from, ok := sent[n]; ok && n.n > 0 {
			c.add(from, to, report.EdgeMessage)
		}
	}
}

// addOrdered adds the edges that follow from the order of the steps.
func (c *connection) addOrdered() {
	var (
		unlocks = make(map[uint64]int) // by lock, of those that hold it alone
		leaves  = make(map[uint64]int) // of readers
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
			c.add(c.written(writes, e), i, report.EdgeValue)
		}
		if e.Kind.IsWrite() {
			for w := range words(e) {
				writes[e.Obj>>3+w] = i
			}
		}
	}
}

// words is how many words of memory e touches, as far as edges need it.
func words(e *trace.Event) uint64 { return min((e.Obj&7+uint64(e.Size)+7)>>3, 64) }

// written returns the last step that has written what e reads, -1 if there is none, or if
// what it has written is another value: then a step that makes no difference to the bug is
// left out, which has written in between.
func (c *connection) written(writes map[uint64]int, e *trace.Event) int {
	last := -1
	for w := range words(e) {
		if i, ok := writes[e.Obj>>3+w]; ok {
			last = max(last, i)
		}
	}
	if last < 0 {
		return -1
	}
	by := c.event(last)
	overlap := by.Obj < e.Obj+uint64(e.Size) && e.Obj < by.Obj+uint64(by.Size)
	if !overlap || e.Kind != trace.AtomicRMW && by.HasValue() && e.HasValue() && by.Obj == e.Obj && by.Size == e.Size && !e.SameBits(by.Val) {
		return -1
	}
	return last
}
