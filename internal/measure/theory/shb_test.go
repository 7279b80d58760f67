package theory

import (
	"fmt"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A pair is the lines of two events, the lower one first.
type pair [2]int

func line(t *trace.Trace, i int) int { return t.Sites[t.Events[i].Site].Line }

func newPair(t *trace.Trace, i, j int) pair {
	a, b := line(t, i), line(t, j)
	return pair{min(a, b), max(a, b)}
}

// races are what an engine reports: events that race with an earlier one, the
// lines of these, and those of both.
type races struct {
	events map[int]bool
	lines  map[int]bool
	pairs  map[pair]bool
}

// String is how RAPID counts: events, and distinct lines of these.
func (r races) String() string { return fmt.Sprintf("%d/%d", len(r.events), len(r.lines)) }

func newRaces() races {
	return races{events: make(map[int]bool), lines: make(map[int]bool), pairs: make(map[pair]bool)}
}

// found notes that event j races with the earlier event i.
func (r *races) found(t *trace.Trace, i, j int) {
	r.events[j] = true
	r.lines[line(t, j)] = true
	r.pairs[newPair(t, i, j)] = true
}

// A clock is a vector clock.
type clock map[trace.GID]int

func (c clock) join(o clock) {
	for g, n := range o {
		c[g] = max(c[g], n)
	}
}

func (c clock) clone() clock {
	o := make(clock, len(c))
	o.join(c)
	return o
}

// An access is what an engine remembers of an event.
type access struct {
	event, time int
	g           trace.GID
	write       bool
}

// schedulable reports the races that are not ordered by SHB (Mathur, Kini and
// Viswanathan, OOPSLA 2018): happens-before, with an edge from the last write to
// each read. For each such race there is a run, not only for the first.
func schedulable(t *trace.Trace) races {
	r := newRaces()
	threads := make(map[trace.GID]clock)
	locks, writes, ends := make(map[uint64]clock), make(map[uint64]clock), make(map[uint64]clock)
	accesses := make(map[uint64][]access)
	of := func(g trace.GID) clock {
		if threads[g] == nil {
			threads[g] = clock{g: 1}
		}
		return threads[g]
	}
	for i, e := range t.Events {
		c := of(e.G)
		switch e.Kind {
		case trace.Acquire:
			c.join(locks[e.Obj])
		case trace.Release:
			locks[e.Obj] = c.clone()
		case trace.Fork:
			of(trace.GID(e.Obj)).join(c)
		case trace.Post: // of the end of a thread, for its joins
			ends[e.Obj] = c.clone()
		case trace.Await:
			c.join(ends[e.Obj])
		case trace.Read, trace.Write:
			a := access{i, c[e.G], e.G, e.Kind == trace.Write}
			r.add(t, c, a, accesses[e.Obj])
			accesses[e.Obj] = append(accesses[e.Obj], a)
			if a.write {
				writes[e.Obj] = c.clone()
			} else {
				c.join(writes[e.Obj])
			}
		}
		c[e.G]++
	}
	return r
}

// add adds the races of an access with earlier ones of its location; c is the
// clock of its thread.
func (r *races) add(t *trace.Trace, c clock, a access, earlier []access) {
	for _, b := range earlier {
		if b.g != a.g && (a.write || b.write) && c[b.g] < b.time {
			r.found(t, b.event, a.event)
		}
	}
}
