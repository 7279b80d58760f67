package main

import (
	"fmt"
	"strings"
)

// A table is what docs/replay.md holds.
type table struct {
	n    int
	rows []row
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
	return b.String()
}

// good reports whether each replay reached its bug, and there were any.
func (t table) good() bool {
	for _, r := range t.rows {
		for _, n := range r.reached {
			if n != t.n {
				return false
			}
		}
	}
	return len(t.rows) > 0
}
