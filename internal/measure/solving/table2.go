package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// An atomicity is a row of Table 2 of Wang et al., FAC 2011, and a test of
// testdata/papers/fusion: what the paper counts, and whether some and all of the triples
// that the must-order leaves are violations.
type atomicity struct {
	program
	regions, pavs, ordered, avs, control int
	some, all                            bool
}

var table2 = []atomicity{
	{program{name: "atom001", pkg: "atom", test: "TestAtom001", threads: 3, events: 88, seconds: 0.03}, 1, 8, 2, 1, 1, true, false},
	{program{name: "atom001a", pkg: "atom", test: "TestAtom001a", threads: 3, events: 100, seconds: 0.03}, 1, 8, 2, 0, 1, false, false},
	{program{name: "atom002", pkg: "atom", test: "TestAtom002", threads: 3, events: 462, seconds: 20.4}, 1, 212, 34, 33, 33, true, false},
	{program{name: "atom002a", pkg: "atom", test: "TestAtom002a", threads: 3, events: 462, seconds: 17.6}, 1, 212, 34, 0, 33, false, false},
	{program{name: "bank-av-2", pkg: "transfer", test: "TestAV2", threads: 3, events: 748, seconds: 0.1}, 2, 24, 8, 8, 8, true, true},
	{program{name: "bank-av-4", pkg: "transfer", test: "TestAV4", threads: 5, events: 1213, seconds: 0.6}, 4, 48, 16, 16, 16, true, true},
	{program{name: "bank-av-6", pkg: "transfer", test: "TestAV6", threads: 7, events: 1672, seconds: 2.3}, 6, 72, 24, 24, 24, true, true},
	{program{name: "bank-av-8", pkg: "transfer", test: "TestAV8", threads: 9, events: 2134, seconds: 2.5}, 8, 96, 32, 32, 32, true, true},
	{program{name: "bank-sav-2", pkg: "transfer", test: "TestSAV2", threads: 3, events: 852, seconds: 0.2}, 2, 24, 8, 4, 8, true, false},
	{program{name: "bank-sav-4", pkg: "transfer", test: "TestSAV4", threads: 5, events: 1410, seconds: 0.9}, 4, 48, 16, 8, 16, true, false},
	{program{name: "bank-sav-6", pkg: "transfer", test: "TestSAV6", threads: 7, events: 1960, seconds: 3.8}, 6, 72, 24, 12, 24, true, false},
	{program{name: "bank-sav-8", pkg: "transfer", test: "TestSAV8", threads: 9, events: 2517, seconds: 4.6}, 8, 96, 32, 16, 32, true, false},
	{program{name: "bank-nav-2", pkg: "transfer", test: "TestNAV2", threads: 3, events: 856, seconds: 0.2}, 2, 24, 8, 0, 8, false, false},
	{program{name: "bank-nav-4", pkg: "transfer", test: "TestNAV4", threads: 5, events: 1414, seconds: 0.2}, 4, 48, 16, 0, 16, false, false},
	{program{name: "bank-nav-6", pkg: "transfer", test: "TestNAV6", threads: 7, events: 1972, seconds: 3.7}, 6, 72, 24, 0, 24, false, false},
	{program{name: "bank-nav-8", pkg: "transfer", test: "TestNAV8", threads: 9, events: 2362, seconds: 140.6}, 8, 96, 32, 0, 32, false, false},
}

const table2Heading = `
## Atomicity violations of Fusion

Table 2 of the same paper, likewise. Triples are accesses to one variable of which the
first and the last are in one region, which is marked as atomic, and the one between
is another goroutine's, so that no order of whole regions has the same effect. Those
that the must-order leaves are decided, each over its cone, by the built-in engine:
violations are those to which a run leads. "Control" are those that are left where
reads may find anything (the relaxed model, §7.2); it knows conditions, which the
paper's column w/o Data does not.

| program | goroutines | events | regions | triples | unordered | violations | seconds | control | paper: threads | events | regions | pavs | hb-pavs | sym-avs | seconds | w/o Data |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`

// measureTable2 adds a table of atomicity violations, and reports whether all answers
// are as expected.
func measureTable2(ctx context.Context, w io.Writer, match *regexp.Regexp) (good bool, err error) {
	fmt.Fprint(w, table2Heading)
	programs, err := newPrograms()
	if err != nil {
		return false, err
	}
	defer programs.remove()
	good = true
	for _, a := range table2 {
		if !match.MatchString(a.name) {
			continue
		}
		t, err := programs.record(ctx, a.program)
		if err != nil {
			return false, fmt.Errorf("%s: %w", a.name, err)
		}
		start := script.Processor()
		o, err := order.New(t)
		if err != nil {
			return false, err
		}
		regions, triples := triplesOf(t)
		var unordered []symbolic.Target
		for _, x := range triples {
			if !o.Before(x[1], x[0]) && !o.Before(x[2], x[1]) {
				unordered = append(unordered, symbolic.Sequence(x[:]...))
			}
		}
		avs, unknown, err := possible(ctx, symbolic.NewConcurrent(t, o, dataflow.New(t)), unordered)
		if err != nil {
			return false, err
		}
		took := script.Processor() - start
		control, _, err := possible(ctx, symbolic.NewRelaxed(t, o), unordered)
		if err != nil {
			return false, err
		}
		if avs > 0 && !a.some || avs == 0 && unknown == 0 && a.some || a.all && avs < len(unordered) {
			fmt.Fprintf(os.Stderr, "solving: %s: %d of %d triples are violations, %d are undecided\n", a.name, avs, len(unordered), unknown)
			good = false
		}
		violations := fmt.Sprint(avs)
		if unknown > 0 {
			violations += fmt.Sprintf(", %d undecided", unknown)
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %s | %.3f | %d | %d | %d | %d | %d | %d | %d | %.2f | %d |\n", a.name,
			len(t.Goroutines)-1, len(t.Events), regions, len(triples), len(unordered), violations, took.Seconds(), control,
			a.threads, a.events, a.regions, a.pavs, a.ordered, a.avs, a.seconds, a.control)
	}
	return good, nil
}

// possible counts the targets to which a run leads, and those that are undecided.
func possible(ctx context.Context, m *symbolic.Model, targets []symbolic.Target) (sat, unknown int, err error) {
	d := m.NewDecider(0, targets, func(f *solver.Formula) (solver.Engine, error) { return solver.NewBuiltin(f), nil })
	defer d.Close()
	for k := range targets {
		a, err := d.Decide(ctx, k, &solver.Budget{Steps: 5 * solver.Second, Memory: 1 << 30})
		if err != nil {
			return 0, 0, err
		}
		switch a.Answer {
		case solver.Sat:
			sat++
		case solver.Unknown:
			unknown++
		}
	}
	return sat, unknown, nil
}

// triplesOf counts the marked regions of t, and returns the triples of accesses to
// one variable that are unserializable: the first and the last in a region, the other
// one of another goroutine.
func triplesOf(t *trace.Trace) (regions int, triples [][3]int) {
	inside := make(map[trace.GID]int) // its region
	members := make(map[int][]int)
	accesses := make(map[uint64][]int)
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Kind == trace.RegionBegin:
			regions++
			inside[e.G] = regions
		case e.Kind == trace.RegionEnd:
			inside[e.G] = 0
		case e.Kind.IsAccess():
			accesses[e.Obj] = append(accesses[e.Obj], i)
			if r := inside[e.G]; r > 0 {
				members[r] = append(members[r], i)
			}
		}
	}
	for r := range regions {
		own := members[r+1]
		for k, first := range own {
			for _, last := range own[k+1:] {
				for _, other := range accesses[t.Events[first].Obj] {
					if t.Events[last].Obj == t.Events[first].Obj && t.Events[other].G != t.Events[first].G && unserializable(t, first, other, last) {
						triples = append(triples, [3]int{first, other, last})
					}
				}
			}
		}
	}
	return regions, triples
}

// unserializable reports whether three accesses to one variable, the second one
// another goroutine's, have an effect that they have in no order in which the second
// one is not between the others.
func unserializable(t *trace.Trace, first, other, last int) bool {
	w := func(i int) bool { return t.Events[i].Kind.IsWrite() }
	return w(other) != (w(first) && w(last))
}
