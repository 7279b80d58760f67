package main

import (
	"fmt"
	"strings"
	"time"
)

// table returns what docs/measured/growth.md holds.
func table(cs []cost) string {
	var b strings.Builder
	b.WriteString(`# What the search and schedules cost

Measured on generated traces with the shape of that of Derby in PECAN's Table 1:
4 goroutines, 99 shared locations, 24 locks, up to three of them nested. Processor
time, on a virtual machine of two cores with nothing beside it; a process for each
size. Memory is that of the process at its greatest: the trace (32 bytes an event),
order, candidates, graphs, planner and judge. Written by

    go run ./internal/measure/growth -o docs/measured/growth.md

## At Derby's size

| | PECAN | here |
|---|--:|--:|
`)
	for _, c := range cs {
		if c.Events < derby || c.Events > derby+100 {
			continue
		}
		fmt.Fprintf(&b, "| events | 447,392 | %s |\n", thousands(c.Events))
		fmt.Fprintf(&b, "| search for all patterns, the order of events included | 6.184 s | %s |\n", text(c.search()))
		fmt.Fprintf(&b, "| a schedule, with its causality graph: mean of %d | 1.453 s | %s |\n", c.Races+c.Patterns, text(c.Mean))
		fmt.Fprintf(&b, "| … the slowest of these | | %s |\n", text(c.Worst))
		fmt.Fprintf(&b, "| … at the end of the trace, with all that happened | | %s |\n", text(c.All))
		fmt.Fprintf(&b, "| … and with what it needs, %s steps | | %s |\n", thousands(c.Steps), text(c.Few))
		fmt.Fprintf(&b, "| memory of the process, the trace included | | %d MB |\n", c.Memory>>20)
	}
	b.WriteString(`
A schedule that keeps what happened begins at a causality barrier, and is short.
One with only what it needs lists all of its steps. PECAN's machine had eight
cores of 3 GHz.

## Growth

![seconds over events](growth.svg)

| events | order | races | other patterns | together | ns an event | a schedule, mean | memory | bytes an event |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`)
	for _, c := range cs {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d | %s | %d MB | %d |\n", thousands(c.Events), text(c.Order), text(c.Race), text(c.Pattern),
			text(c.search()), c.search().Nanoseconds()/int64(c.Events), text(c.Mean), c.Memory>>20, c.Memory/int64(c.Events))
	}
	return b.String()
}

func text(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}

// thousands writes n with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
