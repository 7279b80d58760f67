package evidence

import (
	"slices"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
)

// locks returns where goroutine g acquired the locks that it holds at a position; a position
// below 0 means the end of the trace.
func (b builder) locks(g trace.GID, position int) []report.Place {
	t := b.Trace
	if position < 0 {
		position = len(t.Events)
	}
	if position < len(t.Events) && t.Events[position].Kind == trace.CondWait { // it waits once it has released the condition's lock
		gives := func(e trace.Event) bool { return e.G == g && (e.Kind == trace.Release || e.Kind == trace.RRelease) }
		position += 1 + slices.IndexFunc(t.Events[position:], gives)
	}
	first, _ := b.Index.Extent(t, g)
	held := heldAt(t, min(first, position), position, nil, nil)
	var out []report.Place
	for _, e := range held {
		if p := b.place(e.Kind, e.Site); e.G == g && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// heldAt returns the acquires before position at that have no release, by all goroutines,
// begun at position first if those before do not matter. after gets those after each of some
// positions from there on, which ascend, and may get them twice.
func heldAt(t *trace.Trace, first, at int, some []int, after func(position int, held []trace.Event)) []trace.Event {
	held, ok := heldFrom(t, first, at, some, after)
	if !ok {
		held, _ = heldFrom(t, 0, at, some, after)
	}
	return held
}

// heldFrom is heldAt, begun at position from. It is not ok if it takes those before to tell, as
// a goroutine has released what it did not acquire there.
func heldFrom(t *trace.Trace, from, at int, some []int, after func(position int, held []trace.Event)) (held []trace.Event, ok bool) {
	for p := from; p < at; p++ {
		switch e := &t.Events[p]; e.Kind {
		case trace.Acquire, trace.RAcquire:
			held = append(held, *e)
		case trace.Release, trace.RRelease:
			its := func(h trace.Event) bool { return h.G == e.G && h.Obj == e.Obj }
			others := func(h trace.Event) bool { return h.G != e.G && h.Obj == e.Obj }
			if from > 0 && !slices.ContainsFunc(held, its) && slices.ContainsFunc(held, others) {
				return nil, false
			}
			held = released(held, e)
		}
		if len(some) > 0 && some[0] == p {
			after(p, held)
			some = some[1:]
		}
	}
	return held, true
}

// released takes from the acquires that have no release yet that of a lock which rel
// releases: the goroutine's own last one, or else the oldest one, of a goroutine that
// has handed the lock over.
func released(held []trace.Event, rel *trace.Event) []trace.Event {
	found := -1
	for k, e := range held {
		if e.Obj == rel.Obj && (e.Kind == trace.RAcquire) == (rel.Kind == trace.RRelease) && (e.G == rel.G || found < 0) {
			found = k
		}
	}
	if found < 0 {
		return held
	}
	return append(held[:found], held[found+1:]...)
}
