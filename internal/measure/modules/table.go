package main

import (
	"cmp"
	_ "embed" // the causes
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

const head = `# Whole modules

The test suites of public modules, all packages: plainly, under ` + "`-race`" + `, and through
` + "`gopredict test`" + ` with its defaults, on a machine with two cores and nothing beside it. *s* is
processor time with all children. All was built before; no build is measured. *elapsed* is
the time that passed, *MB* the resident memory of the largest process. Candidates are those of the recorded
runs; *undecided* are all that are neither confirmed nor infeasible, also those of which a
replay has failed. *Recording* is the time that the recorded runs took, in seconds elapsed, and *after it*
what analysis and replays took from there to the end of the command. *Before* is the first measurement of these
suites, on an equal machine with more beside it; that of the last two modules is of half a day later. Written by

    go run ./internal/measure/modules -rows=FILE -before=internal/measure/modules/before.json -o docs/measured/modules.md

## What it takes

| module | plain s | elapsed | -race s | elapsed | MB | before s | elapsed | MB | gopredict s | elapsed | MB | × -race | recording | after it |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`

const found = `
## What it finds

| module | events | candidates before | now | confirmed before | now | undecided before | now | of candidates |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
`

// causes says what was done about what was left undecided.
//
//go:embed causes.md
var causes string

// page is the tables of rows, in the order of the modules, beside those of an earlier
// gopredict, and the causes.
func page(rows, before map[string]row) string {
	var takes, finds strings.Builder
	logs, n := 0.0, 0
	reasons := make(map[string]int)
	var missing []string
	for _, module := range modules {
		r, ok := rows[module]
		if !ok {
			missing = append(missing, module)
			continue
		}
		ratio := r.Predict.Processor / r.Race.Processor
		logs += math.Log(ratio)
		n++
		was, known := before[module]
		count := func(number int) string {
			if !known {
				return ""
			}
			return fmt.Sprint(number)
		}
		earlier := " | |"
		if known {
			earlier = fmt.Sprintf("%.1f | %.1f | %.0f", was.Predict.Processor, was.Predict.Elapsed, was.Predict.Memory)
		}
		fmt.Fprintf(&takes, "| %s | %.1f | %.1f | %.1f | %.1f | %.0f | %s | %.1f | %.1f | %.0f | %.2f | %.1f | %.1f |\n", module,
			r.Plain.Processor, r.Plain.Elapsed, r.Race.Processor, r.Race.Elapsed, r.Race.Memory, earlier,
			r.Predict.Processor, r.Predict.Elapsed, r.Predict.Memory, ratio, r.Recording, r.After)
		fmt.Fprintf(&finds, "| %s | %d | %s | %d | %s | %d | %s | %d | %.1f %% |\n", module, r.Events,
			count(was.Candidates), r.Candidates, count(was.Confirmed), r.Confirmed, count(was.Undecided), r.Undecided,
			100*float64(r.Undecided)/float64(max(r.Candidates, 1)))
		for why, count := range r.Reasons {
			reasons[why] += count
		}
	}
	var b strings.Builder
	b.WriteString(head + takes.String())
	if n > 0 {
		fmt.Fprintf(&b, "\nGeometric mean of × -race: %.2f.\n", math.Exp(logs/float64(n)))
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "\nNot run: %s.\n", strings.Join(missing, ", "))
	}
	b.WriteString(found + finds.String())
	b.WriteString("\n## Why they are undecided\n\n| how many | reason |\n|--:|---|\n")
	byCount := slices.SortedFunc(maps.Keys(reasons), func(v, w string) int {
		return cmp.Or(cmp.Compare(reasons[w], reasons[v]), cmp.Compare(v, w))
	})
	for _, why := range byCount {
		fmt.Fprintf(&b, "| %d | %s |\n", reasons[why], strings.ReplaceAll(cmp.Or(why, "none is told"), "|", `\|`))
	}
	b.WriteString(causes)
	return b.String()
}
