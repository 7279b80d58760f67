package report

import (
	"fmt"
	"strings"
	"time"
)

// String says in one or two lines which delay the failure or deadlock needs.
func (t *Time) String() string {
	n := len(t.Delayed)
	who := "goroutine " + strings.Join(t.Delayed[:min(n, maxDelayedNamed)], ", ")
	if n > 1 {
		who = "one of " + strings.Replace(who, "goroutine", "goroutines", 1)
	}
	if n > maxDelayedNamed {
		who += fmt.Sprintf(" and %d more", n-maxDelayedNamed)
	}
	text := "This rests on time: it fails if " + who + " takes longer than "
	long := time.Duration(t.DelayS * float64(time.Second)).Round(time.Millisecond)
	if t.Goroutine == "" {
		return fmt.Sprintf("%sa timer of %v.", text, long)
	}
	what := t.Expr
	if what == "" { // how long it waits is in another line; DelayS is only the rest of that
		what = "a " + strings.TrimPrefix(t.WaitKind, "chan ")
		if t.WaitKind != "sleep" {
			what += " that a timer ends"
		}
	}
	return fmt.Sprintf("%sgoroutine %s waits:\n  %s at %s", text, t.Goroutine, what, t.Pos())
}
