package evidence

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A deadEnd is the end of a run in which goroutines were blocked.
type deadEnd struct {
	builder
	*run
	waits   []waits.Wait
	events  []trace.Event // those of the run, and one for each operation in waits that has none
	members []int         // by goroutine of the violation, its index in waits; -1 if it was not blocked
}

// deadEndOf looks for the goroutines of w's violation at the end of r.
func (b builder) deadEndOf(r *run, w *witness.Witness) deadEnd {
	find := waits.Blocked
	if r == b.replayed {
		find = waits.BlockedInPlace
	}
	blocked, extended := find(r.Trace, trace.ProofDeadlock, trace.ProofLeak)
	d := deadEnd{builder: b, run: r, waits: blocked, events: extended.Events}
	for _, s := range w.Violation {
		d.members = append(d.members, slices.IndexFunc(blocked, func(b waits.Wait) bool { return r.Goroutines[b.G].Name() == s.Goroutine }))
	}
	return d
}

// addWaits adds to f how the goroutines of w wait, in the replay or else in the recorded run, and the
// goroutines that are also blocked, in either.
func (b builder) addWaits(f *report.Finding, w *witness.Witness) {
	filled := false
	for _, r := range []*run{b.replayed, b.recorded} {
		if r == nil {
			continue
		}
		d := b.deadEndOf(r, w)
		for i, k := range d.members {
			if k >= 0 && !filled {
				d.addWait(&f.Accesses[i], d.waits[k])
			}
		}
		filled = filled || len(d.waits) > 0
		f.AddAlsoBlocked(d.alsoBlocked())
	}
}

// AlsoBlocked returns the goroutines that the bug of ev's witness also blocks for ever, at the end of
// ev's recorded run, besides those of the violation: at the same places, or waiting for a lock of a
// blocked one.
func AlsoBlocked(ev Evidence) []report.Access {
	b := newBuilder(&ev, ev.Witness)
	all := b.deadEndOf(b.recorded, ev.Witness).alsoBlocked()
	for _, m := range mentions(&report.Finding{AlsoBlocked: all}) {
		*m.number = 0 // they become part of another finding
	}
	return all
}

// alsoBlocked returns the goroutines that are also blocked. Of goroutines at the same place that were
// started with the same function it has only the first, and none if that is of the violation.
func (d deadEnd) alsoBlocked() (out []report.Access) {
	start := func(w waits.Wait) string {
		function := ""
		for _, f := range w.Stack {
			function = f.Func
		}
		return fmt.Sprint(w.Op, w.Site, function)
	}
	seen := make(map[string]bool)
	for _, m := range d.members {
		if m >= 0 {
			seen[start(d.waits[m])] = true
		}
	}
	by := d.blockedByMembers()
	for k, w := range d.waits {
		if key := start(w); by[k] && !seen[key] && len(out) < report.MaxAlsoBlocked {
			seen[key] = true
			out = append(out, d.waiting(w))
		}
	}
	return out
}

// blockedByMembers says of each wait whether it is at the place of a member, or is for a lock of a
// goroutine that is, directly or not.
func (d deadEnd) blockedByMembers() []bool {
	in, goroutines := make([]bool, len(d.waits)), make(map[trace.GID]bool)
	add := func(k int) { in[k], goroutines[d.waits[k].G] = true, true }
	for _, m := range d.members {
		for k, w := range d.waits {
			if m >= 0 && w.Op == d.waits[m].Op && w.Site == d.waits[m].Site {
				add(k)
			}
		}
	}
	for more := true; more; {
		more = false
		for k, w := range d.waits {
			if !in[k] && slices.ContainsFunc(w.Holders, func(h waits.Holder) bool { return goroutines[h.G] }) {
				add(k)
				more = true
			}
		}
	}
	return in
}

// waiting returns the operation in which w waits as an access.
func (d deadEnd) waiting(w waits.Wait) report.Access {
	p := d.place(d.run, w.Op, w.Site)
	g := &d.Goroutines[w.G]
	a := report.Access{
		Goroutine: d.goroutine(g.Name()), Op: w.Op.String(), Expr: p.Expr, Position: p.Position,
		CreatedAt: d.created(d.run, g),
	}
	d.addWait(&a, w)
	return a
}

// addWait adds to a how w waits.
func (d deadEnd) addWait(a *report.Access, w waits.Wait) {
	a.WaitS, a.Turns = w.Duration.Seconds(), w.Turns
	a.Object = d.named.note(d.run, w.Op, w.Obj)
	place := func(f trace.Frame) report.Place {
		return report.Place{Position: report.Position{Func: d.function(f.Func), File: d.Files.Name(f.File), Line: f.Line}}
	}
	for _, f := range w.Stack {
		if f.Func != "testing.tRunner" {
			a.Stack = append(a.Stack, place(f))
		}
	}
	if asked := place(w.StartedBy); w.StartedBy.File != "" && a.CreatedAt != nil && asked.Pos() != a.CreatedAt.Pos() {
		a.CreatedFor = &asked
	}
	for _, h := range w.Holders {
		o := d.otherGoroutine(h.G, h.Position)
		o.WaitsToWrite = h.IsWaitingWriter
		a.HeldBy = append(a.HeldBy, o)
	}
	for _, p := range w.Partners {
		o := d.otherGoroutine(p.G, p.Position)
		o.HasEnded = p.HasEnded
		a.Partners = append(a.Partners, o)
	}
	if a.Locks == nil {
		a.Locks = d.locks(d.run, w.G, -1)
	}
}

// otherGoroutine returns the operation of goroutine g at a position.
func (d deadEnd) otherGoroutine(g trace.GID, position int) report.OtherGoroutine {
	e := d.events[position]
	op := e.Kind
	switch { // a select completes with the event of its case
	case op.Completes() && op.Sends():
		op = trace.Send
	case op.Completes() && op.Receives():
		op = trace.Recv
	}
	p := d.place(d.run, op, e.Site)
	p.Object = d.named.note(d.run, op, e.Obj)
	return report.OtherGoroutine{Goroutine: d.goroutine(d.Goroutines[g].Name()), Op: op.String(), Place: p}
}

// LingeringIn returns the goroutines that still waited when their tests ended, in the recorded run t.
func LingeringIn(t *trace.Trace, pkg string, files witness.Files, source func(file string, line int) string) (out []report.Lingering) {
	ev := &Evidence{Files: files, Source: source}
	r := runOf(t, nil, nil)
	for _, s := range t.Blocked {
		if g := t.Goroutines[s.G]; s.Proof == trace.ProofLingering {
			b := builder{Evidence: ev, namer: namer{pkg, g.Test}}
			out = append(out, report.Lingering{Test: g.Test, Goroutine: b.goroutine(g.Name()), Op: s.Op.String(), Place: b.place(r, s.Op, s.Site)})
		}
	}
	return out
}
