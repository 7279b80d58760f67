package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// A table is what docs/replay.md holds.
type table struct {
	n    int
	rows []row
	cost *cost // nil: not measured
}

func (t table) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Replays

How often a replay of each subject's witnesses stands at its bug, of %d replays
under each condition: on all processors, bound to the first one, while all are
kept busy by others, with other values of GOMAXPROCS for the test, and in a
binary that was built from a copy of the module in another folder. Written by

    go run ./internal/reproduce -o docs/replay.md

`, t.n)
	b.WriteString("| subject | witness |")
	for _, c := range conditions {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("--:|", len(conditions)) + "\n")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| %s | %s |", r.subject, r.witness)
		for _, n := range r.reached {
			fmt.Fprintf(&b, " %d |", n)
		}
		b.WriteString("\n")
	}
	if c := t.cost; c != nil {
		fmt.Fprintf(&b, `
## Many candidates

A test with %d candidates, each of which is confirmed in both orders of its
accesses, so by two replays, in %d processes at a time: all of them together take
%.0f × what one of these replays takes by itself.

| | ms |
|---|--:|
| a single replay | %.0f |
| confirming the %d candidates | %.0f |
`, c.candidates, runtime.GOMAXPROCS(0), float64(c.all)/float64(c.replay), ms(c.replay), c.candidates, ms(c.all))
	}
	return b.String()
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// good reports whether each replay reached its bug, and there were any.
func (t table) good() bool {
	for _, r := range t.rows {
		for _, n := range r.reached {
			if n != t.n {
				return false
			}
		}
	}
	return len(t.rows) > 0 || t.cost != nil
}
