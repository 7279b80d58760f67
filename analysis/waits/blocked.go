package waits

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// This file says who waited for whom at the end of a recorded run. It needs no order of events,
// only the end of the trace: sections that are still open, and runs of Onces that have not
// ended.

// A Wait is a goroutine that was blocked at the end of a recorded run.
//
// What it waits for and who holds that is known of locks. Who would have sent, received,
// signalled or called Done is not: only those who know the program can say.
type Wait struct {
	trace.BlockedGoroutine
	// Position is the position of the operation's event, in the trace that [Blocked] returns.
	Position int
	// Holders are those who hold the lock that it waits for, or wait for it before.
	Holders []Holder
	// Partners are the last operations of other goroutines that ended such waits before, or
	// could have: who received where it sends, sent or closed where it receives, called Done
	// or signalled.
	Partners []Partner
}

// A Partner did the event at position At, and has ended or not.
type Partner struct {
	G        trace.GID
	Position int
	HasEnded bool
}

// A Holder has acquired a lock at the event at position At, and not released it.
type Holder struct {
	G        trace.GID
	Position int
	// IsWaitingWriter is set of a writer that has not acquired it: readers that come later wait
	// until it is done.
	IsWaitingWriter bool
}

// Blocked returns the goroutines that t reports as blocked with one of the proofs, in the
// order of t, and a copy of t in which each of their operations has an event, at the end
// where it never had one.
func Blocked(t *trace.Trace, proofs ...trace.Proof) ([]Wait, *trace.Trace) {
	shared := *t
	shared.Events = slices.Clip(t.Events)
	return BlockedInPlace(&shared, proofs...)
}

// BlockedInPlace is [Blocked] for a trace that nobody else looks at meanwhile: the copy may
// use the capacity after its events.
func BlockedInPlace(t *trace.Trace, proofs ...trace.Proof) ([]Wait, *trace.Trace) {
	var ws []Wait
	for _, s := range t.Blocked {
		if slices.Contains(proofs, s.Proof) {
			ws = append(ws, Wait{BlockedGoroutine: s, Position: -1})
		}
	}
	if len(ws) == 0 {
		return nil, t
	}
	findBegins(t, ws)
	with := withEvents(t, ws)
	findPartners(t, ws)
	findHolders(t, ws)
	return ws, with
}

// withEvents returns a copy of t that has events for the operations of ws without one.
func withEvents(t *trace.Trace, ws []Wait) *trace.Trace {
	with, further := *t, 0
	for k := range ws {
		if ws[k].Position < 0 {
			further++
		}
	}
	if cap(t.Events)-len(t.Events) < further { // in no more room than that
		with.Events = append(make([]trace.Event, 0, len(t.Events)+further), t.Events...)
	}
	for k := range ws {
		if w := &ws[k]; w.Position < 0 {
			w.Position = len(with.Events)
			with.Events = append(with.Events, trace.Event{Kind: w.Op, G: w.G, Site: w.Site, Obj: w.Obj})
		}
	}
	return &with
}

// findBegins finds the events with which the operations of ws began, but of those that are
// logged when they are done.
func findBegins(t *trace.Trace, ws []Wait) {
	missing := make(map[trace.GID][]int)
	for k, w := range ws {
		if !waitsForHolder(w.Op) {
			missing[w.G] = append(missing[w.G], k)
		}
	}
	for i, e := range slices.Backward(t.Events) {
		if len(missing) == 0 {
			return
		}
		ks, open := missing[e.G]
		if !open {
			continue
		}
		ks = slices.DeleteFunc(ks, func(k int) bool {
			begins := e.Kind == ws[k].Op && e.Site == ws[k].Site
			if begins {
				ws[k].Position = i
			}
			return begins
		})
		if missing[e.G] = ks; len(ks) == 0 {
			delete(missing, e.G)
		}
	}
}

// waitsForHolder reports whether operations of kind k wait for what another goroutine holds: a
// lock, or the only run of a Once. They are logged when they are done.
func waitsForHolder(k trace.Kind) bool { return k.Acquires() || k == trace.OnceBegin }

// findHolders finds who holds what ws wait for at the end of t.
func findHolders(t *trace.Trace, ws []Wait) {
	if !slices.ContainsFunc(ws, func(w Wait) bool { return waitsForHolder(w.Op) }) {
		return
	}
	f := facts.New(t)
	held := make(map[uint64][]Holder) // by lock
	for _, n := range f.Open(len(t.Events)) {
		at := f.Sections()[n].Acquire
		e := &t.Events[at]
		held[e.Obj] = append(held[e.Obj], Holder{G: e.G, Position: int(at)})
	}
	for _, o := range f.Onces() { // several at one address were there in turn
		e := &t.Events[o.Begin]
		held[e.Obj] = nil
		if o.End == facts.None {
			held[e.Obj] = []Holder{{G: e.G, Position: int(o.Begin)}}
		}
	}
	for k := range ws {
		w := &ws[k]
		if !waitsForHolder(w.Op) {
			continue
		}
		w.Holders = held[w.Obj]
		if w.Op == trace.RAcquire {
			reads := func(h Holder) bool { return t.Events[h.Position].Kind == trace.RAcquire }
			w.Holders = append(slices.DeleteFunc(slices.Clone(held[w.Obj]), reads), waitingWriters(ws, w.Obj)...)
		}
	}
}

// waitingWriters returns those who wait to write under an RWMutex: readers that come later
// wait for them.
func waitingWriters(ws []Wait, lock uint64) []Holder {
	var out []Holder
	for _, w := range ws {
		if w.Op == trace.Acquire && w.Obj == lock {
			out = append(out, Holder{w.G, w.Position, true})
		}
	}
	return out
}

// canEnd reports whether an operation of kind k can end a wait in one of kind op, on the same
// object.
func canEnd(k, op trace.Kind) bool {
	operates := k.Class() == trace.ClassChannel && (k.Begins() || k.Completes())
	switch op {
	case trace.Send:
		return operates && k.Receives()
	case trace.Recv:
		return operates && k.Sends() || k == trace.Close
	case trace.WaitGroupWait:
		return k.ChangesCounter()
	case trace.CondWait:
		return k == trace.CondSignal || k == trace.CondBroadcast
	}
	return false
}

// findPartners finds those of each of ws, in the order of the trace.
func findPartners(t *trace.Trace, ws []Wait) {
	waiting := make(map[uint64][]int) // by object
	for k, w := range ws {
		if !waitsForHolder(w.Op) && w.Obj != 0 {
			waiting[w.Obj] = append(waiting[w.Obj], k)
		}
	}
	gone := make(map[trace.GID]bool)
	for i := range t.Events {
		e := &t.Events[i]
		gone[e.G] = e.Kind == trace.End || e.Kind == trace.TestEnd
		if e.Obj == 0 {
			continue
		}
		for _, k := range waiting[e.Obj] {
			w := &ws[k]
			if e.G == w.G || !canEnd(e.Kind, w.Op) || e.Delta() > 0 {
				continue
			}
			w.Partners = append(slices.DeleteFunc(w.Partners, func(p Partner) bool { return p.G == e.G }), Partner{G: e.G, Position: i})
		}
	}
	for k := range ws {
		for n := range ws[k].Partners {
			p := &ws[k].Partners[n]
			p.HasEnded = gone[p.G]
		}
	}
}

// Bugs returns those of ws, by their indices, that are the bug: first the cycles of
// goroutines each of which waits for the next one, also for itself; then those that do not
// only wait for others of ws to release what they hold, one by one.
func Bugs(ws []Wait) (cycles [][]int, others []int) {
	of := make(map[trace.GID]int)
	for k, w := range ws {
		of[w.G] = k
	}
	seen := make([]bool, len(ws))
	for k := range ws {
		if c := findCycle(ws, of, k, seen); c != nil {
			cycles = append(cycles, c)
		}
	}
	for k, w := range ws {
		if !slices.ContainsFunc(w.Holders, func(h Holder) bool { _, blocked := of[h.G]; return blocked }) {
			others = append(others, k)
		}
	}
	return cycles, others
}

// findCycle returns a cycle that can be reached from ws[from], as [Bugs] does.
func findCycle(ws []Wait, of map[trace.GID]int, from int, seen []bool) []int {
	var path []int
	var visit func(k int) []int
	visit = func(k int) []int {
		if at := slices.Index(path, k); at >= 0 {
			return slices.Clone(path[at:])
		}
		if seen[k] {
			return nil
		}
		seen[k] = true
		path = append(path, k)
		for _, h := range ws[k].Holders {
			if next, blocked := of[h.G]; blocked {
				if c := visit(next); c != nil {
					return c
				}
			}
		}
		path = path[:len(path)-1]
		return nil
	}
	return visit(from)
}
