package main

import (
	"fmt"
	"slices"
	"strings"
)

// median returns the middle one of some numbers of runs, as the table has it.
func median(all []int) string {
	if len(all) == 0 {
		return ""
	}
	n := middle(all)
	if n > most {
		return fmt.Sprintf("> %d", most)
	}
	return fmt.Sprint(n)
}

func middle(all []int) int { return slices.Sorted(slices.Values(all))[(len(all)-1)/2] }

// row is the line of a program.
func (p *program) row() string {
	found := ""
	if p.bug {
		found = "no"
	}
	if p.explored.confirmed > 0 {
		found = fmt.Sprint(p.explored.confirmed)
	}
	whole := "no"
	if p.command.confirmed > 0 {
		whole = "yes"
	}
	behaviours := fmt.Sprint(p.explored.count)
	if !p.explored.complete {
		behaviours = "more than " + behaviours
	}
	cells := []string{strings.TrimPrefix(p.test, "Test"), found}
	for k := range orders {
		cells = append(cells, median(p.chance[k]))
	}
	cells = append(cells, median(p.plain), whole, behaviours, fmt.Sprint(p.explored.runs))
	return "| " + strings.Join(cells, " | ") + " |"
}

// good reports whether each bug is confirmed and nothing else is.
func (b *bench) good() bool {
	return !slices.ContainsFunc(b.programs, func(p *program) bool {
		return p.bug != (p.explored.confirmed > 0) || !p.bug && p.command.confirmed > 0
	})
}

// page returns the page, in Markdown.
func (b *bench) page() string {
	var names, rule string
	for _, o := range orders {
		names, rule = names+" | "+o.name, rule+"|---"
	}
	var rows strings.Builder
	for _, p := range b.programs {
		fmt.Fprintln(&rows, p.row())
	}
	found, bugs, fewer := 0, 0, 0
	for _, p := range b.programs {
		if !p.bug {
			continue
		}
		bugs++
		if p.explored.confirmed > 0 {
			found++
		}
		if p.fewest() {
			fewer++
		}
	}
	return fmt.Sprintf(page, b.seeds, most, found, bugs, fewer, names, rule, rows.String(), b.flags)
}

// fewest reports whether no order of chance needs fewer runs than exploring, nor do plain
// runs.
func (p *program) fewest() bool {
	for _, runs := range append(p.chance[:], p.plain) {
		if p.explored.confirmed == 0 || len(runs) > 0 && middle(runs) < p.explored.confirmed {
			return false
		}
	}
	return true
}

const page = `# Runs until a bug is seen

The programs of ` + "`testdata/sctbench`" + `, which are of the kind of SCTBench, and those of
` + "`testdata/reach`" + `, whose bugs lie behind what no recording does. This page is written by

    go run ./internal/measure/exploring%[9]s -o docs/exploring.md

*Explored* is the run in which the bug was seen that was confirmed then, as ` + "`gopredict test" + `
-predict.explore=%[2]d -predict.runs=1 -predict.kinds=failure,deadlock` + "`" + ` counts them, the recorded one
first: each run begins where a goroutine finds what it has not found yet
([Exploring](command.md#exploring)); 1 are bugs that were predicted from the first run. The
columns behind it are medians over %[1]d seeds, of runs until one fails, *> %[2]d* if that many
did not: in orders of chance, POS, PCT with a depth of two and of three, and with goroutines
that give way by chance; and *plain* runs of go test. *Command* says whether ` + "`gopredict test`" + `
without any flag confirms a bug that the test fails by. *Behaviours* are those of the whole
program, if it was explored completely, and *all* the runs that this took, or that there were.

%[3]d of %[4]d bugs are seen by exploring, %[5]d of them in no more runs than any order of chance takes.

| program | explored%[6]s | plain | command | behaviours | all |
|---|---%[7]s|---|---|---|---|
%[8]s`
