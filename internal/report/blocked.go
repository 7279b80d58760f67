package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// A waiter is a goroutine of a cycle.
type waiter struct {
	*Access
	Text string // what it waits for
}

// writeCycle writes who waits for whom, of goroutines that wait for each other's locks.
func (p *printer) writeCycle(f *Finding) {
	cycle := f.waitCycle()
	if len(cycle) == 0 {
		return
	}
	p.printf("")
	for i, w := range cycle {
		var holds []string
		for _, l := range w.Locks {
			holds = append(holds, fmt.Sprintf("%s (%s)", lockName(l.Name()), l.Pos()))
		}
		holdsPrefix, waitsPrefix := "│  ", "│      "
		if i == 0 {
			holdsPrefix = "┌▶ "
		}
		if i == len(cycle)-1 {
			waitsPrefix = "└───── "
		}
		p.printf("  %s%s holds %s", holdsPrefix, w.Goroutine, cmp.Or(strings.Join(holds, ", "), "nothing"))
		p.printf("  %s%s", waitsPrefix, w.Text)
	}
}

// waitCycle returns the goroutines of f in the order in which each waits for a lock of the next
// one, and the last for that of the first. It returns nil if they are no such cycle.
func (f *Finding) waitCycle() (cycle []waiter) {
	if len(f.Accesses) == 0 {
		return nil
	}
	for k := 0; k != 0 || len(cycle) == 0; {
		if len(cycle) == len(f.Accesses) {
			return nil // it comes back to another one than the first
		}
		a := &f.Accesses[k]
		k = slices.IndexFunc(f.Accesses, func(next Access) bool { return a.holder(&next) >= 0 })
		if k < 0 {
			return nil
		}
		next := &f.Accesses[k]
		cycle = append(cycle, waiter{a, fmt.Sprintf("waits for %s (%s), which %s", lockName(a.Name()), a.Pos(), howHeld(a, next, a.HeldBy[a.holder(next)]))})
	}
	if len(cycle) < len(f.Accesses) {
		return nil
	}
	return cycle
}

// holder returns the index into a.HeldBy of the goroutine of b; -1 if a does not wait for it.
func (a *Access) holder(b *Access) int {
	return slices.IndexFunc(a.HeldBy, func(o OtherGoroutine) bool { return o.Goroutine == b.Goroutine })
}

// howHeld says how the next goroutine of a cycle has what a waits for.
func howHeld(a, next *Access, o OtherGoroutine) string {
	switch {
	case next.Goroutine == a.Goroutine:
		return fmt.Sprintf("it holds itself (%s)", o.Pos())
	case o.WaitsToWrite:
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
	if p.brevity >= withoutCreation {
		most = 1
	}
	for i, s := range a.Stack[:min(len(a.Stack), most)] {
		p.writePosition(s.Position)
		if i == 0 {
			p.writeSource(f, a)
		}
	}
	if more := len(a.Stack) - most; more > 0 && p.brevity < withoutCreation {
		p.printf("  … and %d more", more)
	}
	if a.Turns {
		p.printf("  only its own timers wake it here, and it comes back each time; nothing else can reach the other channels of this select")
	}
	for _, o := range a.Partners[max(0, len(a.Partners)-maxPartners):] {
		then := ""
		if o.HasEnded {
			then = ", and has ended"
		}
		p.printf("  goroutine %s came to %s at %s%s", o.Goroutine, o.Phrase(), o.Pos(), then)
	}
}

// writeLingering writes how many goroutines were still waiting when their tests ended, but for those
// that are confirmed to be blocked for ever, as a later run has shown.
func (p *printer) writeLingering(r *Report) {
	all := 0
	for _, pkg := range r.Packages {
		for _, l := range pkg.Lingering {
			if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.blocks(pkg.Package, l) }) {
				all++
			}
		}
	}
	switch {
	case all == 1:
		p.printf("note: a goroutine was still waiting when its test ended; it is no leak, as others may wake it yet; -predict.json=FILE tells where.")
	case all > 1:
		p.printf("note: %d goroutines were still waiting when their tests ended; they are no leaks, as others may wake them yet; -predict.json=FILE tells where.", all)
	}
}

// blocks reports whether f is confirmed and blocks the goroutine of a package that was still waiting
// when its test ended, or one at the same place, of which f has only the first.
func (f *Finding) blocks(pkg string, l Lingering) bool {
	return f.Status == bug.Confirmed && f.Package == pkg && slices.ContainsFunc(slices.Concat(f.Accesses, f.AlsoBlocked), func(a Access) bool {
		return a.Op == l.Op && a.sameLine(l.Position)
	})
}

// AddAlsoBlocked adds goroutines that f's bug blocks in some run, too. It leaves out a goroutine if a
// known one waits at the same place and was started with the same function.
func (f *Finding) AddAlsoBlocked(others []Access) {
	for _, o := range others {
		if len(f.AlsoBlocked) < MaxAlsoBlocked && !slices.ContainsFunc(f.AlsoBlocked, o.waitsLike) {
			f.AlsoBlocked = append(f.AlsoBlocked, o)
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
	return a.Op == b.Op && a.sameLine(b.Position) && start(a) == start(b)
}

// writeAlso writes who else is blocked.
func (p *printer) writeAlso(f *Finding) {
	if len(f.AlsoBlocked) == 0 {
		return
	}
	p.printf("")
	for _, a := range f.AlsoBlocked[:min(len(f.AlsoBlocked), maxAlsoBlockedText)] {
		p.printf("Goroutine %s is blocked by it as well, before %s at %s.", a.Goroutine, a.Phrase(), a.Pos())
	}
	if more := len(f.AlsoBlocked) - maxAlsoBlockedText; more > 0 {
		p.printf("… and %d more; -predict.json=FILE tells where.", more)
	}
}
