package analysis

import (
	"context"
	"fmt"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Match is a pattern that events of a trace match in some order, at one set
// of source sites. Nothing has re-run it.
type Match struct {
	Pattern *anomaly.Pattern
	Events  []int // positions, in the order of the pattern
	Status  Status
	Reason  string // why it is not predicted
	Tier    string // which tier decided; "" for undecided
	// Schedule leads to the last event, with the others before it in their
	// order. It is the zero Schedule unless the match is predicted.
	Schedule schedule.Schedule
}

// Matches are the patterns that a trace matches. The numbers count patterns at
// sets of source sites.
type Matches struct {
	Found   []Match // in the order of patterns, then of events
	Locked  int     // pruned: a common lock excludes the order
	Ordered int     // pruned: the must-order does
	Cut     bool    // the search ended early, for there were too many choices
}

// MatchPatterns searches t for patterns of three events and more; those of two are
// races, which [Predict] finds. It fails for a trace that contradicts itself,
// and when ctx ends. Equal traces give equal results.
func MatchPatterns(ctx context.Context, t *trace.Trace, patterns []anomaly.Pattern) (*Matches, error) {
	o, err := order.New(t)
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	found := anomaly.Search(t, o, anomaly.FindRegions(t, o), patterns)
	p := newPredictor(t, o, Options{})
	r := &Matches{Locked: found.Locked, Ordered: found.Ordered, Cut: found.Cut}
	for _, a := range found.Found {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("analysis: ended with %d of %d matches undecided: %w", len(found.Found)-len(r.Found), len(found.Found), err)
		}
		r.Found = append(r.Found, p.match(a))
	}
	return r, nil
}

// match decides one anomaly.
func (p *predictor) match(a anomaly.Anomaly) Match {
	m := Match{Pattern: a.Pattern, Events: a.Matches[0], Status: Undecided}
	refuted := 0
	for _, events := range a.Matches {
		g := p.graphs.Chopped(p.graphs.Sequence(events...))
		if g.Cyclic() != 0 {
			if refuted++; m.Reason == "" {
				m.Reason = p.circle(g.Cycle(0))
			}
			continue
		}
		for s := range p.planner.Sequence(events, g.Edges(0)) {
			err := p.judge.CheckFrom(s.From, s.Steps, s.Violation)
			if err == nil {
				m.Events, m.Status, m.Reason, m.Tier, m.Schedule = events, Predicted, "", TierPecan, s
				return m
			}
			if m.Reason == "" {
				m.Reason = err.Error()
			}
		}
	}
	if refuted == len(a.Matches) && a.Exhaustive {
		m.Status, m.Tier = Infeasible, TierCausality
	}
	if m.Reason == "" {
		m.Reason = "no order of the events that the pattern needs leads to it"
	}
	return m
}
