package witness

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/analysis/minimize"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A ScheduleInfo tells FromSchedule what a schedule does not say.
type ScheduleInfo struct {
	Kind    bug.Kind
	Package string // import path of the package under test
	// Tests are those that the violation is part of; nil: those of its goroutines.
	Tests []string
	// Pattern names the pattern that the violation matches. Variables and Regions have, for each
	// access, the numbers from 0 of its variable and atomic region. All are empty for races.
	Pattern            string
	Variables, Regions []int
	Files              Files
	// Source has the source files, to identify call sites and to name their operands. It may be nil.
	Source    *Sources
	Selection StepSelection
	Index     *Index // of the trace; nil: FromSchedule makes it
}

// A StepSelection says which steps of a schedule a witness keeps.
type StepSelection int

const (
	// NeededSteps leaves out steps whose order the violation does not need, and switches between
	// goroutines as seldom as possible.
	NeededSteps StepSelection = iota
	// InvolvedSteps is NeededSteps with only the steps of the goroutines of the violation and of those
	// that started them. A replay must show whether these suffice.
	InvolvedSteps
	// VisibleSteps keeps all steps that other goroutines can see, in their order.
	VisibleSteps
	// StartSteps keeps only the starts of the goroutines of the violation, and the violating accesses
	// that are steps. A replay must show whether the test reaches the violation by itself.
	StartSteps
)

// minimizers returns those that a schedule goes through.
func (s StepSelection) minimizers() []minimize.Minimizer {
	if s == VisibleSteps {
		return []minimize.Minimizer{minimize.OnlyVisible, minimize.OnlySteps}
	}
	all := []minimize.Minimizer{minimize.WithoutUnread, minimize.OnlyVisible, minimize.FewestSwitches, minimize.OnlySteps}
	if s != StartSteps {
		all = append(all, minimize.WithoutOrdered)
	}
	return all
}

// FromSchedule returns the witness of a schedule with the steps that the info selects. The schedule is
// given as positions in t.Events: the fields of schedule.Schedule, with all accesses of a pattern in
// the violation. FromSchedule fails if a position is out of range, the violation is empty, or an event
// of it is outside of every test.
func FromSchedule(t *trace.Trace, steps, violation, hold []int, info ScheduleInfo) (*Witness, error) {
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
	w := &Witness{Kind: info.Kind, Pattern: info.Pattern, Package: info.Package, Tests: slices.Clone(info.Tests), GoVersion: t.Meta.Go}
	if len(w.Tests) == 0 {
		w.Tests = testsOf(t, violation)
	}
	if len(w.Tests) == 0 {
		return nil, fmt.Errorf("the violation at event %d is in goroutine %s, outside of every test", violation[0], t.Goroutines[t.Events[violation[0]].G].Name())
	}

	index := info.Index
	if index == nil {
		index = NewIndex(t)
	}
	performed, pending := w.splitViolation(steps, violation)
	s := minimize.Schedule{Trace: t, Steps: steps, Performed: performed, Pending: pending}
	controlled := controlledGoroutines(t, w.Tests, violation)
	if info.Selection == InvolvedSteps || info.Selection == StartSteps {
		controlled = minimize.Involved(s, controlled)
	}
	isControlled := func(i int) bool { return controlled[t.Events[i].G] && i >= index.begins[t.Events[i].G] }
	skipped := skipped(t, steps, violation)
	s.Steps = filter(steps, isControlled)
	if info.Selection == StartSteps {
		s.Steps = minimize.Apply(s, minimize.OnlyStarts(controlled))
	}
	pooled, items := poolEvents(t, index.pools, s.Steps, violation)
	steps = minimize.Apply(s, info.Selection.minimizers()...)
	hold = filter(holdable(t, hold), isControlled)

	m := newMaker(t, index, info.Files, info.Source, skipped, steps, hold, violation, pooled)
	w.Steps, w.Holds, w.Violation, w.PoolSteps = m.stepsAt(steps), m.stepsAt(hold), m.stepsAt(violation), m.stepsAt(pooled)
	for k, item := range items {
		w.PoolSteps[k].PoolItem = item
	}
	for k := range min(len(w.Violation), len(info.Variables), len(info.Regions)) {
		w.Violation[k].Variable, w.Violation[k].Region = info.Variables[k]+1, info.Regions[k]+1
	}
	w.Anchors = m.anchors()
	stripRuns(w)
	w.ID = index.ID(t, info.Kind, violation, info.Source)
	return w, nil
}

// splitViolation returns the events of a violation that are among the steps, and those that goroutines
// are about to execute after the steps.
func (w *Witness) splitViolation(steps, violation []int) (performed, pending []int) {
	last := len(violation) - 1
	switch {
	case w.InOrder():
		return violation[:last], violation[last:]
	case w.EndsBlocked():
		// Other goroutines may need the begin of an operation in which a goroutine waits.
		isStep := func(i int) bool { return slices.Contains(steps, i) }
		return filter(violation, isStep), filter(violation, func(i int) bool { return !isStep(i) })
	}
	return nil, violation
}

// skipped returns the events that a schedule leaves out though later ones of their goroutine happen:
// those within the scopes of branches that have another outcome in the schedule.
func skipped(t *trace.Trace, schedule ...[]int) map[int]bool {
	end := make(map[int]int) // by branch: position of the next event of its goroutine
	last := make([]int, len(t.Goroutines))
	for g := range last {
		last[g] = -1
	}
	for _, positions := range schedule {
		for _, i := range positions {
			e := &t.Events[i]
			if k := last[e.G]; k >= 0 && k < i && t.Events[k].Kind == trace.Branch && t.Sites[t.Events[k].Site].Scope.LastLine != 0 {
				end[k] = i
			}
			last[e.G] = i
		}
	}
	out := make(map[int]bool)
	for branch, end := range end {
		for i := branch + 1; i < end; i++ {
			if t.Events[i].G == t.Events[branch].G {
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

// controlledGoroutines reports for each goroutine whether the witness controls it: those of the tests
// and those of the violation.
func controlledGoroutines(t *trace.Trace, tests []string, violation []int) []bool {
	controlled := make([]bool, len(t.Goroutines))
	for _, g := range t.Goroutines {
		controlled[g.ID] = g.Test != "" && slices.Contains(tests, g.Test)
	}
	for _, i := range violation {
		controlled[t.Events[i].G] = true
	}
	return controlled
}

func filter(positions []int, ok func(int) bool) []int {
	var out []int // not preallocated, as few positions are kept of many
	for _, i := range positions {
		if ok(i) {
			out = append(out, i)
		}
	}
	return out
}

// holdable maps each position to the next one of the same goroutine at which a replay can hold it.
// It drops those that have none.
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

// testBegins returns by goroutine, if it is a test's own one, the position of its first TestBegin:
// its name and its counts are valid from there. For other goroutines it returns 0.
func testBegins(t *trace.Trace) []int {
	out := make([]int, len(t.Goroutines))
	for i := len(t.Events) - 1; i >= 0; i-- {
		if e := &t.Events[i]; e.Kind == trace.TestBegin && int(e.G) < len(out) && t.Goroutines[e.G].Path == "0" {
			out[e.G] = i
		}
	}
	return out
}

// stripRuns removes the number of the run ("#2" under -count=2) from the names of tests if the
// witness has only one run of each test, so that a plain run of the test is enough.
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
