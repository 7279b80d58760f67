package report

import (
	"fmt"
	"slices"
	"strings"
)

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
		p.line("  goroutine %s came to %s at %s%s", o.Goroutine, Phrase(o.Op, o.Expr), pos(o.File, o.Line), then)
	}
}

// maxPartners is how many goroutines are named that could have ended a wait.
const maxPartners = 3

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
