package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/blocked"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// An end is that of a run, in which goroutines were blocked.
type end struct {
	Evidence     // with the trace in which each of them has an event
	events   int // of the run
	ws       []blocked.Wait
	members  []int // by goroutine of the violation which of ws it is; -1 if it was not blocked
}

// newEnd looks for the goroutines of w's violation at the end of t.
func newEnd(ev *Evidence, t *trace.Trace, w *witness.Witness) *end {
	x := &end{Evidence: *ev, events: len(t.Events)}
	of := blocked.Of
	if t == ev.Replayed {
		of = blocked.OfOwn
	}
	x.ws, x.Trace = of(t, trace.ProofDeadlock, trace.ProofLeak)
	for _, s := range w.Violation {
		x.members = append(x.members, slices.IndexFunc(x.ws, func(b blocked.Wait) bool { return x.Trace.Goroutines[b.G].Name() == s.Goroutine }))
	}
	return x
}

// also describes who else is blocked there.
func (x *end) also(n namer) (all []Access) {
	members := slices.DeleteFunc(slices.Clone(x.members), func(k int) bool { return k < 0 })
	for _, b := range also(x.ws, members) {
		all = append(all, waiting(&x.Evidence, n, b, x.events))
	}
	return all
}

// wait fills in how the goroutines of w wait: as in the replay, or else the recorded run;
// and who else is blocked, in either.
func (f *Finding) wait(ev *Evidence, n namer, w *witness.Witness) {
	filled := false
	for _, t := range []*trace.Trace{ev.Replayed, ev.Trace} {
		if t == nil {
			continue
		}
		x := newEnd(ev, t, w)
		for i, k := range x.members {
			if k >= 0 && !filled {
				f.Accesses[i].wait(&x.Evidence, n, x.ws[k], x.events)
			}
		}
		filled = filled || len(x.ws) > 0
		f.Join(x.also(n))
	}
}

// wait fills in how b waits, after so many events.
func (a *Access) wait(ev *Evidence, n namer, b blocked.Wait, events int) {
	a.WaitS = b.For.Seconds()
	at := func(f trace.Frame) Place {
		return Place{Func: n.function(f.Func), File: ev.Files.Name(f.File), Line: f.Line}
	}
	for _, f := range b.Stack {
		if f.Func != "testing.tRunner" {
			a.Stack = append(a.Stack, at(f))
		}
	}
	if asked := at(b.Asked); b.Asked.File != "" && a.CreatedAt != nil && (asked.File != a.CreatedAt.File || asked.Line != a.CreatedAt.Line) {
		a.CreatedFor = &asked
	}
	other := func(g trace.GID, at int) Other {
		e := ev.Trace.Events[at]
		switch e.Kind {
		case trace.SendDone: // by a select
			e.Kind = trace.Send
		case trace.RecvDone:
			e.Kind = trace.Recv
		}
		return Other{Goroutine: n.goroutine(ev.Trace.Goroutines[g].Name()), Op: e.Kind.String(), Place: place(ev, n, e.Kind, e.Site)}
	}
	for _, h := range b.Holders {
		a.HeldBy = append(a.HeldBy, other(h.G, h.At))
	}
	for _, p := range b.Partners {
		o := other(p.G, p.At)
		o.Gone = p.Gone
		a.Partners = append(a.Partners, o)
	}
	if a.Locks == nil {
		a.Locks = locks(ev, n, b.G, events)
	}
}

// circle writes who waits for whom, of goroutines each of which waits for a lock of the next
// one, and the last one for one of the first.
func (p *printer) circle(f *Finding) {
	n := len(f.Accesses)
	if n == 0 || !f.isCircle() {
		return
	}
	p.line("")
	for i, a := range f.Accesses {
		var holds []string
		for _, l := range a.Locks {
			holds = append(holds, fmt.Sprintf("%s (%s)", name(l.Expr), pos(l.File, l.Line)))
		}
		if len(holds) == 0 {
			holds = []string{"nothing"}
		}
		first, second := "│  ", "│      "
		if i == 0 {
			first = "┌▶ "
		}
		if i == n-1 {
			second = "└───── "
		}
		p.line("  %s%s holds %s", first, a.Goroutine, strings.Join(holds, ", "))
		p.line("  %swaits for %s (%s), which %s", second, name(a.Expr), pos(a.File, a.Line), holder(a, f.Accesses[(i+1)%n]))
	}
}

// isCircle reports whether each goroutine waits for the next one.
func (f *Finding) isCircle() bool {
	for i, a := range f.Accesses {
		next := f.Accesses[(i+1)%len(f.Accesses)].Goroutine
		if !slices.ContainsFunc(a.HeldBy, func(o Other) bool { return o.Goroutine == next }) {
			return false
		}
	}
	return true
}

// holder says how the next goroutine of a circle has what a waits for.
func holder(a, next Access) string {
	i := slices.IndexFunc(a.HeldBy, func(o Other) bool { return o.Goroutine == next.Goroutine })
	switch o := a.HeldBy[i]; {
	case next.Goroutine == a.Goroutine:
		return fmt.Sprintf("it holds itself (%s)", pos(o.File, o.Line))
	case o.File == next.File && o.Line == next.Line:
		return fmt.Sprintf("%s waits for as a writer: readers that come later wait for it", o.Goroutine)
	default:
		return fmt.Sprintf("%s holds (%s)", o.Goroutine, pos(o.File, o.Line))
	}
}

func name(expr string) string {
	if expr == "" {
		return "a lock"
	}
	return expr
}

// maxStack is how many places of a stack the text has.
const maxStack = 8

// stack writes where a goroutine waits.
func (p *printer) stack(f *Finding, a Access) {
	most := maxStack
	if p.brief >= noCreation {
		most = 1
	}
	for i, s := range a.Stack[:min(len(a.Stack), most)] {
		p.place(s.Func, s.File, s.Line)
		if i == 0 {
			p.source(f, a)
		}
	}
	if more := len(a.Stack) - most; more > 0 && p.brief < noCreation {
		p.line("  … and %d more", more)
	}
	for _, o := range a.Partners[max(0, len(a.Partners)-maxPartners):] {
		then := ""
		if o.Gone {
			then = ", and has ended"
		}
		p.line("  goroutine %s came to %s at %s%s", o.Goroutine, witness.Phrase(o.Op, o.Expr), pos(o.File, o.Line), then)
	}
}

// maxPartners is how many goroutines are named that could have ended a wait.
const maxPartners = 3

// LingeringIn returns the goroutines that were left waiting in the recorded run t.
func LingeringIn(t *trace.Trace, pkg string, files witness.Files, source func(file string, line int) string) (out []Lingering) {
	ev := &Evidence{Trace: t, Files: files, Source: source}
	for _, s := range t.Stuck {
		if g := t.Goroutines[s.G]; s.Proof == trace.ProofLingering {
			n := namer{pkg, g.Test}
			out = append(out, Lingering{g.Test, n.goroutine(g.Name()), s.Op.String(), place(ev, n, s.Op, s.Site)})
		}
	}
	return out
}

// lingering counts the goroutines that were left waiting.
func (p *printer) lingering(r *Report) {
	all := 0
	for _, pkg := range r.Packages {
		all += len(pkg.Lingering)
	}
	switch {
	case all == 1:
		p.line("note: a goroutine was still waiting when its test ended; it is no leak, as others may wake it yet; -predict.json=FILE tells where.")
	case all > 1:
		p.line("note: %d goroutines were still waiting when their tests ended; they are no leaks, as others may wake them yet; -predict.json=FILE tells where.", all)
	}
}
