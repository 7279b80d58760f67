package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// writeCycle writes who waits for whom, of goroutines that wait for each other's locks.
func (p *printer) writeCycle(f *Finding) {
	waits := f.waitCycle()
	if waits == nil {
		return
	}
	p.printf("")
	for i, a := range f.Accesses {
		var holds []string
		for _, l := range a.Locks {
			holds = append(holds, fmt.Sprintf("%s (%s)", lockName(l.Expr), l.Pos()))
		}
		first, second := "│  ", "│      "
		if i == 0 {
			first = "┌▶ "
		}
		if i == len(waits)-1 {
			second = "└───── "
		}
		p.printf("  %s%s holds %s", first, a.Goroutine, cmp.Or(strings.Join(holds, ", "), "nothing"))
		p.printf("  %s%s", second, waits[i])
	}
}

// waitCycle returns, for each access, a text that says what its goroutine waits for. It returns nil
// unless each goroutine waits for a lock of the next one, and the last for a lock of the first.
func (f *Finding) waitCycle() (waits []string) {
	for i, a := range f.Accesses {
		next := f.Accesses[(i+1)%len(f.Accesses)]
		k := slices.IndexFunc(a.HeldBy, func(o OtherGoroutine) bool { return o.Goroutine == next.Goroutine })
		if k < 0 {
			return nil
		}
		waits = append(waits, fmt.Sprintf("waits for %s (%s), which %s", lockName(a.Expr), a.Pos(), howHeld(a, next, a.HeldBy[k])))
	}
	return waits
}

// howHeld says how the next goroutine of a cycle has what a waits for.
func howHeld(a, next Access, o OtherGoroutine) string {
	switch {
	case next.Goroutine == a.Goroutine:
		return fmt.Sprintf("it holds itself (%s)", o.Pos())
	case o.File == next.File && o.Line == next.Line:
		return fmt.Sprintf("%s waits for as a writer: readers that come later wait for it", o.Goroutine)
	default:
		return fmt.Sprintf("%s holds (%s)", o.Goroutine, o.Pos())
	}
}

// lockName returns the name of a lock in the text, whose expression may be empty.
func lockName(expr string) string { return cmp.Or(expr, "a lock") }

// isFirstOf reports whether no access before the i-th is of the same goroutine.
func (f *Finding) isFirstOf(i int) bool {
	return !slices.ContainsFunc(f.Accesses[:i], func(a Access) bool { return a.Goroutine == f.Accesses[i].Goroutine })
}

// writeStack writes where a goroutine waits.
func (p *printer) writeStack(f *Finding, a Access) {
	most := maxStack
	if p.detailLeftOut >= noCreation {
		most = 1
	}
	for i, s := range a.Stack[:min(len(a.Stack), most)] {
		p.writePlace(s)
		if i == 0 {
			p.writeSource(f, a)
		}
	}
	if more := len(a.Stack) - most; more > 0 && p.detailLeftOut < noCreation {
		p.printf("  … and %d more", more)
	}
	for _, o := range a.Partners[max(0, len(a.Partners)-maxPartners):] {
		then := ""
		if o.HasEnded {
			then = ", and has ended"
		}
		p.printf("  goroutine %s came to %s at %s%s", o.Goroutine, o.Phrase(), o.Pos(), then)
	}
}

// writeLingering writes how many goroutines were still waiting when their tests ended.
func (p *printer) writeLingering(r *Report) {
	all := 0
	for _, pkg := range r.Packages {
		all += len(pkg.Lingering)
	}
	switch {
	case all == 1:
		p.printf("note: a goroutine was still waiting when its test ended; it is no leak, as others may wake it yet; -predict.json=FILE tells where.")
	case all > 1:
		p.printf("note: %d goroutines were still waiting when their tests ended; they are no leaks, as others may wake them yet; -predict.json=FILE tells where.", all)
	}
}
