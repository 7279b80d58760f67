package anomaly

import (
	"embed"
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// A Pattern is an access anomaly in PECAN's language (§3): events, each by a
// goroutine, on a variable, in an atomic region, that happen in this order.
// Different names stand for different goroutines, variables and regions.
//
// Example: the atomicity violation of PECAN's Figure 2 is r-w-r. T is t1 t2 t1, SV is s1 s1 s1, AR is
// u1 u2 u1. Its events have the goroutines 0 1 0, the variables 0 0 0 and the regions 0 1 0.
type Pattern struct {
	Name   string
	Events []PatternEvent
}

// A PatternEvent is one event of a pattern. Goroutine, Variable and Region
// number the names of T, SV and AR from 0 in the order of their mention. All events of a region have
// the same goroutine; ParsePatterns checks this.
type PatternEvent struct {
	Name                        string
	Goroutine, Variable, Region int
	Write                       bool
}

// Kind is the kind of bug that the pattern describes: a race, an atomicity
// violation, or with several variables one of an atomic set. Two events are always a race:
// ParsePatterns refuses those without a conflict.
func (p *Pattern) Kind() bug.Kind {
	switch {
	case len(p.Events) == 2:
		return bug.Race
	case p.count(func(e PatternEvent) int { return e.Variable }) == 1:
		return bug.Atomicity
	}
	return bug.AtomicSet
}

// count returns the number of different goroutines, variables or regions, as number selects. Numbers
// have no gaps, so the greatest one tells how many there are.
func (p *Pattern) count(number func(PatternEvent) int) int {
	n := 0
	for _, e := range p.Events {
		n = max(n, number(e)+1)
	}
	return n
}

// String returns the pattern in the notation of [ParsePatterns]. Names of goroutines, variables and
// regions are made up: a pattern only has their numbers.
func (p *Pattern) String() string {
	var rows [numRows]strings.Builder
	for _, e := range p.Events {
		at := "r"
		if e.Write {
			at = "w"
		}
		for k, word := range [numRows]string{
			e.Name, fmt.Sprint("t", e.Goroutine+1), fmt.Sprint("s", e.Variable+1), fmt.Sprint("u", e.Region+1), at,
		} {
			rows[k].WriteString(" " + word)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "pattern %s\n", p.Name)
	for k := range rows {
		fmt.Fprintf(&text, "%s%s\n", rowNames[k], rows[k].String())
	}
	return text.String()
}

//go:embed patterns/*.txt
var files embed.FS

// Builtin returns the patterns that are always looked for, as the files in
// folder patterns have them: races, the unserializable triples, and the
// patterns of atomic sets.
func Builtin() []Pattern {
	var all []Pattern
	for _, name := range []bug.Kind{bug.Race, bug.Atomicity, bug.AtomicSet} {
		text, err := files.ReadFile("patterns/" + string(name) + ".txt")
		if err != nil {
			panic(err) // it is in this package
		}
		ps, err := ParsePatterns(string(name)+".txt", string(text))
		if err != nil {
			panic(err)
		}
		all = append(all, ps...)
	}
	return all
}
