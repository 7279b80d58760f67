package report

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/blocked"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// maxAlso is how many of the other goroutines that a bug blocks a finding has, and maxAlsoText
// how many of them the text.
const maxAlso, maxAlsoText = 16, 3

// also returns those of ws that the bug blocks for ever besides its members: at the same
// places, or as they wait for a lock of such a one. Of those at the same place that were
// started with the same function, the bug's own ones included, there is only the first.
func also(ws []blocked.Wait, members []int) (out []blocked.Wait) {
	in, by := make([]bool, len(ws)), make(map[trace.GID]bool)
	add := func(k int) { in[k], by[ws[k].G] = true, true }
	for _, m := range members {
		for k, w := range ws {
			if w.Op == ws[m].Op && w.Site == ws[m].Site {
				add(k)
			}
		}
	}
	for more := true; more; {
		more = false
		for k, w := range ws {
			if !in[k] && slices.ContainsFunc(w.Holders, func(h blocked.Holder) bool { return by[h.G] }) {
				add(k)
				more = true
			}
		}
	}
	alike := func(w blocked.Wait) string {
		start := ""
		for _, f := range w.Stack {
			start = f.Func
		}
		return fmt.Sprint(w.Op, w.Site, start)
	}
	seen := make(map[string]bool)
	for _, m := range members {
		seen[alike(ws[m])] = true
	}
	for k, w := range ws {
		if key := alike(w); in[k] && !seen[key] && len(out) < maxAlso {
			seen[key] = true
			out = append(out, w)
		}
	}
	return out
}

// AlsoBlocked returns the goroutines that were blocked for ever at the end of ev's recorded
// run by the bug of its witness, besides its members: at the same places, or as they waited
// for a lock of such a one.
func AlsoBlocked(ev Evidence) []Access {
	n := namer{pkg: ev.Witness.Package}
	if len(ev.Witness.Tests) > 0 {
		n.test = ev.Witness.Tests[0]
	}
	return newEnd(&ev, ev.Trace, ev.Witness).also(n)
}

// Join adds to those whom f's bug blocks as well others, of any run, that wait at other places
// or were started with other functions.
func (f *Finding) Join(others []Access) {
	for _, o := range others {
		if len(f.Also) < maxAlso && !slices.ContainsFunc(f.Also, o.waitsLike) {
			f.Also = append(f.Also, o)
		}
	}
}

// waitsLike reports whether a and b wait in the same operation, and were started with the same
// function.
func (a Access) waitsLike(b Access) bool {
	start := func(a Access) (name string) {
		for _, p := range a.Stack {
			name = p.Func
		}
		return name
	}
	return a.Op == b.Op && a.File == b.File && a.Line == b.Line && start(a) == start(b)
}

// waiting describes how b waits, after so many events.
func waiting(ev *Evidence, n namer, b blocked.Wait, events int) Access {
	p := place(ev, n, b.Op, b.Site)
	a := Access{
		Goroutine: n.goroutine(ev.Trace.Goroutines[b.G].Name()), Op: b.Op.String(), Expr: p.Expr, Func: p.Func, File: p.File, Line: p.Line,
		CreatedAt: created(ev, n, &ev.Trace.Goroutines[b.G]),
	}
	a.wait(ev, n, b, events)
	return a
}

// also writes who else is blocked.
func (p *printer) also(f *Finding) {
	if len(f.Also) == 0 {
		return
	}
	p.line("")
	for _, a := range f.Also[:min(len(f.Also), maxAlsoText)] {
		p.line("Goroutine %s is blocked by it as well, before %s at %s.", a.Goroutine, witness.Phrase(a.Op, a.Expr), pos(a.File, a.Line))
	}
	if more := len(f.Also) - maxAlsoText; more > 0 {
		p.line("… and %d more; -predict.json=FILE tells where.", more)
	}
}
