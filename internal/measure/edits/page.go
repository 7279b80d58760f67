package main

import (
	"fmt"
	"slices"
	"strings"
)

// good reports whether no answer is wrong, and at most a fifth say nothing.
func (t *table) good() bool {
	asked, open := 0, 0
	for _, r := range t.rows {
		if r.Answer != none {
			asked++
		}
		switch r.Answer {
		case r.Truth, none:
		case unknown:
			open++
		default:
			return false
		}
	}
	return open*5 <= asked
}

// page writes what was found.
func (t *table) page() string {
	var names []string
	for _, r := range t.rows {
		if !slices.Contains(names, r.Subject) {
			names = append(names, r.Subject)
		}
	}
	count := func(subject string, truth, a answer) (n int) {
		for _, r := range t.rows {
			if (subject == "" || r.Subject == subject) && r.Truth == truth && r.Answer == a {
				n++
			}
		}
		return n
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Edits

What %[1]sgopredict replay%[1]s says of a bug after the code was edited, with the witness from before: of each
subject thirty edits, of which half leave the bug there and half fix it. Written by

    go run ./internal/measure/edits -o docs/measured/edits.md

| subject | bug there: told | fixed, wrongly | cannot tell | bug fixed: told | there, wrongly | cannot tell |
|---|--:|--:|--:|--:|--:|--:|
`, "`")
	line := func(name, subject string) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d |\n", name,
			count(subject, there, there), count(subject, there, fixed), count(subject, there, unknown),
			count(subject, fixed, fixed), count(subject, fixed, there), count(subject, fixed, unknown))
	}
	for _, n := range names {
		line(n, n)
	}
	line("all", "")
	asked := 0
	for _, r := range t.rows {
		if r.Answer != none {
			asked++
		}
	}
	fmt.Fprintf(&b, "\n%d of the 300 edits have been tried.\n", asked)
	fmt.Fprintf(&b, "\nWhere the answer is not the truth:\n\n| subject | edit | the bug is | answer | reason |\n|---|---|---|---|---|\n")
	for _, r := range t.rows {
		if r.Answer != r.Truth && r.Answer != none {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Subject, r.Edit, r.Truth, r.Answer, strings.ReplaceAll(r.Reason, "|", `\|`))
		}
	}
	return b.String()
}
