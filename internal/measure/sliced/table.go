package main

import (
	"fmt"
	"strings"
	"time"
)

// A published is a row of Figures 11 and 12.
type published struct {
	lines, slowdown, shared, threads string
	pre, slicing, checking           string
	bugs                             string // none was false
}

var papers = map[string]published{
	"banking":                         {"150", "3", "10", "11", "1 s", "2 s", "5 s", "1"},
	"httpserver":                      {"170", "3", "2", "7", "0.2 s", "0.3 s", "0.3 s", "2"},
	"daisy":                           {"1.3K", "10", "312", "3", "5 s", "3 m", "30 s", "1"},
	"daisy2":                          {"1.5K", "20", "572", "3", "29 s", "5 m", "30 s", "2"},
	"raytracer":                       {"1.8K", "1000", "2K", "4", "5 m", "30 m", "10 m", "1"},
	"github.com/go-chi/chi/v5@v5.2.3": {"60K", "", "431", "10", "2 m", "1.5 h", "3 h", "0"},
}

// document returns what docs/measured/sliced.md holds.
func document(rows map[string][]row) string {
	var b strings.Builder
	b.WriteString(`# Sliced causality

Chen and Roşu (Predictive Runtime Analysis of Multithreaded Programs, 2005) keep of a trace what
the events in question depend on, where happens-before keeps the order of all accesses that
conflict. Package ` + "`analysis/sliced`" + ` does that as their paper has it, and their detector of races
is measured here beside gopredict's own. Written by

    go run ./internal/measure/sliced -o docs/measured/sliced.md

Properties are searched in runs that sliced causality allows: [properties.md](../properties.md).
On 10,000 random programs with data, locks and branches each race that a slice shows is one of a
run of the program, and each that happens-before shows is one of the slice (` + "`go test ./analysis -run\nSlicedRacesOracle -sliced 10000`" + `).

## Figures 11 and 12

[testdata/papers/sliced](../../testdata/papers/sliced) has the programs written anew in Go, which takes fewer
lines; in place of Tomcat stands the suite of a router of HTTP requests (go-chi), whose goroutines and events
are those of all its tests together. Slowdown is processor time beside a plain run. T_pre is the
time for who must come before whom, T_vc that for all slices and T_φ that for checking them, all
of processor time; the paper's are of a Pentium 4. Slices are of the variables of which two
accesses are not excluded by a lock or the must-order alone; of their relevant events, the
accesses, the slices have those and what these depend on, of all events of the trace. Bugs are
pairs of lines that race by the slices and that a replay has confirmed, of those of the slices,
and false those that gopredict has proven impossible; the paper counts bugs. Daisy's is the position
of its disk: each user first writes to blocks of its own, under mutexes of their own, and there it
races. What users do later comes after they have held the mutex of the directory, whose acquisition
is a loop, so that all of it depends on that (Figures 13 to 15: ` + "`go test ./analysis/sliced`" + `).

| program | by | lines | goroutines | shared variables | slowdown | -race | events | slices | relevant | in a slice | T_pre | T_vc | T_φ | bugs | false |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`)
	for _, s := range sources {
		p, ok := papers[s.name]
		if !ok || rows[s.name] == nil {
			continue
		}
		r := rows[s.name][0]
		fmt.Fprintf(&b, "| %s | gopredict | %d | %d | %d | %s | %s | %d | %d | %s | %s | %s | %s | %s | %d of %d | %d |\n", r.Name,
			r.Lines, r.Goroutines, r.Shared, times(r.Seconds[recorded], r.Seconds[plain]), times(r.Seconds[race], r.Seconds[plain]), r.Events,
			r.Slices, mean(r.Relevant, r.Slices), mean(r.Kept, r.Slices), millis(r.Order), millis(r.Slicing), millis(r.Checking), r.Both, r.Sliced, len(r.Refuted))
		fmt.Fprintf(&b, "| | Chen, Roşu | %s | %s | %s | %s | | | | | | %s | %s | %s | %s | 0 |\n", p.lines, p.threads, p.shared, p.slowdown, p.pre, p.slicing, p.checking, p.bugs)
	}
	b.WriteString(`
## What slicing adds

Pairs of lines that may race, of those that neither a lock nor the must-order excludes: by
happens-before, which keeps the order of all other accesses that conflict, and of critical
sections; by the slice of their variable; and by gopredict, which looks for an order in which
what decides the goroutines' ways is as recorded (control-flow-aware maximal causality, Huang,
Meredith and Roşu, 2014), by schedules and by solving. Confirmed is what replays of gopredict's
schedules have shown, then how many of these a slice shows, and what a slice shows that gopredict
does not predict. Of suites with several packages all
are added up.

| program or suite | events | pairs | happens-before | sliced | gopredict | confirmed | of these sliced | sliced alone | its time | gopredict's time |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`)
	var sum row
	for _, s := range sources {
		for _, r := range rows[s.name] {
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s |\n", r.Name, r.Events,
				r.Candidates, r.HappensBefore, r.Sliced, r.Predicted, r.Confirmed, r.Both, len(r.OnlySliced), millis(r.Slicing+r.Checking), millis(r.Predicting))
			sum.Events += r.Events
			sum.Candidates += r.Candidates
			sum.HappensBefore += r.HappensBefore
			sum.Sliced += r.Sliced
			sum.Predicted += r.Predicted
			sum.Confirmed += r.Confirmed
			sum.Both += r.Both
			sum.OnlySliced = append(sum.OnlySliced, r.OnlySliced...)
			sum.Slicing += r.Slicing + r.Checking
			sum.Predicting += r.Predicting
		}
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s |\n", sum.Events,
		sum.Candidates, sum.HappensBefore, sum.Sliced, sum.Predicted, sum.Confirmed, sum.Both, len(sum.OnlySliced), millis(sum.Slicing), millis(sum.Predicting))
	var left []string
	for _, s := range sources {
		if rows[s.name] == nil {
			left = append(left, s.name)
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "\nNot measured yet: %s.\n", strings.Join(left, ", "))
	}
	return b.String()
}

func times(a, b float64) string {
	if b == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", a/b)
}

func mean(n, of int) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", float64(n)/float64(of))
}

func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms >= 10 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2g ms", ms)
}
