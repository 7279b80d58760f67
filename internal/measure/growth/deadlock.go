package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// A shape is that of a trace of nested locks; with Turns, some are taken in another order.
type shape struct {
	Events, Goroutines int
	Turns              bool
}

// shapes are those that are measured.
func shapes() (all []shape) {
	for _, turns := range []bool{false, true} {
		for _, goroutines := range []int{2, 8, 64} {
			for _, events := range []int{100_000, 1_000_000, 10_000_000} {
				all = append(all, shape{events, goroutines, turns})
			}
		}
	}
	return all
}

// args makes this command measure s.
func (s shape) args() []string {
	return []string{fmt.Sprintf("-events=%d", s.Events), fmt.Sprintf("-goroutines=%d", s.Goroutines), fmt.Sprintf("-turns=%t", s.Turns)}
}

// A deadlockCost is what it took to find and decide the deadlocks of a trace, its order
// included.
type deadlockCost struct {
	shape
	Time             time.Duration
	Found, Undecided int
	Memory           int64 // as in cost
}

// measureDeadlocks does it all with a trace of shape s.
func measureDeadlocks(s shape) (c deadlockCost, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // about as often as the command has garbage looked for
	t := tracetest.Nested(s.Events, s.Goroutines, s.Turns)
	c.shape = s
	c.Events = len(t.Events)
	watch := start()
	r, err := analysis.Predict(context.Background(), t, analysis.Options{Kinds: []bug.Kind{bug.Deadlock}})
	if err != nil {
		return c, err
	}
	c.Time, c.Found = watch.lap(), len(r.Findings)
	for _, f := range r.Findings {
		if f.Status == bug.Undecided {
			c.Undecided++
		}
	}
	return c, nil
}

// deadlockTable is the part of docs/measured/growth.md about deadlocks.
func deadlockTable(cs []deadlockCost) string {
	var b strings.Builder
	b.WriteString(`
## Deadlocks

Other traces: goroutines take two or three of 64 locks at a time, in the order of their
numbers, and in half of the traces one time in a thousand in another one. Found are the
circles that locks and must-order leave open. Undecided are those that have neither a schedule
that the judge accepts nor a proof that there is none. Time is that for all of it, from the order
of events on.

| events | goroutines | found | undecided | time | ns an event | memory | bytes an event |
|--:|--:|--:|--:|--:|--:|--:|--:|
`)
	for _, c := range cs {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %s | %d | %d MB | %d |\n", thousands(c.Events), c.Goroutines, c.Found, c.Undecided,
			text(c.Time), c.Time.Nanoseconds()/int64(c.Events), c.Memory>>20, c.Memory/int64(c.Events))
	}
	b.WriteString(`
What is looked at for all circles together is a part of the work for the trace (analysis.md, "The schedulers"). An
eighth of it goes into schedules that have only what they need, of all that came before; half of what
is left then into those that begin with the recorded run up to shortly before the first of the operations
and cost what is between these, nearest operations first. What is open then is solved.
`)
	return b.String()
}
