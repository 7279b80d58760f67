package detect

import (
	"slices"
	"sync"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/waits"
)

// Long searches may begin before the turn of their detectors, concurrently with other work. It is not known
// then how many looks they may take in their turn. But a search that needs fewer looks than it may take
// finds the same with any larger number.

// earlySearches are the searches that have begun before their turn; nil for those that have not.
type earlySearches struct {
	matches *earlySearch[patternMatches]
	cycles  *earlySearch[waits.Found]
}

// StartEarly begins long searches, each in a function that it passes to run. They take as many looks as are
// left now.
func (in *Input) StartEarly(run func(func())) {
	if Patterns.isWanted(in) {
		in.early.matches = startEarly(run, in.LooksLeft, in.findMatches)
	}
	if Deadlocks.isWanted(in) {
		in.early.cycles = startEarly(run, in.LooksLeft, in.findCycles)
	}
}

// An earlySearch is a search that has begun with that many looks.
type earlySearch[V any] struct {
	looks  int
	result func() V
}

func startEarly[V any](run func(func()), looks int, search func(looks int) V) *earlySearch[V] {
	a := &earlySearch[V]{looks, sync.OnceValue(func() V { return search(looks) })}
	run(func() { a.result() })
	return a
}

// resultFor returns what a search finds with that many looks, of which it spends some. It uses the early
// search if that began with as many looks, or needed fewer than either has. Otherwise it searches now.
func resultFor[V any](a *earlySearch[V], looks int, search func(looks int) V, spent func(V) int) V {
	if a != nil {
		if found := a.result(); a.looks == looks || spent(found) < min(a.looks, looks) {
			return found
		}
	}
	return search(looks)
}

// patternMatches are the matches of patterns in the regions of a trace.
type patternMatches struct {
	patterns      []anomaly.Pattern
	isUserPattern map[*anomaly.Pattern]bool // as [Input.Patterns] are
	regions       *anomaly.Regions          // nil if none is marked
	*anomaly.Anomalies
}

// findMatches searches for matches of patterns.
func (in *Input) findMatches(looks int) patternMatches {
	regions := anomaly.FindRegions(in.Trace, in.Order)
	m := patternMatches{isUserPattern: make(map[*anomaly.Pattern]bool)}
	if regions.AnyMarked() {
		m.regions = regions
	}
	for _, b := range anomaly.Builtin() {
		if in.wants(b.Kind()) {
			m.patterns = append(m.patterns, b)
		}
	}
	builtin := len(m.patterns)
	m.patterns = append(m.patterns, in.Patterns...)
	for k := range m.patterns[builtin:] {
		m.isUserPattern[&m.patterns[builtin+k]] = true
	}
	m.Anomalies = anomaly.Search(in.Trace, in.Order, regions, m.patterns, looks)
	return m
}

// findCycles searches for goroutines that wait for each other.
func (in *Input) findCycles(looks int) waits.Found { return waits.Find(in.Trace, in.Order, looks) }

// isWanted reports whether anything that d finds is to be looked for.
func (d *Detector) isWanted(in *Input) bool {
	return d.findsUserPatterns && len(in.Patterns) > 0 || slices.ContainsFunc(d.Kinds, in.wants)
}
