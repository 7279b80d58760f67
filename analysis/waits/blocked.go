package waits

import (
	"iter"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// This file finds out which goroutines waited for which at the end of a recorded run. It needs
// no order of events, only the end of the trace: critical sections that are still open, and
// functions of Onces that have not returned.

// A Wait is a goroutine that was blocked at the end of a recorded run.
//
// For locks and Onces, the trace shows who holds them. It does not show who would have sent,
// received, signalled or called Done; only the program's authors know.
type Wait struct {
	trace.BlockedGoroutine
	// Position is the position of the operation's event, in the trace that [Blocked] returns.
	Position int
	// Holders are the goroutines that hold the lock or run the Once that it waits for, and
	// the writers that wait for the lock before it.
	Holders []Holder
	// Partners are, of each other goroutine, the last operation that could have ended the
	// wait: a receive for a send, a send or close for a receive, a Done or a signal.
	Partners []Partner
	// MayEnd are the other goroutines that have done what could have ended the wait, or have
	// offered to in a case of a select. Where they go on they may do so again.
	MayEnd []trace.GID
}

// A Partner is a goroutine whose event at a position could have ended a wait.
type Partner struct {
	G        trace.GID
	Position int
	HasEnded bool
}

// A Holder is a goroutine that has acquired a lock at a position and not released it.
type Holder struct {
	G        trace.GID
	Position int
	// IsWaitingWriter is set for a writer that has not acquired the lock: readers that come
	// later wait for it.
	IsWaitingWriter bool
}

// Blocked returns the goroutines that t reports as blocked with one of the proofs, in the
// order of t, and a copy of t in which each of their operations has an event: a pending one at
// the end, where it never had one. Of operations that a goroutine begins over and over, as timers
// wake it without effect, it is the first.
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
	t = withoutRounds(t, ws)
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
	// A copy of a long trace takes much memory, so it gets no more room than it needs.
	if cap(t.Events)-len(t.Events) < further {
		with.Events = append(make([]trace.Event, 0, len(t.Events)+further), t.Events...)
	}
	for k := range ws {
		if w := &ws[k]; w.Position < 0 {
			w.Position = len(with.Events)
			with.Events = append(with.Events, trace.Event{Kind: w.Op, G: w.G, Site: w.Site, Obj: w.Obj})
			with.PendingEvents++
		}
	}
	return &with
}

// findBegins finds the events that began the operations of ws. Operations that are logged when
// they are done have none, but for the pending ones that an earlier call has added.
func findBegins(t *trace.Trace, ws []Wait) {
	missing := make(map[trace.GID][]int)
	for k, w := range ws {
		if !waitsForHolder(w.Op) || t.PendingEvents > 0 {
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
			begins := e.Kind == ws[k].Op && e.Site == ws[k].Site && (i >= t.Happened() || !waitsForHolder(e.Kind))
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
	// The trace may be long and is looked at only here, so the facts are not kept.
	f := facts.New(t)
	held := make(map[uint64][]Holder) // by lock
	for _, n := range f.Open(len(t.Events)) {
		at := f.Sections()[n].Acquire
		e := &t.Events[at]
		held[e.Obj] = append(held[e.Obj], Holder{G: e.G, Position: int(at)})
	}
	for _, o := range f.Onces() { // several at one address were there in turn
		if int(o.Begin) >= t.Happened() {
			continue
		}
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
		// A reader does not wait for other readers, but for writers that wait.
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
// object. A case of a select can, even if it was not chosen.
func canEnd(k, op trace.Kind) bool {
	switch op {
	case trace.Send:
		return k.Receives()
	case trace.Recv:
		return k.Sends() || k == trace.Close
	case trace.WaitGroupWait:
		return k.ChangesCounter()
	case trace.CondWait:
		return k == trace.CondSignal || k == trace.CondBroadcast
	}
	return false
}

// isCase reports whether events of kind k are cases of a select, which may not be chosen.
func isCase(k trace.Kind) bool { return k == trace.SelectSend || k == trace.SelectRecv }

// findPartners finds the partners of each of ws, in the order of the trace, and who else may end
// the wait.
func findPartners(t *trace.Trace, ws []Wait) {
	type part struct {
		wait int // index into ws
		op   trace.Kind
	}
	waiting := make(map[uint64][]part) // by object
	for k, w := range ws {
		switch {
		case w.Op == trace.Select:
			for obj, op := range casesOf(t, w) {
				waiting[obj] = append(waiting[obj], part{k, op})
			}
		case !waitsForHolder(w.Op) && w.Obj != 0:
			waiting[w.Obj] = append(waiting[w.Obj], part{k, w.Op})
		}
	}
	gone := make(map[trace.GID]bool)
	for i := range t.Events[:t.Happened()] {
		e := &t.Events[i]
		gone[e.G] = e.Kind == trace.End || e.Kind == trace.TestEnd
		if e.Obj == 0 {
			continue
		}
		for _, p := range waiting[e.Obj] {
			w := &ws[p.wait]
			if e.G == w.G || !canEnd(e.Kind, p.op) || e.Delta() > 0 {
				continue
			}
			if !slices.Contains(w.MayEnd, e.G) {
				w.MayEnd = append(w.MayEnd, e.G)
			}
			if w.Op != trace.Select && !isCase(e.Kind) {
				w.Partners = append(slices.DeleteFunc(w.Partners, func(p Partner) bool { return p.G == e.G }), Partner{G: e.G, Position: i})
			}
		}
	}
	for k := range ws {
		for n := range ws[k].Partners {
			p := &ws[k].Partners[n]
			p.HasEnded = gone[p.G]
		}
	}
}

// casesOf yields the channels of the cases of a select, and whether each sends or receives. They
// come right before the select.
func casesOf(t *trace.Trace, w Wait) iter.Seq2[uint64, trace.Kind] {
	return func(yield func(uint64, trace.Kind) bool) {
		for _, e := range slices.Backward(t.Events[:w.Position]) {
			if e.G != w.G {
				continue
			}
			op := trace.Recv
			if e.Kind == trace.SelectSend {
				op = trace.Send
			}
			if !isCase(e.Kind) || !yield(e.Obj, op) {
				return
			}
		}
	}
}

// Bugs returns which of ws are bugs, as indices. The cycles are goroutines of which each waits
// for what the next one holds; a goroutine may wait for itself. The others wait for nothing that
// a goroutine of ws holds. The rest of ws only waits for these.
func Bugs(ws []Wait) (cycles [][]int, others []int) {
	of := goroutinesOf(ws)
	cycles = findCycles(ws, func(w Wait) (next []int) { return holdersIn(w, of) })
	// A goroutine that waits for a blocked holder is no bug of its own: it goes on once the
	// holder does.
	for k, w := range ws {
		if len(holdersIn(w, of)) == 0 {
			others = append(others, k)
		}
	}
	return cycles, others
}

// MessageCycles returns the cycles of ws, as indices, in which goroutines also wait for messages
// of the next one: it may end the wait if it goes on. So a goroutine that only waits for one of
// them is in no cycle.
func MessageCycles(ws []Wait) [][]int {
	of := goroutinesOf(ws)
	return findCycles(ws, func(w Wait) []int { return w.waitsFor(of) })
}

// WithoutOnlookers returns those of the indices into ws whose goroutines do not merely wait for
// others of ws while none of ws waits for them: a test that waits for the end of what it has
// started. It returns all if there are no others.
func WithoutOnlookers(ws []Wait, indices []int) []int {
	of := goroutinesOf(ws)
	awaited := make(map[int]bool)
	for _, w := range ws {
		for _, k := range w.waitsFor(of) {
			awaited[k] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(indices), func(k int) bool { return !awaited[k] && len(ws[k].waitsFor(of)) > 0 })
	if len(rest) == 0 {
		return indices
	}
	return rest
}

// waitsFor returns the goroutines that w waits for and that are blocked themselves, as the indices
// that of has.
func (w Wait) waitsFor(of map[trace.GID]int) []int {
	next := holdersIn(w, of)
	for _, g := range w.MayEnd {
		if k, blocked := of[g]; blocked {
			next = append(next, k)
		}
	}
	return next
}

// goroutinesOf returns the indices of waits by their goroutines.
func goroutinesOf(ws []Wait) map[trace.GID]int {
	of := make(map[trace.GID]int)
	for k, w := range ws {
		of[w.G] = k
	}
	return of
}

// holdersIn returns those of w's holders that are blocked themselves, as the indices that of has.
func holdersIn(w Wait, of map[trace.GID]int) (next []int) {
	for _, h := range w.Holders {
		if k, blocked := of[h.G]; blocked {
			next = append(next, k)
		}
	}
	return next
}

// findCycles returns cycles of waits, each of which is followed by one of next. No cycle shares
// the goroutine that it is found from with an earlier one.
func findCycles(ws []Wait, next func(Wait) []int) (cycles [][]int) {
	seen := make([]bool, len(ws))
	for k := range ws {
		if c := findCycle(ws, next, k, seen); c != nil {
			cycles = append(cycles, c)
		}
	}
	return cycles
}

// findCycle returns a cycle of waits that can be reached from ws[from], or nil.
func findCycle(ws []Wait, next func(Wait) []int, from int, seen []bool) []int {
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
		for _, n := range next(ws[k]) {
			if c := visit(n); c != nil {
				return c
			}
		}
		path = path[:len(path)-1]
		return nil
	}
	return visit(from)
}
