package symbolic

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// waitEdges orders the Dones that a Wait cannot return without before its return.
//
// When the counter is zero, before the return, what the waiting goroutine has
// added by then, with what those that it descends from had added when it was
// started, is taken away again. Where all that others take away, but for
// goroutines that are started after the return, is just as much, all of that
// comes before.
func (m *edgeBuilder) waitEdges() {
	forks := slices.Repeat([]int32{none}, len(m.t.Goroutines)) // by goroutine
	returns := make(map[uint64]map[trace.GID][]int32)          // by WaitGroup and goroutine
	for i := range m.t.Events {
		switch e := &m.t.Events[i]; e.Kind {
		case trace.Fork:
			if e.Obj < uint64(len(forks)) {
				forks[e.Obj] = int32(i)
			}
		case trace.WaitGroupWaited:
			if returns[e.Obj] == nil {
				returns[e.Obj] = make(map[trace.GID][]int32)
			}
			returns[e.Obj][e.G] = append(returns[e.Obj][e.G], int32(i))
		}
	}
	for obj, w := range m.groups {
		w.covered = m.covered(w.adds, forks)
		if len(returns[obj]) > maxWaiters {
			continue
		}
		for g, at := range returns[obj] {
			m.waitsOf(g, at, w.adds, forks)
		}
	}
}

// A taking is an Add, or Done, and a number.
type taking struct {
	add int32
	n   int64
}

// waitsOf adds the edges to the returns of goroutine g from Waits of one WaitGroup.
func (m *edgeBuilder) waitsOf(g trace.GID, returns, adds []int32, forks []int32) {
	upto := map[trace.GID]int32{g: math.MaxInt32} // of those that g descends from: where they start it
	for child := g; ; {
		fork := forks[child]
		if fork == none {
			break
		}
		child = m.gid(fork)
		if _, again := upto[child]; again {
			break
		}
		upto[child] = fork
	}
	var own []int32
	var taken []taking // with where g starts what leads there, or none
	for _, add := range adds {
		if end, ok := upto[m.gid(add)]; ok && add < end {
			own = append(own, add)
		} else if int64(m.event(add).Val) < 0 {
			taken = append(taken, taking{add, int64(m.startedAt(add, g, forks))})
		}
	}
	slices.SortFunc(taken, func(a, b taking) int { return cmp.Compare(a.n, b.n) })
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
		for ; first < n; first++ {
			if add := taken[first].add; add < i { // else the trace is not whole
				m.edge(add, i)
			}
		}
	}
}

// startedAt returns where goroutine g starts the goroutine of event i, or one that
// this descends from; none if it does not.
func (m *edgeBuilder) startedAt(i int32, g trace.GID, forks []int32) int32 {
	for range len(m.t.Goroutines) {
		fork := forks[m.gid(i)]
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

// covered reports whether for each Done of a WaitGroup there is an Add of its own
// that must come before it, in its goroutine or before that is started: then the
// counter is below zero in no run.
func (m *edgeBuilder) covered(adds []int32, forks []int32) bool {
	room := make(map[trace.GID][]taking) // Adds, and how much of each is left
	var dones []taking
	for _, add := range adds {
		n := int64(m.event(add).Val)
		if n >= 0 {
			room[m.gid(add)] = append(room[m.gid(add)], taking{add, n})
			continue
		}
		dones = append(dones, taking{add, int64(forks[m.gid(add)])})
	}
	slices.SortFunc(dones, func(a, b taking) int { return cmp.Compare(a.n, b.n) })
	for _, d := range dones {
		if !m.cover(d.add, -int64(m.event(d.add).Val), room, forks) {
			return false
		}
	}
	return true
}

// cover takes n from the Adds that must come before event i.
func (m *edgeBuilder) cover(i int32, n int64, room map[trace.GID][]taking, forks []int32) bool {
	for range len(m.t.Goroutines) {
		g := m.gid(i)
		for n > 0 && len(room[g]) > 0 && room[g][0].add < i {
			part := min(n, room[g][0].n)
			n -= part
			if room[g][0].n -= part; room[g][0].n == 0 {
				room[g] = room[g][1:]
			}
		}
		if i = forks[g]; n == 0 || i == none {
			break
		}
	}
	return n == 0
}

// A groupEncoder encodes WaitGroups.
type groupEncoder struct{ *timeline }

// waitGroup encodes the event at position i of a WaitGroup: Wait returns if the
// counter is zero, or was when it began; the counter is never below zero.
func (e *groupEncoder) waitGroup(i int32) {
	ev := e.m.event(i)
	if ev.Kind == trace.WaitGroupWaited {
		zero := e.zeroAt(ev.Obj, i)
		if wait := e.m.waits[i]; wait != none && zero != e.f.True() {
			zero = e.f.Or(zero, e.zeroAt(e.m.event(wait).Obj, wait))
		}
		e.need(i, zero)
		return
	}
	delta := int64(ev.Val)
	next := e.m.next(i)
	if panics := next == none || e.m.event(next).Kind == trace.Panic; delta < 0 && !panics && !e.m.groups[ev.Obj].covered {
		e.need(i, e.counter(ev.Obj, i, func(n int64) bool { return n+delta >= 0 }, false))
	}
}

// zeroAt says that the counter of a WaitGroup is zero when event i happens.
func (e *groupEncoder) zeroAt(obj uint64, i int32) solver.Bool {
	return e.counter(obj, i, func(n int64) bool { return n == 0 }, true)
}

func (w *waitGroup) listed() []int32 {
	if w == nil {
		return nil
	}
	return w.adds
}

// zeroAtMoment says that the counter is zero when the violation happens.
func (e *groupEncoder) zeroAtMoment(obj uint64) solver.Bool {
	return e.count(obj, e.done, func(n int64) bool { return n == 0 }, true)
}

// counter says that the counter of a WaitGroup when event i happens is as
// wanted: a number exactly, or else at least one.
func (e *groupEncoder) counter(obj uint64, i int32, want func(int64) bool, exactly bool) solver.Bool {
	return e.count(obj, func(add int32) solver.Bool { return e.before(add, i) }, want, exactly)
}

// count is a decision diagram over which Adds have happened: after each, what
// the counter is.
func (e *groupEncoder) count(obj uint64, happened func(int32) solver.Bool, want func(int64) bool, exactly bool) solver.Bool {
	f := e.f
	var adds []solver.Bool
	var deltas []int64
	start := int64(0)
	for _, add := range e.m.groups[obj].listed() {
		switch b := happened(add); b {
		case f.True():
			start += int64(e.m.event(add).Val)
		case f.False():
		default:
			adds, deltas = append(adds, b), append(deltas, int64(e.m.event(add).Val))
		}
	}
	// What the rest can add at least and at most.
	least, most := make([]int64, len(adds)+1), make([]int64, len(adds)+1)
	for k := len(adds) - 1; k >= 0; k-- {
		least[k], most[k] = least[k+1]+min(0, deltas[k]), most[k+1]+max(0, deltas[k])
	}
	type state struct {
		k int
		n int64
	}
	known := make(map[state]solver.Bool)
	var from func(s state) solver.Bool
	from = func(s state) solver.Bool {
		switch {
		case s.k == len(adds):
			return e.truth(want(s.n))
		case exactly && (s.n+least[s.k] > 0 || s.n+most[s.k] < 0):
			return f.False()
		case !exactly && want(s.n+least[s.k]):
			return f.True()
		case !exactly && !want(s.n+most[s.k]):
			return f.False()
		}
		b, ok := known[s]
		if !ok {
			if len(known) > maxCounts {
				e.err = fmt.Errorf("symbolic: a WaitGroup has too many Adds at once to encode")
				return f.False()
			}
			x := adds[s.k]
			b = f.Or(f.And(x, from(state{s.k + 1, s.n + deltas[s.k]})), f.And(f.Not(x), from(state{s.k + 1, s.n})))
			known[s] = b
		}
		return b
	}
	return from(state{0, start})
}

// A waitGroup is the Adds and Dones of one sync.WaitGroup.
type waitGroup struct {
	adds    []int32
	covered bool // its counter is never below zero
}
