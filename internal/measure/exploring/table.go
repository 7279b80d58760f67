package main

import (
	"fmt"
	"slices"
	"strings"
)

// cell returns a number of runs, as the table has it.
func cell(runs int) string {
	if runs > most {
		return fmt.Sprintf("> %d", most)
	}
	return fmt.Sprint(runs)
}

// line is that of a program in the table.
func (p *program) line() string {
	found, whole := "", "no"
	if p.Explored.Confirmed > 0 {
		found = fmt.Sprint(p.Explored.Confirmed)
	} else if p.bug {
		found = "no"
	}
	if p.Command.Confirmed > 0 {
		whole = "yes"
	}
	cells := []string{strings.TrimPrefix(p.test, "Test"), found}
	for _, runs := range append(p.Chance[:], p.Plain) {
		if runs == 0 {
			cells = append(cells, "")
		} else {
			cells = append(cells, cell(runs))
		}
	}
	cells = append(cells, whole, p.Explored.behaviours(), fmt.Sprint(p.Explored.Runs))
	return "| " + strings.Join(cells, " | ") + " |"
}

// behaviours returns how many there are, as the tables have it.
func (o outcome) behaviours() string {
	if o.Complete {
		return fmt.Sprint(o.Behaviours)
	}
	return fmt.Sprint("more than ", o.Behaviours)
}

// unseen are programs whose bugs neither exploring nor chance comes to in so many runs as there
// are at most; further is how many more of exploring are tried with them.
var unseen = map[string]bool{"TestSafeStack": true}

const further = 2000

// later tells what the further runs of the programs that are unseen have shown.
func (b *bench) later() string {
	var all []string
	for _, p := range b.programs {
		if p.Further.Runs == 0 {
			continue
		}
		if n := p.Further.Confirmed; n > 0 {
			all = append(all, fmt.Sprintf("exploring sees it in run %d, if it may make %d", n, further))
		} else {
			all = append(all, fmt.Sprintf("exploring does not see it in %d runs either", further))
		}
	}
	return strings.Join(all, "; ")
}

// good reports whether, of what was measured, each bug is confirmed and nothing else is, but
// for those that are unseen, and each suite is explored completely.
func (b *bench) good() bool {
	for _, o := range b.suites {
		if !o.Complete {
			return false
		}
	}
	return !slices.ContainsFunc(b.programs, func(p *program) bool {
		return p.With != "" && !unseen[p.test] && (p.bug != (p.Explored.Confirmed > 0) || !p.bug && p.Command.Confirmed > 0)
	})
}

// page returns the page, in Markdown.
func (b *bench) page() string {
	var names, rule string
	for _, o := range orders {
		names, rule = names+" | "+o.name, rule+"|---"
	}
	var rows strings.Builder
	found, bugs, fewer := 0, 0, 0
	for _, p := range b.programs {
		if p.With == "" {
			continue
		}
		fmt.Fprintln(&rows, p.line())
		if !p.bug {
			continue
		}
		bugs++
		if p.Explored.Confirmed > 0 {
			found++
		}
		if p.fewest() {
			fewer++
		}
	}
	return fmt.Sprintf(page, b.seeds, most, found, bugs, fewer, names, rule, rows.String(), b.random, b.oracle, b.later(), b.suiteLines(),
		b.with(func(p *program) string { return p.With }), b.with(func(p *program) string { return p.ChanceWith }))
}

// with names the commits with which columns were measured, each with how many programs it is of.
func (b *bench) with(of func(*program) string) string {
	var commits []string
	count := make(map[string]int)
	for _, p := range b.programs {
		c := of(p)
		if count[c]++; count[c] == 1 && c != "" {
			commits = append(commits, c)
		}
	}
	slices.SortStableFunc(commits, func(a, b string) int { return count[b] - count[a] })
	for k, c := range commits {
		commits[k] = fmt.Sprintf("%s (%d of the programs)", c, count[c])
	}
	return strings.Join(commits, ", ")
}

// fewest reports whether no order of chance needs fewer runs than exploring, nor do plain
// runs.
func (p *program) fewest() bool {
	return p.Explored.Confirmed > 0 && !slices.ContainsFunc(append(p.Chance[:], p.Plain), func(runs int) bool {
		return runs < p.Explored.Confirmed
	})
}

const page = `# Runs until a bug is seen

The programs of ` + "`testdata/papers/sctbench`" + `, which are of the kind of SCTBench, and those of
` + "`testdata/kinds/reach`" + `, whose bugs lie behind what no recording does. This page is written by

    go run ./internal/measure/exploring -seeds=%[1]d -programs=%[9]d -o docs/measured/exploring.md

*Explored* is the first run that has shown a bug that was confirmed then, or from which it was
predicted, as ` + "`gopredict test -predict.explore=%[2]d -predict.runs=1`" + ` counts them, the recorded one
first, with ` + "`-predict.kinds=failure,deadlock`" + ` or without: each run begins where a goroutine finds
what it has not found yet ([Exploring](../command.md#exploring)); 1 are bugs that were predicted from
the first run. Where nothing in a recorded run that passes tells of the bug, 2 is the least. The
columns behind it are medians over %[1]d seeds, of runs until one fails, *> %[2]d* if that many
did not: in orders of chance, POS, PCT with a depth of two and of three, and with goroutines
that give way by chance; and *plain* runs of go test. *Command* says whether ` + "`gopredict test`" + `
without any flag confirms a bug that the test fails by. *Behaviours* are those of the whole
program, if it was explored completely, and *all* the runs that this took, or that there were.

%[3]d of %[4]d bugs are seen by exploring, %[5]d of them in no more runs than any order of chance takes.

SafeStack's bug, which needs three goroutines to be interrupted seven times, is seen by nothing
here; %[11]s.

Measured with gopredict at these commits: explored, command, behaviours and all %[13]s;
orders of chance and plain runs %[14]s.

| program | explored%[6]s | plain | command | behaviours | all |
|---|---%[7]s|---|---|---|---|
%[8]s
## Orders that were tried

Selectively uniform random walk (SURW: Zhao et al., Selectively Uniform Concurrency Testing, ASPLOS
2025) chooses who does the next operation on one object, chosen by chance too, with the weight of
how many of these each goroutine has left, as an earlier run had them; URW does so with all
operations. On 27 of the programs above, those where chance needs many runs, the geometric means of
the medians are 17 runs for POS, 19 for SURW (over 5 seeds), 25 for URW and 32 for PCT with a depth
of three, with what is not seen as 400. As they are mixed in explored runs, three of POS to one of
PCT, 16 runs follow from that, and with SURW for one of them 14. Fewer runs than exploring it needs
for Download, Retry and WorkStealing2. It is not kept: orders of chance are what is tried last, and
its order's name would have an object's address and a number for each goroutine.

Guidance by pairs of what is stored and read (RFF: Wolff et al., Greybox Fuzzing for Concurrency
Testing, ASPLOS 2024), as runs that begin like one that has shown a new pair, the rarer the sooner,
up to a point by chance, and go on by POS, needs 27 runs on 11 of the programs, where POS and PCT
mixed need 15 (geometric means of medians over 3 seeds). It is not kept either: a run that is
explored begins where a read finds something new, which is what that hopes for.

SafeStack is not seen in 1000 runs by any of POS, PCT with a depth of three and of five, URW and SURW,
for two seeds each. A search of all states of its goroutines (2.2 million) comes to the bug with
seven interruptions, and with no fewer.

## Tests of others

One test each of modules of others, explored to the end by ` + "`gopredict explore`" + ` with these
arguments, in the module.

| module | arguments | behaviours | runs |
|---|---|---|---|
%[12]s
## All that programs can do

%[9]d small random programs (of locks, channels, selects, atomics, conditions, WaitGroups,
data, branches and loops) are explored until nothing is left, and compared with what all their
interleavings come to, by the test

    go test ./analysis/reach -run '^TestOracle$' -programs=%[9]d

which fails if a behaviour is missing, if there is one that no interleaving has, or if a run
shows nothing new. *Classes* are those of interleavings that differ only in the order of
operations on different objects, or of reads: Mazurkiewicz's traces, of each of which classical
dynamic partial-order reduction makes one run at best. They are counted where beginnings of
runs fall into no more than 500 classes. Interleavings are counted of all programs but those
with more than 6,000 states, which are left out.

%[10]s`
