package symbolic

import (
	"cmp"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// waitEdges orders the Dones that a Wait cannot return without before its return.
//
// When the counter is zero, before the return, what the waiting goroutine has
// added by then, with what those that it descends from had added when it was
// started, is taken away again. Where all that others take away, but for
// goroutines that are started after the return, is just as much, all of that
// comes before.
func (m *Control) waitEdges() {
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

// maxWaiters bounds the goroutines of which the waits for one WaitGroup are looked
// at.
const maxWaiters = 8

// A taking is an Add, or Done, and a number.
type taking struct {
	add int32
	n   int64
}

// waitsOf adds the edges to the returns of goroutine g from Waits of one WaitGroup.
func (m *Control) waitsOf(g trace.GID, returns, adds []int32, forks []int32) {
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
func (m *Control) startedAt(i int32, g trace.GID, forks []int32) int32 {
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
func (m *Control) covered(adds []int32, forks []int32) bool {
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
func (m *Control) cover(i int32, n int64, room map[trace.GID][]taking, forks []int32) bool {
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
