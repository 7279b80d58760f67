package witness

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/analysis/minimize"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Meta is what FromSchedule cannot see in the schedule.
type ScheduleInfo struct {
	Kind    bug.Kind
	Package string // import path of the package under test
	// Tests are those that the violation is part of; nil: those of its goroutines.
	Tests []string
	// Pattern names the pattern that the violation matches, and Variables and
	// Regions number, from 0, those of each access; empty for races.
	Pattern            string
	Variables, Regions []int
	Files              Files
	// Source has the files that the sites name. It serves to tell call sites
	// apart and to name their operands; it may be nil.
	Source    *Sources
	Selection StepSelection
	Index     *Index // of the trace; nil: it is made
}

// An Extent says which steps of a schedule a witness keeps.
type StepSelection int

const (
	// Small leaves out those whose order the violation does not need, and lets
	// the goroutines take turns as seldom as can be. Of a long way it leaves out what
	// comes in its order by the other steps.
	NeededSteps StepSelection = iota
	// Few is Small with steps only of the goroutines of the violation and of those
	// that have started them. Whether that leads there is for a replay to say.
	InvolvedSteps
	// Whole keeps all in which goroutines can see each other, in their order.
	VisibleSteps
	// Bare keeps only how the goroutines of the violation were started, and of the
	// violation what is among the steps. Whether the test comes there by itself is for a
	// replay to say.
	StartSteps
)

// minimizers are those that a schedule goes through, by the extent of its witness.
var minimizers = map[StepSelection][]minimize.Minimizer{
	NeededSteps:   {minimize.WithoutUnread, minimize.OnlyVisible, minimize.FewestSwitches, minimize.OnlySteps, minimize.WithoutOrdered},
	InvolvedSteps: {minimize.WithoutUnread, minimize.OnlyVisible, minimize.FewestSwitches, minimize.OnlySteps, minimize.WithoutOrdered},
	VisibleSteps:  {minimize.OnlyVisible, minimize.OnlySteps},
	StartSteps:    {minimize.WithoutUnread, minimize.OnlyVisible, minimize.FewestSwitches, minimize.OnlySteps},
}

// FromSchedule makes a witness of a schedule, given as positions in t.Events
// (the fields of schedule.Schedule, but for accesses in order all of these as
// the violation), keeping of the steps only what a replay needs. It fails if a position is out of range, the violation is empty, or an event of it is
// outside of every test.
func FromSchedule(t *trace.Trace, steps, violation, hold []int, meta ScheduleInfo) (*Witness, error) {
	for _, list := range [][]int{steps, violation, hold} {
		for _, i := range list {
			if i < 0 || i >= len(t.Events) {
				return nil, fmt.Errorf("schedule names event %d, the trace has %d", i, len(t.Events))
			}
			if g := t.Events[i].G; int(g) >= len(t.Goroutines) {
				return nil, fmt.Errorf("event %d is of goroutine %d, the trace has %d", i, g, len(t.Goroutines))
			}
		}
	}
	if len(violation) == 0 {
		return nil, fmt.Errorf("the schedule has no violation")
	}
	w := &Witness{Kind: meta.Kind, Pattern: meta.Pattern, Package: meta.Package, Tests: slices.Clone(meta.Tests), GoVersion: t.Meta.Go}
	if len(w.Tests) == 0 {
		w.Tests = testsOf(t, violation)
	}
	if len(w.Tests) == 0 {
		return nil, fmt.Errorf("the violation at event %d is in goroutine %s, outside of every test", violation[0], t.Goroutines[t.Events[violation[0]].G].Name())
	}

	index := meta.Index
	if index == nil {
		index = NewIndex(t)
	}
	performed, pending := w.parts(steps, violation)
	s := minimize.Schedule{Trace: t, Steps: steps, Performed: performed, Pending: pending}
	in := scope(t, w.Tests, violation)
	if meta.Selection == InvolvedSteps || meta.Selection == StartSteps {
		in = minimize.Involved(s, in)
	}
	controlled := func(i int) bool { return in[t.Events[i].G] && i >= index.begins[t.Events[i].G] }
	skipped := skipped(t, steps, violation)
	s.Steps = filter(steps, controlled)
	if meta.Selection == StartSteps {
		s.Steps = minimize.Apply(s, minimize.OnlyStarts(in))
	}
	pooled, items := pooled(t, index.pools, s.Steps, violation)
	steps = minimize.Apply(s, minimizers[meta.Selection]...)
	hold = filter(holdable(t, hold), controlled)

	m := newMaker(t, index, meta.Files, meta.Source, skipped, steps, hold, violation, pooled)
	w.Steps, w.Holds, w.Violation, w.PoolSteps = m.steps(steps), m.steps(hold), m.steps(violation), m.steps(pooled)
	for k, item := range items {
		w.PoolSteps[k].PoolItem = item
	}
	for k := range min(len(w.Violation), len(meta.Variables), len(meta.Regions)) {
		w.Violation[k].Variable, w.Violation[k].Region = meta.Variables[k]+1, meta.Regions[k]+1
	}
	w.Anchors = m.anchors()
	stripRuns(w)
	w.ID = index.ID(t, meta.Kind, violation, meta.Source)
	return w, nil
}

// parts returns the events of a violation that are among the steps, and those that goroutines
// are about to execute after these.
func (w *Witness) parts(steps, violation []int) (performed, pending []int) {
	last := len(violation) - 1
	switch {
	case w.InOrder():
		return violation[:last], violation[last:]
	case w.EndsBlocked():
		// An operation in which a goroutine waits may be needed for what others do then.
		isStep := func(i int) bool { return slices.Contains(steps, i) }
		return filter(violation, isStep), filter(violation, func(i int) bool { return !isStep(i) })
	}
	return nil, violation
}

// inTurn yields the positions of one list after the other: a schedule may be as long as the trace, and is not copied.
func inTurn(lists [][]int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, list := range lists {
			for _, i := range list {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// skipped returns the events that do not happen in a schedule though later ones of their
// goroutine do: what was within the scopes of branches that come out otherwise then.
func skipped(t *trace.Trace, schedule ...[]int) map[int]bool {
	end := make(map[int]int) // by branch: what the goroutine does next
	last := make([]int, len(t.Goroutines))
	for g := range last {
		last[g] = -1
	}
	for i := range inTurn(schedule) {
		e := &t.Events[i]
		if at := last[e.G]; at >= 0 && at < i && t.Events[at].Kind == trace.Branch && t.Sites[t.Events[at].Site].Scope.LastLine != 0 {
			end[at] = i
		}
		last[e.G] = i
	}
	out := make(map[int]bool)
	for at, end := range end {
		for i := at + 1; i < end; i++ {
			if t.Events[i].G == t.Events[at].G {
				out[i] = true
			}
		}
	}
	return out
}

// testsOf returns the tests of the goroutines at positions, each once.
func testsOf(t *trace.Trace, positions []int) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, i := range positions {
		if test := t.Goroutines[t.Events[i].G].Test; !seen[test] {
			seen[test] = true
			out = append(out, test)
		}
	}
	return out
}

// scope reports for each goroutine whether it is under control: those of the tests are, and
// those of the violation.
func scope(t *trace.Trace, tests []string, violation []int) []bool {
	in := make([]bool, len(t.Goroutines))
	want := make(map[string]bool)
	for _, test := range tests {
		want[test] = true
	}
	for _, g := range t.Goroutines {
		if g.Test != "" && want[g.Test] {
			in[g.ID] = true
		}
	}
	for _, i := range violation {
		in[t.Events[i].G] = true
	}
	return in
}

func filter(positions []int, ok func(int) bool) []int {
	var out []int // mostly few of many
	for _, i := range positions {
		if ok(i) {
			out = append(out, i)
		}
	}
	return out
}

// holdable maps each position to the next one of the same goroutine at which a
// replay can hold it; those that have none are dropped.
func holdable(t *trace.Trace, positions []int) []int {
	var out []int
	for _, i := range positions {
		g := t.Events[i].G
		for ; i < len(t.Events); i++ {
			if e := t.Events[i]; e.G == g && minimize.CanStep(e.Kind) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// testBegins returns by goroutine, for each test's own one, the position of its first
// TestBegin: before that, its name and its counts do not hold. For others it is 0.
func testBegins(t *trace.Trace) []int {
	out := make([]int, len(t.Goroutines))
	for i := len(t.Events) - 1; i >= 0; i-- {
		if e := &t.Events[i]; e.Kind == trace.TestBegin && int(e.G) < len(out) && t.Goroutines[e.G].Path == "0" {
			out[e.G] = i
		}
	}
	return out
}

// stripRuns takes the number of the run ("#2" under -count=2) off the test
// names where the witness concerns one run of each test only, so that a plain
// run of the test is enough.
func stripRuns(w *Witness) {
	base := func(test string) string {
		name, n, ok := strings.Cut(test, "#")
		if _, err := strconv.Atoi(n); !ok || err != nil {
			return test
		}
		return name
	}
	runs := make(map[string]string) // base name → the run it was seen in
	lists := [][]Step{w.Steps, w.Holds, w.Violation, w.PoolSteps}
	names := make(map[string]string) // of goroutines, and without the run
	for _, list := range lists {
		for i := range list {
			name := list[i].Goroutine
			if _, seen := names[name]; seen {
				continue
			}
			names[name] = name
			test, path, ok := strings.Cut(name, ":")
			if !ok {
				continue
			}
			if run, seen := runs[base(test)]; seen && run != test {
				return
			}
			runs[base(test)], names[name] = test, base(test)+":"+path
		}
	}
	for _, list := range lists {
		for i := range list {
			list[i].Goroutine = names[list[i].Goroutine]
		}
	}
	for i, test := range w.Tests {
		w.Tests[i] = base(test)
	}
}
