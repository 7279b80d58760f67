package waits

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file finds the events of a run that led goroutines to where they are blocked, so that a
// witness of a deadlock or leak does not need the whole run. There are two choices: the fewest
// events that may be enough, or with wide all events of the goroutines involved.

// Causes finds the events that led to the waits that [Blocked] returns with a trace.
type Causes struct {
	trace     *trace.Trace
	waits     map[trace.GID]Wait
	lastEvent []int            // by goroutine: its last event before it waits; -1 for none
	lastOn    map[uint64][]int // by object of a wait: each goroutine's last event on it
}

// NewCauses prepares what [Causes.Find] needs, in time proportional to the length of t, the
// trace that [Blocked] has returned with ws.
func NewCauses(t *trace.Trace, ws []Wait) *Causes {
	c := &Causes{trace: t, waits: make(map[trace.GID]Wait), lastEvent: make([]int, len(t.Goroutines)), lastOn: make(map[uint64][]int)}
	for g := range c.lastEvent {
		c.lastEvent[g] = -1
	}
	waits := make(map[int]bool) // at these events
	for _, w := range ws {
		c.waits[w.G] = w
		waits[w.Position] = true
		if w.Obj != 0 && !waitsForHolder(w.Op) {
			c.lastOn[w.Obj] = nil
		}
	}
	over := make(map[trace.GID]bool) // tests' own goroutines: later events do not lead to the waits
	type use struct {
		obj uint64
		g   trace.GID
	}
	index := make(map[use]int) // in lastOn
	for i, e := range t.Events {
		if over[e.G] || waits[i] && waitsForHolder(e.Kind) {
			continue
		}
		over[e.G] = e.Kind == trace.TestEnd
		c.lastEvent[e.G] = i
		switch e.Kind.Class() {
		case trace.ClassChannel, trace.ClassWaitGroup, trace.ClassCond:
		default: // its object is something else
			continue
		}
		if all, wanted := c.lastOn[e.Obj]; wanted {
			k, known := index[use{e.Obj, e.G}]
			if !known {
				index[use{e.Obj, e.G}] = len(all)
				c.lastOn[e.Obj] = append(all, i)
				continue
			}
			all[k] = i
		}
	}
	return c
}

// Find returns the events that led to some waits: the operations that goroutines are about to
// execute, and the events that have happened. The latter are the begins of the operations that
// wait; the acquires of the locks that they wait for, with the causes of their holders' waits or
// the holders' last events; and the last operation of each goroutine on the channels, WaitGroups
// and conditions, as another one would end the wait. With wide the goroutines of these operations
// count as holders, too.
func (c *Causes) Find(members []Wait, wide bool) (about, done []int) {
	s := causeSearch{Causes: c, wide: wide, visited: make(map[trace.GID]bool)}
	for _, w := range members {
		s.wait(w)
	}
	// Several waits may have the same causes.
	slices.Sort(s.pending)
	slices.Sort(s.done)
	return s.pending, slices.Compact(s.done)
}

// A causeSearch gathers the causes of some waits.
type causeSearch struct {
	*Causes
	wide          bool
	visited       map[trace.GID]bool
	pending, done []int
}

// wait adds the causes of a wait, once.
func (s *causeSearch) wait(w Wait) {
	if s.visited[w.G] {
		return
	}
	s.visited[w.G] = true
	if waitsForHolder(w.Op) {
		s.pending = append(s.pending, w.Position)
	} else {
		s.done = append(s.done, w.Position)
	}
	for _, h := range w.Holders {
		if !h.IsWaitingWriter {
			s.done = append(s.done, h.Position)
		}
		s.goroutine(h.G)
	}
	for _, i := range s.lastOn[w.Obj] {
		s.done = append(s.done, i)
		if s.wide {
			s.goroutine(s.trace.Events[i].G)
		}
	}
}

// goroutine adds the last event of a goroutine, or the causes of its wait if it is blocked.
func (s *causeSearch) goroutine(g trace.GID) {
	if w, blocked := s.waits[g]; blocked {
		s.wait(w)
	} else if s.lastEvent[g] >= 0 {
		s.done = append(s.done, s.lastEvent[g])
	}
}
