package symbolic

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A waitGroup is the Adds and Dones of one sync.WaitGroup. Most WaitGroups are used in one way: Adds
// before the goroutines start, one Done in each, and a Wait. Then edges say all: each Done precedes
// the return of Wait. Only what the edges leave open becomes part of the formula.
//
// An example of the usual way:
//
//	g0: Add(2), go g1, go g2, Wait
//	g1: Done
//	g2: Done
//
// g0 has added 2, and the others ever take 2. So the counter is zero only after both Dones. Each
// gets an edge to the return of Wait, and the formula has no counter.
type waitGroup struct {
	adds          []int32 // Dones included, ascending
	neverNegative bool    // its counter is never below zero
}

func newWaitGroups(f *facts.Facts) []waitGroup {
	all := make([]waitGroup, f.Objects(trace.ClassWaitGroup).Len())
	for k, r := range f.Rounds() {
		all[r.Group].adds = append(all[r.Group].adds, f.Adds(int32(k))...)
	}
	return all
}

// group returns the WaitGroup of event i, or nil.
func (m *Control) group(i int32) *waitGroup {
	e := m.event(i)
	if e.Kind.Class() != trace.ClassWaitGroup {
		return nil
	}
	return &m.groups[m.facts.Objects(trace.ClassWaitGroup).Number(e.Obj)]
}

// needsCounter reports whether event i can happen only with some values of its WaitGroup's counter:
// a Done above zero, the return of a Wait at zero.
func (m *Control) needsCounter(i int32) bool {
	w := m.groupWait(i)
	return m.event(i).IsDone() || w != nil && w.Done == i
}

// groupWait returns the Wait that event i begins or ends, or nil.
func (m *Control) groupWait(i int32) *facts.GroupWait {
	row := m.facts.GroupWaitOf(int(i))
	if row == none {
		return nil
	}
	return &m.facts.GroupWaits()[row]
}

// addWaitEdges orders the Dones that a Wait cannot return without before its return.
//
// When the counter is zero, before the return, two sums have added up to zero: what the waiting
// goroutine and its ancestors, before they started it, have added, and what others have taken away.
// If all that the others ever take away, but for goroutines that are started after the return, is
// just as much as the former, then all of it comes before.
func (m *edgeBuilder) addWaitEdges() {
	returns := make([]map[trace.GID][]int32, len(m.groups)) // by WaitGroup and goroutine
	groups := m.facts.Objects(trace.ClassWaitGroup)
	for _, w := range m.facts.GroupWaits() {
		if w.Done == none {
			continue
		}
		e := m.event(w.Done)
		n := groups.Number(e.Obj)
		if returns[n] == nil {
			returns[n] = make(map[trace.GID][]int32)
		}
		returns[n][e.G] = append(returns[n][e.G], w.Done)
	}
	for n := range m.groups {
		w := &m.groups[n]
		w.neverNegative = m.neverNegative(w.adds)
		if len(returns[n]) > maxWaiters {
			continue
		}
		for g, waits := range returns[n] {
			m.addReturnEdges(g, waits, w.adds)
		}
	}
}

// A countedAdd is an Add or Done, and a number that belongs to it.
type countedAdd struct {
	add int32
	n   int64
}

// addReturnEdges adds the edges to the returns of one goroutine's Waits for one WaitGroup.
func (m *edgeBuilder) addReturnEdges(g trace.GID, returns, adds []int32) {
	ends := m.ancestors(g)
	var own []int32
	// Adds of others are left out. They only raise the counter: with one of these before the return,
	// even more Dones must come first.
	var taken []countedAdd // Dones of others, by where g starts the goroutine that leads there, or none
	for _, add := range adds {
		if end, ok := ends[m.gid(add)]; ok && add < end {
			own = append(own, add)
		} else if m.event(add).IsDone() {
			taken = append(taken, countedAdd{add, int64(m.startedAt(add, g))})
		}
	}
	// none sorts first: a goroutine that g has not started may run at any time. The others run after
	// their go statement, so for a return only those count that g has started by then.
	slices.SortFunc(taken, func(a, b countedAdd) int { return cmp.Compare(a.n, b.n) })
	sum, rest := int64(0), int64(0)
	first, n, k := 0, 0, 0
	for _, i := range returns {
		for ; k < len(own) && own[k] < i; k++ {
			sum += int64(m.event(own[k]).Val)
		}
		for ; n < len(taken) && taken[n].n < int64(i); n++ {
			rest += int64(m.event(taken[n].add).Val)
		}
		if sum+rest != 0 {
			continue
		}
		// Dones below first precede an earlier return of g already, and program order does the rest.
		for ; first < n; first++ {
			if add := taken[first].add; add < i { // else the trace is not whole
				m.addEdge(add, i)
			}
		}
	}
}

// ancestors returns goroutine g and those that it descends from, each with the position where it
// starts the next one.
func (m *edgeBuilder) ancestors(g trace.GID) map[trace.GID]int32 {
	ends := map[trace.GID]int32{g: math.MaxInt32}
	for child := g; ; {
		fork := m.facts.Fork(child)
		if fork == none {
			return ends
		}
		child = m.gid(fork)
		if _, again := ends[child]; again {
			return ends
		}
		ends[child] = fork
	}
}

// startedAt returns where goroutine g starts the goroutine of event i, or an ancestor of that; none
// if it does not.
func (m *edgeBuilder) startedAt(i int32, g trace.GID) int32 {
	for range len(m.t.Goroutines) {
		fork := m.facts.Fork(m.gid(i))
		if fork == none {
			return none
		}
		if m.gid(fork) == g {
			return fork
		}
		i = fork
	}
	return none
}

// neverNegative reports whether each Done of a WaitGroup has an Add of its own that must come before it,
// in its goroutine or before that is started. Then the counter is below zero in no run. Most WaitGroups are like that, and need no diagram for their
// Dones.
//
// An example: with Add(1), go g1, Add(1), go g2 each goroutine's Done takes from the Add before it.
// With go g1, Add(1) the Done of g1 may come first, and the counter needs a diagram.
func (m *edgeBuilder) neverNegative(adds []int32) bool {
	room := make(map[trace.GID][]countedAdd) // Adds, and how much of each is left
	var dones []countedAdd
	for _, add := range adds {
		n := int64(m.event(add).Val)
		if n >= 0 {
			room[m.gid(add)] = append(room[m.gid(add)], countedAdd{add, n})
			continue
		}
		dones = append(dones, countedAdd{add, int64(m.facts.Fork(m.gid(add)))})
	}
	// A goroutine that starts early has only the Adds before it to take from, so it takes first.
	slices.SortFunc(dones, func(a, b countedAdd) int { return cmp.Compare(a.n, b.n) })
	for _, d := range dones {
		if !m.takeFromAdds(d.add, -int64(m.event(d.add).Val), room) {
			return false
		}
	}
	return true
}

// takeFromAdds takes n from the Adds that must come before event i.
func (m *edgeBuilder) takeFromAdds(i int32, n int64, room map[trace.GID][]countedAdd) bool {
	for range len(m.t.Goroutines) {
		g := m.gid(i)
		for n > 0 && len(room[g]) > 0 && room[g][0].add < i {
			part := min(n, room[g][0].n)
			n -= part
			if room[g][0].n -= part; room[g][0].n == 0 {
				room[g] = room[g][1:]
			}
		}
		if i = m.facts.Fork(g); n == 0 || i == none {
			break
		}
	}
	return n == 0
}

// A groupEncoder encodes WaitGroups.
//
// An example of what edges leave open: g1 calls Add(1) and Done, and nothing orders g0's Wait with
// these. Wait may return before the Add or after the Done, but not in between. The formula says: the
// counter is zero at the return, over which of the two operations precede it.
type groupEncoder struct{ *timeline }

// assertWaitGroup encodes event i of a WaitGroup: Wait returns if the counter is zero, or was when Wait
// began; the counter is never below zero.
func (e *groupEncoder) assertWaitGroup(i int32) {
	if !e.m.needsCounter(i) {
		return
	}
	if !e.m.event(i).IsDone() {
		zero := e.zeroBefore(i, i)
		if wait := e.m.groupWait(i).Begin; wait != none && zero != e.f.True() {
			zero = e.f.Or(zero, e.zeroBefore(i, wait))
		}
		e.assertIf(i, zero)
		return
	}
	next := e.m.next(i)
	panics := next == none || e.m.event(next).Kind == trace.Panic
	if delta := int64(e.m.event(i).Val); !panics && !e.m.group(i).neverNegative {
		e.assertIf(i, e.counterIs(i, e.addPrecedes(i), func(n int64) bool { return n+delta >= 0 }, false))
	}
}

// addPrecedes returns the term that an Add precedes event i, by Add.
func (e *groupEncoder) addPrecedes(i int32) func(add int32) solver.Bool {
	return func(add int32) solver.Bool { return e.precedes(add, i) }
}

func isZero(n int64) bool { return n == 0 }

// zeroBefore says that the counter of the WaitGroup of event i is zero when event at happens.
func (e *groupEncoder) zeroBefore(i, at int32) solver.Bool {
	return e.counterIs(i, e.addPrecedes(at), isZero, true)
}

// fallsBelowZero says that a Done at position i, where the violation is, takes the counter below zero.
func (e *groupEncoder) fallsBelowZero(i int32) solver.Bool {
	delta := int64(e.m.event(i).Val)
	return e.f.Not(e.counterIs(i, e.happens, func(n int64) bool { return n+delta >= 0 }, false))
}

// atViolation says what must hold of the counter for a violation at event i: that it is zero for an
// Add, and if the target is that goroutines are blocked, that it is not zero for a Wait.
func (e *groupEncoder) atViolation(i int32, blocked bool) (all []solver.Bool) {
	switch w := e.m.groupWait(i); {
	case e.m.group(i) == nil:
	case w == nil:
		all = append(all, e.counterIs(i, e.happens, isZero, true))
	case w.Begin == i && blocked:
		all = append(all, e.counterIs(i, e.happens, func(n int64) bool { return n > 0 }, false))
	}
	return all
}

// counterIs says that the counter of the WaitGroup of event i is as wanted: exactly a number, or at
// least one. It is a decision diagram over which Adds have happened: after each, what the counter
// is.
func (e *groupEncoder) counterIs(i int32, happened func(int32) solver.Bool, want func(int64) bool, exactly bool) solver.Bool {
	f := e.f
	d := counterDiagram{timeline: e.timeline, want: want, exactly: exactly, known: make(map[counterState]solver.Bool)}
	// Adds whose place is certain change the start and get no level: the diagram is over the others.
	start := int64(0)
	for _, add := range e.m.group(i).adds {
		delta := int64(e.m.event(add).Val)
		switch b := happened(add); b {
		case f.True():
			start += delta
		case f.False():
		default:
			d.adds, d.deltas = append(d.adds, b), append(d.deltas, delta)
		}
	}
	d.leastRest, d.mostRest = make([]int64, len(d.adds)+1), make([]int64, len(d.adds)+1)
	for k := len(d.adds) - 1; k >= 0; k-- {
		d.leastRest[k], d.mostRest[k] = d.leastRest[k+1]+min(0, d.deltas[k]), d.mostRest[k+1]+max(0, d.deltas[k])
	}
	return d.from(counterState{0, start})
}

// A counterDiagram is a binary decision diagram over the Adds that may have happened. Each level
// decides about one Add, and a node is the sum so far: for n Adds of 1 there are about n²/2 nodes in
// place of 2ⁿ paths. A node from which all ends are as wanted, or none, is not divided further.
//
// With exactly, want is that the counter is zero, so bounds are compared with zero. Without it, want
// holds of all larger numbers, too: then the least possible sum proves it, and the largest refutes
// it.
//
// An example: the Adds a and b of 1 each. The paths "a, not b" and "not a, b" both lead to the sum 1
// after two Adds, and share that node.
type counterDiagram struct {
	*timeline
	adds                []solver.Bool
	deltas              []int64
	leastRest, mostRest []int64 // by Add: the least and the most that it and the later ones can add
	want                func(int64) bool
	exactly             bool
	known               map[counterState]solver.Bool
}

// A counterState is a node of the diagram: which Add comes next, and the counter so far.
type counterState struct {
	next int
	n    int64
}

// from says that the counter is as wanted after the rest of the Adds.
func (d *counterDiagram) from(s counterState) solver.Bool {
	f := d.f
	switch {
	case s.next == len(d.adds):
		return d.constant(d.want(s.n))
	case d.exactly && (s.n+d.leastRest[s.next] > 0 || s.n+d.mostRest[s.next] < 0):
		return f.False()
	case !d.exactly && d.want(s.n+d.leastRest[s.next]):
		return f.True()
	case !d.exactly && !d.want(s.n+d.mostRest[s.next]):
		return f.False()
	}
	b, ok := d.known[s]
	if !ok {
		if len(d.known) > maxCounterStates {
			d.err = fmt.Errorf("symbolic: a WaitGroup has too many Adds at once to encode")
			return f.False()
		}
		x := d.adds[s.next]
		b = f.Or(f.And(x, d.from(counterState{s.next + 1, s.n + d.deltas[s.next]})), f.And(f.Not(x), d.from(counterState{s.next + 1, s.n})))
		d.known[s] = b
	}
	return b
}
