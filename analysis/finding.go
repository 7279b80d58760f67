package analysis

import (
	"fmt"
	"iter"
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Finding is a predicted bug: a set of source sites, and events of the trace
// that show it. It has no name: package witness names bugs by their sources.
type Finding struct {
	Kind bug.Kind
	// Name is the kind and the places of the accesses in words: the same for the
	// same bug in all traces of a program.
	Name string
	// Pattern is the one that Accesses match; nil for those that meet.
	Pattern *anomaly.Pattern
	// Accesses are positions of events: of those that meet the earlier one first, else
	// in the order of the pattern.
	Accesses []int
	Sites    []trace.SiteID
	// Tests are the top-level tests that the accesses are part of: one, or none
	// outside of tests, or several. Note says so in the last two cases. If
	// goroutines work for another test than their own, that test is the first.
	Tests     []string
	Note      string
	Status    bug.Status // Predicted, Undecided or Infeasible
	Reason    string     // why it is not predicted
	Tier      string     // which tier decided, of predicted ones that of the first schedule; "" for undecided
	Schedules []Recipe   // to replay in turn; each ends at accesses of the same sites. See Recipes for more
	// Departures are runs to where the program departs from the recorded run. Without them the
	// finding would be infeasible: it may be a bug in one of them. Findings of the same tests
	// share them.
	Departures []*Departure
	// Refuted is set for an undecided finding that no order of the recorded events leads to. It is
	// a bug only if one of the Departures, or another recording, shows it.
	Refuted bool
	// Departs says that a run of the tests may depart from the recorded one.
	Departs bool
	// LookedAtChance names what of chance the tests have looked at: see [bug.Evidence].
	LookedAtChance []string

	detector int             // index in detect.All
	second   *secondSchedule // nil: there is nothing beyond Schedules
}

// Evidence returns what the analysis knows of the bug.
func (f *Finding) Evidence() bug.Evidence {
	return bug.Evidence{
		Scheduled: f.Status == bug.Predicted, Refuted: f.Refuted || f.Status == bug.Infeasible,
		Departs: f.Departs, LookedAtChance: f.LookedAtChance,
	}
}

// A Recipe makes a schedule for a finding. Pattern is the one that it shows; nil
// for races.
type Recipe struct {
	schedule.Recipe
	Pattern *anomaly.Pattern
}

// Tier is the one that has found the schedule.
func (r Recipe) Tier() string { return string(r.Scheduler()) }

// A Result is what was predicted from one trace. The numbers count sets of
// source sites, one for each possible finding.
type Result struct {
	Findings   []Finding // races, then other kinds, each in the order of their events in the trace
	Candidates int       // findings and pruned candidates
	detect.Counts
}

// Pruned is the number of candidates that are no findings.
func (r *Result) Pruned() int { return r.Locked + r.Ordered + r.PartOfRace + r.Intended }

// Recipes yields the schedules to replay in turn: Schedules, and a second schedule, which it makes when
// that is asked for. It is safe for concurrent use by findings of one trace.
func (f *Finding) Recipes() iter.Seq[Recipe] {
	return func(yield func(Recipe) bool) {
		for _, r := range f.Schedules {
			if !yield(r) {
				return
			}
		}
		if f.second == nil || len(f.Schedules) == 0 {
			return
		}
		if r, ok := f.second.find(); ok {
			yield(r)
		}
	}
}

// overBudget sets the reason of f, which has neither a schedule nor a proof that it is infeasible.
func (f *Finding) overBudget(why string) {
	reason := fmt.Sprintf("undecided within budget (%s)", why)
	if f.Reason != "" {
		reason += ": " + f.Reason
	}
	f.Reason = reason
}

// rank orders findings of one bug: a predicted one is worth most, an infeasible one least.
func (f *Finding) rank() int {
	switch {
	case f.Status == bug.Predicted:
		return 3
	case f.Status == bug.Infeasible:
		return 0
	case f.Refuted:
		return 1
	}
	return 2
}

// shift moves a finding from a window, which begins at position from, to the whole trace.
func (f *Finding) shift(from int) {
	if from == 0 {
		return
	}
	f.Accesses = slices.Clone(f.Accesses)
	for k := range f.Accesses {
		f.Accesses[k] += from
	}
	for k := range f.Schedules {
		f.Schedules[k].Recipe = f.Schedules[k].InLongerTrace(from)
	}
	for k, d := range f.Departures {
		shifted := *d
		shifted.Recipe.Recipe = d.InLongerTrace(from)
		f.Departures[k] = &shifted
	}
}

// join adds to r what was predicted from a window that begins at position from. Of a candidate in several
// windows it keeps the best finding; index has the indices of findings by name. Pruned candidates have no
// names, so the window with the most counts.
func (r *Result) join(o *Result, from int, index map[string]int) {
	for _, f := range o.Findings {
		f.shift(from)
		k, known := index[f.Name]
		switch {
		case !known:
			index[f.Name] = len(r.Findings)
			r.Findings = append(r.Findings, f)
		case f.rank() > r.Findings[k].rank():
			r.Findings[k] = f
		}
	}
	r.Locked, r.Ordered = max(r.Locked, o.Locked), max(r.Ordered, o.Ordered)
	r.PartOfRace, r.Intended = max(r.PartOfRace, o.PartOfRace), max(r.Intended, o.Intended)
	r.Truncated, r.TooLong = r.Truncated || o.Truncated, r.TooLong || o.TooLong
}

// makeSchedules makes the schedules of r, up to that many steps in all, so that recipes do not keep the
// window of r in memory. It reports whether it made all.
func (r *Result) makeSchedules(steps int) (all bool) {
	all = true
	make := func(recipe *Recipe) {
		made, n := recipe.Computed(steps)
		recipe.Recipe, steps, all = made, steps-n, all && made.IsComputed()
	}
	for _, f := range r.Findings {
		for k := range f.Schedules {
			make(&f.Schedules[k])
		}
		for _, d := range f.Departures { // findings share them
			if !d.IsComputed() {
				make(&d.Recipe)
			}
		}
	}
	return all
}
