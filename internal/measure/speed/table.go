package main

import (
	"fmt"
	"io"
	"math"
)

// A column is a number of each row.
type column struct {
	head   string
	format string
	mean   bool // a ratio, whose geometric mean says something
	value  func(r [ways]cost) float64
}

var runColumns = []column{
	{"plain s", "%.3f", false, func(r [ways]cost) float64 { return r[plain].seconds }},
	{"-race ×", "%.1f", true, func(r [ways]cost) float64 { return r[race].seconds / r[plain].seconds }},
	{"recording ×", "%.1f", true, func(r [ways]cost) float64 { return r[recorded].seconds / r[plain].seconds }},
	{"recording / -race", "%.2f", true, func(r [ways]cost) float64 { return r[recorded].seconds / r[race].seconds }},
	{"plain MiB", "%.0f", false, func(r [ways]cost) float64 { return r[plain].memory }},
	{"-race ×", "%.1f", true, func(r [ways]cost) float64 { return r[race].memory / r[plain].memory }},
	{"recording ×", "%.1f", true, func(r [ways]cost) float64 { return r[recorded].memory / r[plain].memory }},
	{"recording / -race", "%.2f", true, func(r [ways]cost) float64 { return r[recorded].memory / r[race].memory }},
	{"trace MiB", "%.1f", false, func(r [ways]cost) float64 { return r[recorded].trace }},
}

var buildColumns = []column{
	{"plain s", "%.1f", false, func(r [ways]cost) float64 { return r[plain].seconds }},
	{"-race s", "%.1f", false, func(r [ways]cost) float64 { return r[race].seconds }},
	{"recording s", "%.1f", false, func(r [ways]cost) float64 { return r[recorded].seconds }},
	{"recording / -race", "%.2f", true, func(r [ways]cost) float64 { return r[recorded].seconds / r[race].seconds }},
}

// printTable writes a table in markdown, with the geometric means of ratios as
// the last row. A star marks a trace that does not hold the whole run.
func printTable(w io.Writer, title string, columns []column, rows []row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "| %s |", title)
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c.head)
	}
	fmt.Fprint(w, "\n|---|")
	for range columns {
		fmt.Fprint(w, "--:|")
	}
	fmt.Fprintln(w)
	for _, r := range rows {
		if r.costs[recorded].cut {
			r.name += " \\*"
		}
		fmt.Fprintf(w, "| %s |", r.name)
		for _, c := range columns {
			fmt.Fprintf(w, " "+c.format+" |", c.value(r.costs))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| geometric mean |")
	for _, c := range columns {
		if !c.mean {
			fmt.Fprint(w, " |")
			continue
		}
		fmt.Fprintf(w, " "+c.format+" |", geometricMean(rows, c))
	}
	fmt.Fprint(w, "\n\n")
}

func geometricMean(rows []row, c column) float64 {
	var sum float64
	for _, r := range rows {
		sum += math.Log(c.value(r.costs))
	}
	return math.Exp(sum / float64(len(rows)))
}
