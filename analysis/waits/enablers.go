package waits

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// Enablers are which goroutines have ended the waits of others, in some runs of the same tests.
// A run that ends blocked does not show who would have sent, closed, signalled or called Done.
// Other runs do: a goroutine has the same name in each, and a wait the same place.
type Enablers map[waitName][]string // names of goroutines, each once

// A waitName is the waits of a goroutine in the operations of a kind at one place.
type waitName struct {
	goroutine string
	op        trace.Kind
	place     uint64 // trace.Site.Key
}

func nameOf(t *trace.Trace, g trace.GID, op trace.Kind, site trace.SiteID) waitName {
	return waitName{t.Goroutines[g].Name(), op, t.Sites[site].Key}
}

// Add adds what the run of t shows, whose facts are f.
func (all Enablers) Add(t *trace.Trace, f *facts.Facts) {
	for i := range t.Events[:t.Happened()] {
		switch e := &t.Events[i]; {
		case e.Kind == trace.WaitGroupWaited:
			if w := &f.GroupWaits()[f.GroupWaitOf(i)]; w.Begin != facts.None && w.Round != facts.None {
				for done := range f.Dones(w.Round) {
					all.add(t, w.Begin, done)
				}
			}
		case e.Kind == trace.CondWake:
			if w := &f.Tickets()[f.TicketOf(i)]; w.Wait != facts.None && w.Waker != facts.None {
				all.add(t, w.Wait, w.Waker)
			}
		case e.Kind.Completes() && e.Kind != trace.SelectDone:
			if row := f.OperationOf(i); row != facts.None && f.Enabler(i) != facts.None {
				all.add(t, f.Operations()[row].Begin, f.Enabler(i))
			}
		}
	}
}

// add adds that an event ended the wait that event begin began.
func (all Enablers) add(t *trace.Trace, begin, enabler int32) {
	b := &t.Events[begin]
	by := t.Events[enabler].G
	if by == b.G {
		return
	}
	name := nameOf(t, b.G, b.Kind, b.Site)
	if ended := t.Goroutines[by].Name(); !slices.Contains(all[name], ended) {
		all[name] = append(all[name], ended)
	}
}

// Complete adds to the waits of ws, which are of the end of t's run, who may end them by other runs.
func (all Enablers) Complete(t *trace.Trace, ws []Wait) {
	blocked := make(map[string]trace.GID)
	for _, w := range ws {
		blocked[t.Goroutines[w.G].Name()] = w.G
	}
	for k := range ws {
		w := &ws[k]
		for _, name := range all[nameOf(t, w.G, w.Op, w.Site)] {
			if g, ok := blocked[name]; ok && g != w.G && !slices.Contains(w.MayEnd, g) {
				w.MayEnd = append(w.MayEnd, g)
			}
		}
	}
}
