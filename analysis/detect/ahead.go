package detect

import (
	"slices"
	"sync"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/waits"
)

// This file has long searches begin before their detectors' turn comes, beside what else is done. How many
// looks they may take then is not known before; but a search that takes fewer than it might comes to the
// same with all numbers of looks that are more than these.

// aheads are the searches that have begun; nil: in their turn.
type aheads struct {
	matches *ahead[matches]
	circles *ahead[waits.Found]
}

// Ahead has long searches made beside what else is done, which is what run does with a function. They are
// made as if there were as many looks when their turn comes as there are now.
func (in *Input) Ahead(run func(func())) {
	if Patterns.wanted(in) {
		in.ahead.matches = begin(run, in.LooksLeft, in.matches)
	}
	if Deadlocks.wanted(in) {
		in.ahead.circles = begin(run, in.LooksLeft, in.circles)
	}
}

// An ahead is a search that has begun with so many looks.
type ahead[V any] struct {
	looks int
	found func() V
}

func begin[V any](run func(func()), looks int, search func(looks int) V) *ahead[V] {
	a := &ahead[V]{looks, sync.OnceValue(func() V { return search(looks) })}
	run(func() { a.found() })
	return a
}

// with returns what the search finds with so many looks, of which it has spent some. It is made now where
// it has not begun, or not with that.
func with[V any](a *ahead[V], looks int, search func(looks int) V, spent func(V) int) V {
	if a != nil {
		if found := a.found(); a.looks == looks || spent(found) < min(a.looks, looks) {
			return found
		}
	}
	return search(looks)
}

// matches are what there is of patterns in some regions.
type matches struct {
	patterns []anomaly.Pattern
	mine     map[*anomaly.Pattern]bool // what the user asks for
	regions  *anomaly.Regions          // nil: none is marked
	*anomaly.Anomalies
}

// matches searches for patterns.
func (in *Input) matches(looks int) matches {
	regions := anomaly.FindRegions(in.Trace, in.Order)
	m := matches{mine: make(map[*anomaly.Pattern]bool)}
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
		m.mine[&m.patterns[builtin+k]] = true
	}
	m.Anomalies = anomaly.Search(in.Trace, in.Order, regions, m.patterns, looks)
	return m
}

// circles searches for goroutines that wait for each other.
func (in *Input) circles(looks int) waits.Found { return waits.Find(in.Trace, in.Order, looks) }

// wanted reports whether anything is to be looked for that d finds.
func (d *Detector) wanted(in *Input) bool {
	return d.asked && len(in.Patterns) > 0 || slices.ContainsFunc(d.Kinds, in.wants)
}
