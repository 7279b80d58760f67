package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// document returns what docs/measured/papers.md holds.
func document(rs []result) string {
	var b strings.Builder
	b.WriteString(`# The papers' programs

[testdata/papers/programs](../../testdata/papers/programs) has the programs that the papers measure,
written anew in Go from their descriptions. So they are not the same programs, and
their numbers not the same numbers, but bugs of the same kinds are in them, at the
same numbers of goroutines. Written by

    go run ./internal/measure/papers -o docs/measured/papers.md

A candidate is a set of places of the source, where what x++ reads and what it
writes are two; what is left after the graph, and what is confirmed, is counted by
lines, as in PECAN's table. Numbers are of races + atomicity violations + violations
of atomic sets, or of races + atomicity violations. PECAN is Huang and Zhang (ISSTA
2011), UCG Kahlon and Wang (CAV 2010), whose numbers after lock sets and after
must-happen-before are each of that tier alone, and NFM'11 Said and others.

PECAN's numbers of OpenJMS and Jigsaw are of all of these servers; ours have the bugs
of Figures 6 and 7. The larger programs have about as many events as there.

After the graph is what is not proven infeasible, in runs that depart from the recorded
one too. Ours are without those in which all accesses to a variable are updates, such
as x++, of which any order has the same outcome.

Exceptions are confirmed bugs with an effect: a panic, a failing test, a deadlock.
Failed are schedules that the re-run left. Search is the time for all candidates
of the trace, schedule that for one that is left: causality graphs, schedules,
judge, and its part of what is done once for the trace. Solving is what it takes to
decide all candidates that have no such schedule. Ours are of processor time.

Races are looked for in one run of the command, and the rest in another: in one for
all, an anomaly two accesses of which race is told as the race alone.

| program | by | goroutines | shared locations | events | candidates | after lock sets | after must-happen-before | after the graph | confirmed | exceptions | failed | search | schedule | solving |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`)
	for _, r := range rs {
		fmt.Fprintf(&b, "| %s | gopredict | %d | %d | %d | %s | %s | %s | %s | %s | %d | %d | %s | %s | %s |\n", r.name,
			r.goroutines, r.locations, r.events, r.candidates, r.unlocked, r.unordered, r.open,
			r.confirmed, r.exceptions, r.failed, millis(r.search), millis(r.schedule), millis(r.solving))
		for _, p := range papers[r.name] {
			b.WriteString("| |")
			for _, column := range []string{p.by, p.goroutines, p.locations, p.events, p.candidates, p.unlocked, p.unordered, p.open,
				p.confirmed, p.exceptions, p.failed, p.search, p.schedule, ""} {
				b.WriteString(" " + column + " |")
			}
			b.WriteString("\n")
		}
	}
	beforeAndAfter(&b, rs)
	schedulers(&b, rs)
	again(&b, rs)
	byHand(&b, rs)
	return b.String()
}

// String returns the numbers as the papers' rows have them.
func (c count) String() string { return fmt.Sprintf("%d + %d + %d", c[0], c[1], c[2]) }

func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms >= 10 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2g ms", ms)
}

// beforeAndAfter writes what the graph adds to lock sets and must-happen-before.
func beforeAndAfter(b *strings.Builder, rs []result) {
	b.WriteString(`
## Warnings before and after the causality graph

As in Table 1 of Kahlon and Wang, these are pairs of events that may race: all that
conflict, what lock sets and acquisition histories alone leave of them, what
must-happen-before alone leaves, both together (which their table does not have), and
the graph.

| program | by | all | lock sets | must-happen-before | both | graph |
|---|---|--:|--:|--:|--:|--:|
`)
	races := func(counts string) string {
		n, _, _ := strings.Cut(counts, " + ")
		return n
	}
	for _, r := range rs {
		for _, p := range papers[r.name] {
			if p.by == ucg {
				w := r.warnings
				fmt.Fprintf(b, "| %s | gopredict | %d | %d | %d | %d | %d |\n", r.name, w.all, w.locks, w.order, w.both, w.graph)
				fmt.Fprintf(b, "| | UCG | %s | %s | %s | | %s |\n", races(p.candidates), races(p.unlocked), races(p.unordered), races(p.open))
			}
		}
	}
}

// schedulers writes who has found the schedules of what was confirmed.
func schedulers(b *strings.Builder, rs []result) {
	sum := make(map[string]int)
	for _, r := range rs {
		for tier, n := range r.tiers {
			sum[tier] += n
		}
	}
	b.WriteString(`
## Who has found the schedules of what is confirmed

[analysis.md](../analysis.md#the-schedulers) says what each is for.

| tier | bugs |
|---|--:|
`)
	for _, tier := range slices.Sorted(maps.Keys(sum)) {
		fmt.Fprintf(b, "| %s | %d |\n", tier, sum[tier])
	}
}

// again writes how many replays of what is confirmed show it.
func again(b *strings.Builder, rs []result) {
	b.WriteString(`
## How often a replay shows what is confirmed

As in PECAN's Table 2, of the programs that AssetFuzzer was tried on too, which looks
for real anomalies at random. Ours is of the replays of what the command calls
confirmed, which is what no replay under its schedule has missed; [replay.md](replay.md)
has a hundred replays of each of the subjects' bugs, under load.

| program | AssetFuzzer | PECAN | gopredict | replays |
|---|--:|--:|--:|--:|
`)
	for _, row := range ratios {
		for _, r := range rs {
			if r.name == row.program {
				fmt.Fprintf(b, "| %s | %s | 1.00 | %s | %d |\n", row.program, row.assetFuzzer, share(r.reproduced, r.replays), r.replays)
			}
		}
	}
}

// byHand writes what was counted by hand, and what of that was missed.
func byHand(b *strings.Builder, rs []result) {
	b.WriteString(`
## Of the real bugs, those that one recorded run confirms

What is real was counted by hand: ` + "`bugs.txt`" + ` beside each program has it line by
line, and what a tool may take for a bug that is none. PECAN's share is of what it
predicted.

| program | real by hand | confirmed | share | PECAN | false ones confirmed |
|---|--:|--:|--:|--:|--:|
`)
	real, found, wrong := 0, 0, 0
	for _, r := range rs {
		all, hit := r.count()
		fmt.Fprintf(b, "| %s | %d | %d | %s | %s | %d |\n", r.name, all, hit, share(hit, all), pecanShares[r.name], len(r.unknown))
		real, found, wrong = real+all, found+hit, wrong+len(r.unknown)
	}
	fmt.Fprintf(b, "| all | %d | %d | %s | | %d |\n", real, found, share(found, real), wrong)
	b.WriteString("\n## What the misses need\n\n| program | missed | why |\n|---|---|---|\n")
	for _, r := range rs {
		var whys []string
		by := make(map[string][]string)
		for _, m := range r.missed() {
			why := r.why(m)
			if by[why] == nil {
				whys = append(whys, why)
			}
			by[why] = append(by[why], m.String())
		}
		for _, why := range whys {
			fmt.Fprintf(b, "| %s | %s | %s |\n", r.name, strings.Join(by[why], ", "), why)
		}
	}
}

// pecanShares are created of predicted anomalies in PECAN's Table 1.
var pecanShares = map[string]string{
	"account": "1.00", "buggyprogram": "1.00", "critical": "0.93", "loader": "0.83", "manager": "0.93", "mergesort": "0.44",
	"shop": "1.00", "stringbuffer": "1.00", "collections/TestArrayList": "1.00", "collections/TestLinkedList": "0.93",
	"collections/TestHashSet": "0.91", "collections/TestTreeSet": "1.00", "hedc": "0.43", "weblech": "0.40", "cache4j": "0.71",
	"moldyn": "0.25", "raytracer": "1.00", "montecarlo": "1.00", "specjbb": "0.72", "openjms": "0.34", "jigsaw": "0.36",
}

func share(n, of int) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(n)/float64(of))
}

// real returns the real bugs, one for several of the same lines.
func (p *program) real() (bs []known) {
	for _, b := range p.bugs {
		if b.real && !slices.ContainsFunc(bs, func(o known) bool { return o.String() == b.String() }) {
			bs = append(bs, b)
		}
	}
	return bs
}

// count returns how many bugs are real, and how many of these were confirmed.
func (r *result) count() (all, hit int) {
	return len(r.real()), len(r.real()) - len(r.missed())
}

// missed returns the real bugs that were not confirmed.
func (r *result) missed() []known {
	return slices.DeleteFunc(r.real(), func(b known) bool { return r.found[b.String()] })
}

// why says what a missed bug needs: what was known by hand, or what the
// command says.
func (r *result) why(m known) string {
	if m.note != "" {
		return m.note
	}
	if reason, ok := r.reasons[m.String()]; ok {
		return reason
	}
	return "the command does not look for it, or the recorded run has no such events"
}
