// Package blocked says who waits for whom among the goroutines of a recorded run that were
// blocked, and which of them are the bug.
//
// What a goroutine waits for and who holds that is known of locks: whoever has acquired
// one and not released it. Who would have sent, received, signalled or called Done is not:
// that is for those to say who know what the program is to do.
package blocked

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Wait is a goroutine that is blocked.
type Wait struct {
	trace.Stuck
	// At is the position of the operation's event, in the trace that [Of] returns.
	At int
	// Holders are those who hold the lock that it waits for, or wait for it before.
	Holders []Holder
	// Partners are the last operations of other goroutines that ended such waits before, or
	// could have: who received where it sends, sent or closed where it receives, called Done
	// or signalled.
	Partners []Partner
}

// A Partner did the event at position At, and has ended or not.
type Partner struct {
	G    trace.GID
	At   int
	Gone bool
}

// A Holder has acquired a lock at the event at position At, and not released it.
type Holder struct {
	G  trace.GID
	At int
	// Waits is set of a writer that has not acquired it: readers that come later wait
	// until it is done.
	Waits bool
}

// Of returns the goroutines that t tells of with one of the proofs, in the order of t, and
// a copy of t in which each of their operations has an event, at the end where it never
// came to it.
func Of(t *trace.Trace, proofs ...trace.Proof) ([]Wait, *trace.Trace) {
	shared := *t
	shared.Events = slices.Clip(t.Events)
	return OfOwn(&shared, proofs...)
}

// OfOwn is [Of] for a trace that nobody else looks at meanwhile: the copy may use the room behind its events.
func OfOwn(t *trace.Trace, proofs ...trace.Proof) ([]Wait, *trace.Trace) {
	with := *t
	var ws []Wait
	for _, s := range t.Stuck {
		if slices.Contains(proofs, s.Proof) {
			ws = append(ws, Wait{Stuck: s, At: -1})
		}
	}
	begun(t, ws)
	further := 0
	for k := range ws {
		if ws[k].At < 0 {
			further++
		}
	}
	if cap(t.Events)-len(t.Events) < further { // in no more room than that
		with.Events = append(make([]trace.Event, 0, len(t.Events)+further), t.Events...)
	}
	for k := range ws {
		if w := &ws[k]; w.At < 0 {
			w.At = len(with.Events)
			with.Events = append(with.Events, trace.Event{Kind: w.Op, G: w.G, Site: w.Site, Obj: w.Obj})
		}
	}
	partners(t, ws)
	held := holders(t, ws)
	for k := range ws {
		ws[k].Holders = held[ws[k].Obj]
		if ws[k].Op == trace.RAcquire {
			readers := func(h Holder) bool { return t.Events[h.At].Kind == trace.RAcquire }
			ws[k].Holders = append(slices.DeleteFunc(slices.Clone(held[ws[k].Obj]), readers), writers(ws, ws[k].Obj)...)
		}
	}
	return ws, &with
}

// begun finds the events with which the operations of ws began, but of those that are
// told of when they are done.
func begun(t *trace.Trace, ws []Wait) {
	of := make(map[trace.GID][]int) // those that are not found yet
	for k, w := range ws {
		if !isLock(w.Op) {
			of[w.G] = append(of[w.G], k)
		}
	}
	for i, e := range slices.Backward(t.Events) {
		if len(of) == 0 {
			return
		}
		ks, open := of[e.G]
		if !open {
			continue
		}
		ks = slices.DeleteFunc(ks, func(k int) bool {
			is := e.Kind == ws[k].Op && e.Site == ws[k].Site
			if is {
				ws[k].At = i
			}
			return is
		})
		if of[e.G] = ks; len(ks) == 0 {
			delete(of, e.G)
		}
	}
}

// isLock reports whether operations of kind k wait for what another goroutine holds: a
// lock, or the only run of a Once.
func isLock(k trace.Kind) bool {
	return k == trace.Acquire || k == trace.RAcquire || k == trace.OnceBegin
}

// holders returns by lock that is waited for who holds it at the end of t.
func holders(t *trace.Trace, ws []Wait) map[uint64][]Holder {
	held := make(map[uint64][]Holder)
	for _, w := range ws {
		if isLock(w.Op) {
			held[w.Obj] = nil
		}
	}
	for i, e := range t.Events {
		if _, wanted := held[e.Obj]; !wanted {
			continue
		}
		switch e.Kind {
		case trace.Acquire, trace.RAcquire, trace.OnceBegin:
			held[e.Obj] = append(held[e.Obj], Holder{G: e.G, At: i})
		case trace.Release, trace.RRelease:
			held[e.Obj] = released(t, held[e.Obj], e)
		case trace.OnceEnd:
			held[e.Obj] = nil
		}
	}
	return held
}

// released takes from those who hold a lock the one whose acquire e releases: the
// goroutine's own last one, or else the first one, of a goroutine that has handed the lock
// over.
func released(t *trace.Trace, held []Holder, e trace.Event) []Holder {
	found := -1
	for k, h := range held {
		if (t.Events[h.At].Kind == trace.RAcquire) == (e.Kind == trace.RRelease) && (h.G == e.G || found < 0) {
			found = k
		}
	}
	if found < 0 {
		return held
	}
	return slices.Delete(held, found, found+1)
}

// writers returns those who wait to write under an RWMutex: readers that come later wait
// for them.
func writers(ws []Wait, lock uint64) []Holder {
	var out []Holder
	for _, w := range ws {
		if w.Op == trace.Acquire && w.Obj == lock {
			out = append(out, Holder{w.G, w.At, true})
		}
	}
	return out
}

// Bugs returns those of ws, by their indices, that are the bug: first the circles of
// goroutines each of which waits for the next one, also for itself; then those that do not
// only wait for others of ws to release what they hold, one by one.
func Bugs(ws []Wait) (circles [][]int, others []int) {
	of := make(map[trace.GID]int)
	for k, w := range ws {
		of[w.G] = k
	}
	seen := make([]bool, len(ws))
	for k := range ws {
		if c := circle(ws, of, k, seen); c != nil {
			circles = append(circles, c)
		}
	}
	for k, w := range ws {
		if !slices.ContainsFunc(w.Holders, func(h Holder) bool { _, blocked := of[h.G]; return blocked }) {
			others = append(others, k)
		}
	}
	return circles, others
}

// circle returns a circle that can be reached from ws[from], as [Bugs] does.
func circle(ws []Wait, of map[trace.GID]int, from int, seen []bool) []int {
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

// ends reports whether an operation of kind k can end a wait in one of kind op, on the same
// object.
func ends(k, op trace.Kind) bool {
	switch op {
	case trace.Send:
		return k == trace.Recv || k == trace.RecvDone
	case trace.Recv:
		return k == trace.Send || k == trace.SendDone || k == trace.Close
	case trace.WaitGroupWait:
		return k == trace.WaitGroupAdd
	case trace.CondWait:
		return k == trace.CondSignal || k == trace.CondBroadcast
	}
	return false
}

// partners finds those of each of ws, in the order of the trace.
func partners(t *trace.Trace, ws []Wait) {
	of := make(map[uint64][]int) // by object
	for k, w := range ws {
		if !isLock(w.Op) && w.Obj != 0 {
			of[w.Obj] = append(of[w.Obj], k)
		}
	}
	gone := make(map[trace.GID]bool)
	for i, e := range t.Events {
		gone[e.G] = e.Kind == trace.End || e.Kind == trace.TestEnd
		if e.Obj == 0 {
			continue
		}
		for _, k := range of[e.Obj] {
			w := &ws[k]
			if e.G == w.G || !ends(e.Kind, w.Op) || e.Kind == trace.WaitGroupAdd && int64(e.Val) > 0 {
				continue
			}
			w.Partners = append(slices.DeleteFunc(w.Partners, func(p Partner) bool { return p.G == e.G }), Partner{G: e.G, At: i})
		}
	}
	for k := range ws {
		for n := range ws[k].Partners {
			p := &ws[k].Partners[n]
			p.Gone = gone[p.G]
		}
	}
}
