package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// connect fills in what steps, those of f's interleaving, have to do with each other: the
// locks that their goroutines hold, and the edges between them. Both are taken from the
// recording of the replay, or else from the recorded run; but which write is read and who
// has unlocked what is locked follows from the order of the steps.
func (f *Finding) connect(ev *Evidence, n namer, steps []shown) {
	t := cmp.Or(ev.Replayed, ev.Trace)
	if t == nil || len(steps) == 0 {
		return
	}
	c := connection{t: t, steps: f.Interleaving, first: 0, end: len(t.Events)}
	if ev.Replayed != nil {
		for _, s := range steps {
			c.at = append(c.at, s.at)
		}
	} else {
		var all []witness.Step
		for _, s := range steps {
			all = append(all, *s.Step)
		}
		c.at = witness.Find(t, ev.Index, all)
		c.first, c.end = ev.Index.Range(t, all)
	}
	c.locks(ev, n, f.Accesses)
	c.starts(n)
	c.completions()
	c.inOrder()
	slices.SortFunc(c.edges, func(a, b Edge) int { return cmp.Or(a.To-b.To, a.From-b.From) })
	f.Edges = slices.Compact(c.edges)
}

// A connection is an interleaving on its way to its edges.
type connection struct {
	t     *trace.Trace
	at    []int // positions of the steps in t; -1: it has none
	steps []Step
	edges []Edge
	// Where the events of the goroutines of the steps are, from the first one to after the last.
	first, end int
}

// event returns that of step i, nil if there is none.
func (c *connection) event(i int) *trace.Event {
	if c.at[i] < 0 {
		return nil
	}
	return &c.t.Events[c.at[i]]
}

// add adds an edge, unless both ends are of one goroutine.
func (c *connection) add(from, to int, kind EdgeKind) {
	if from >= 0 && to >= 0 && c.steps[from].Goroutine != c.steps[to].Goroutine {
		c.edges = append(c.edges, Edge{from, to, kind})
	}
}

// byPosition returns the steps by their positions.
func (c *connection) byPosition() (of map[int]int, last int) {
	of, last = make(map[int]int), -1
	for i, at := range c.at {
		if at >= 0 {
			of[at] = i
			last = max(last, at)
		}
	}
	return of, last
}

// locks fills in which locks goroutines hold after their steps. A step that the trace
// does not have, as it blocks, changes nothing; what its goroutine holds is known of the
// access, if there is no step before.
func (c *connection) locks(ev *Evidence, n namer, accesses []Access) {
	of, last := c.byPosition()
	seen := *ev
	seen.Trace = c.t
	names := make([][]string, len(c.steps))
	var now []string
	type lockAt struct {
		op   trace.Kind
		site trace.SiteID
	}
	locks := make(map[lockAt]string)    // their names
	lastOf := make(map[string][]string) // by goroutine: what it has held last, which steps share
	heldAt(c.t, c.first, last+1, slices.Sorted(maps.Keys(of)), func(p int, held []trace.Event) {
		i := of[p]
		now = now[:0]
		for _, h := range held {
			if h.G != c.t.Events[p].G {
				continue
			}
			at := lockAt{h.Kind, h.Site}
			lock, ok := locks[at]
			if !ok {
				lock = name(place(&seen, n, h.Kind, h.Site).Expr)
				if h.Kind == trace.RAcquire {
					lock += " (reading)"
				}
				locks[at] = lock
			}
			now = append(now, lock)
		}
		names[i] = nil
		if len(now) > 0 {
			if last := lastOf[c.steps[i].Goroutine]; !slices.Equal(last, now) {
				lastOf[c.steps[i].Goroutine] = slices.Clone(now)
			}
			names[i] = lastOf[c.steps[i].Goroutine]
		}
	})
	before := make(map[string][]string)
	for _, a := range accesses {
		for _, l := range a.Locks {
			before[a.Goroutine] = append(before[a.Goroutine], name(l.Expr))
		}
	}
	for i := range c.steps {
		s := &c.steps[i]
		if s.Locks = names[i]; c.at[i] < 0 {
			s.Locks = before[s.Goroutine]
		}
		before[s.Goroutine] = s.Locks
	}
}

// starts adds the edges to the first steps of goroutines.
func (c *connection) starts(n namer) {
	forks := make(map[string]int) // by child
	seen := make(map[string]bool)
	for i, s := range c.steps {
		if by, ok := forks[s.Goroutine]; ok && !seen[s.Goroutine] {
			c.add(by, i, EdgeGo)
		}
		seen[s.Goroutine] = true
		if s.Op != trace.Fork.String() {
			continue
		}
		child := s.Value
		if e := c.event(i); e != nil {
			child = n.goroutine(c.t.Goroutines[e.Obj].Name())
		}
		forks[child] = i
	}
}

// completions adds the edges of operations that end in another event than they begin with,
// or that name each other by a number: of channels, groups, conditions.
func (c *connection) completions() {
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
		switch e := &c.t.Events[p]; e.Kind {
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
				c.add(from, i, EdgeWaitGroup)
			}
		case trace.CondSignal:
			if e.Val > 0 {
				woken[number{e.Obj, e.Val - 1}] = step(p)
			}
		case trace.CondBroadcast:
			for n := range min(uint64(e.Size), uint64(len(c.t.Goroutines))) {
				woken[number{e.Obj, e.Val + n}] = step(p)
			}
		case trace.CondWake:
			from, ok := woken[number{e.Obj, e.Val}]
			if i, waits := begun[e.G]; ok && waits {
				c.add(from, i, EdgeSignal)
			}
		}
	}
	for to, n := range got {
		if from, ok := closed[n.obj]; ok && n.n == 0 {
			c.add(from, to, EdgeClose)
		} else if from, ok := sent[n]; ok && n.n > 0 {
			c.add(from, to, EdgeMessage)
		}
	}
}

// inOrder adds the edges that follow from the order of the steps.
func (c *connection) inOrder() {
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
			c.add(max(from(unlocks, e.Obj), from(leaves, e.Obj)), i, EdgeLock)
		case trace.RAcquire:
			c.add(from(unlocks, e.Obj), i, EdgeLock)
		case trace.OnceEnd:
			ended[e.Obj] = i
		case trace.OnceDone:
			c.add(from(ended, e.Obj), i, EdgeOnce)
		case trace.Post:
			tokens[e.Obj] = i
		case trace.Await:
			if e.Obj != 0 {
				c.add(from(tokens, e.Obj), i, EdgeToken)
			}
		}
		if !e.Kind.IsAccess() || e.Size == 0 {
			continue
		}
		if e.Kind != trace.Write && e.Kind != trace.AtomicStore {
			c.add(c.written(writes, e), i, EdgeValue)
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
