package blocked

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Causes tells what has led goroutines to where they are blocked, of those that [Of]
// returns with a trace.
type Causes struct {
	t    *trace.Trace
	of   map[trace.GID]Wait
	last []int            // by goroutine: its last event but for what it waits in; -1 for none
	on   map[uint64][]int // by object that somebody waits at: each goroutine's last event on it
}

// NewCauses prepares what [Causes.Of] needs, in time proportional to the length of t, the
// trace that [Of] has returned with ws.
func NewCauses(t *trace.Trace, ws []Wait) *Causes {
	c := &Causes{t: t, of: make(map[trace.GID]Wait), last: make([]int, len(t.Goroutines)), on: make(map[uint64][]int)}
	for g := range c.last {
		c.last[g] = -1
	}
	waits := make(map[int]bool) // at these events
	for _, w := range ws {
		c.of[w.G] = w
		waits[w.At] = true
		if w.Obj != 0 && !isLock(w.Op) {
			c.on[w.Obj] = nil
		}
	}
	over := make(map[trace.GID]bool) // tests' own goroutines; what is left behind is found then
	type use struct {
		obj uint64
		g   trace.GID
	}
	at := make(map[use]int) // index in on
	for i, e := range t.Events {
		if over[e.G] || waits[i] && isLock(e.Kind) {
			continue
		}
		over[e.G] = e.Kind == trace.TestEnd
		c.last[e.G] = i
		switch e.Kind.Class() {
		case trace.ClassChannel, trace.ClassWaitGroup, trace.ClassCond:
		default: // its object is something else
			continue
		}
		if all, wanted := c.on[e.Obj]; wanted {
			k, again := at[use{e.Obj, e.G}]
			if !again {
				at[use{e.Obj, e.G}] = len(all)
				c.on[e.Obj] = append(all, i)
				continue
			}
			all[k] = i
		}
	}
	return c
}

// Of returns what it takes for the members to be blocked as they were: the operations
// that goroutines stand before, and events that have happened. These are what they have
// begun to wait in; that others have what they wait for, and are blocked or gone as well;
// and all that was done to the channels, groups and conditions, so that nobody is left
// who frees them. With wide it is all that those have done who did some of that.
func (c *Causes) Of(members []Wait, wide bool) (standing, done []int) {
	seen := make(map[trace.GID]bool)
	var waits func(w Wait)
	whole := func(g trace.GID) {
		if w, blocked := c.of[g]; blocked {
			waits(w)
		} else if c.last[g] >= 0 {
			done = append(done, c.last[g])
		}
	}
	waits = func(w Wait) {
		if seen[w.G] {
			return
		}
		seen[w.G] = true
		if isLock(w.Op) {
			standing = append(standing, w.At)
		} else {
			done = append(done, w.At)
		}
		for _, h := range w.Holders {
			if !h.Waits {
				done = append(done, h.At)
			}
			whole(h.G)
		}
		for _, i := range c.on[w.Obj] {
			done = append(done, i)
			if wide {
				whole(c.t.Events[i].G)
			}
		}
	}
	for _, w := range members {
		waits(w)
	}
	slices.Sort(standing)
	slices.Sort(done)
	return standing, slices.Compact(done)
}
