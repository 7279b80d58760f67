package main

import (
	"fmt"
	"io"
	"math"
)

// A table gathers the costs of tests.
type table struct {
	names []string
	rows  [][ways]cost
}

func (t *table) add(name string, row [ways]cost) {
	t.names = append(t.names, name)
	t.rows = append(t.rows, row)
}

// A column is a number of each row.
type column struct {
	head   string
	format string
	mean   bool // a ratio, whose geometric mean says something
	value  func(r [ways]cost) float64
}

var columns = []column{
	{"plain ms", "%.0f", false, func(r [ways]cost) float64 { return 1000 * r[plain].seconds }},
	{"-race ×", "%.1f", true, func(r [ways]cost) float64 { return r[race].seconds / r[plain].seconds }},
	{"recording ×", "%.1f", true, func(r [ways]cost) float64 { return r[recorded].seconds / r[plain].seconds }},
	{"recording / -race", "%.2f", true, func(r [ways]cost) float64 { return r[recorded].seconds / r[race].seconds }},
	{"plain MiB", "%.0f", false, func(r [ways]cost) float64 { return r[plain].memory }},
	{"-race ×", "%.1f", true, func(r [ways]cost) float64 { return r[race].memory / r[plain].memory }},
	{"recording ×", "%.1f", true, func(r [ways]cost) float64 { return r[recorded].memory / r[plain].memory }},
	{"recording / -race", "%.2f", true, func(r [ways]cost) float64 { return r[recorded].memory / r[race].memory }},
	{"trace MiB", "%.1f", false, func(r [ways]cost) float64 { return r[recorded].trace }},
}

// print writes the table in markdown, with the geometric means as the last row.
func (t *table) print(w io.Writer) {
	fmt.Fprint(w, "| test |")
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c.head)
	}
	fmt.Fprint(w, "\n|---|")
	for range columns {
		fmt.Fprint(w, "--:|")
	}
	fmt.Fprintln(w)
	for i, name := range t.names {
		fmt.Fprintf(w, "| %s |", name)
		for _, c := range columns {
			fmt.Fprintf(w, " "+c.format+" |", c.value(t.rows[i]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| geometric mean |")
	for _, c := range columns {
		if !c.mean {
			fmt.Fprint(w, " |")
			continue
		}
		fmt.Fprintf(w, " "+c.format+" |", t.geometricMean(c))
	}
	fmt.Fprintln(w)
}

func (t *table) geometricMean(c column) float64 {
	var sum float64
	for _, r := range t.rows {
		sum += math.Log(c.value(r))
	}
	return math.Exp(sum / float64(len(t.rows)))
}
