package analysis

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file decides each event of a trace, as analysers of other languages' traces count: whether it
// is the second one of a race. The findings of Predict have one race for each two places.

// A RacyEvent is an event that races with an earlier one.
type RacyEvent struct {
	Event, Earlier int    // positions; With is the earlier one
	Recipe         Recipe // a schedule that leads to both, which the judge has accepted
}

// RacyEvents are the racy events of one trace.
type RacyEvents struct {
	Events []RacyEvent // ascending
	// Undecided is how many other events conflict with earlier ones, without a schedule for
	// any, and without a proof that there is none. Impossible is of how many there is one, but for
	// those that must come after all that they conflict with, or under one lock with it.
	Undecided, Infeasible int
}

// FindRacyEvents decides each event of t: whether it is the second one of a race. It fails for a
// trace that contradicts itself, and when ctx ends. Equal traces give equal results.
func FindRacyEvents(ctx context.Context, t *trace.Trace, opts Options) (*RacyEvents, error) {
	o, err := order.New(t)
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	opts.Schedules = 1
	p := &eventSearch{newDecider(newSubject(t, o, dataflow.New(t), opts))}
	defer p.background.Wait()
	p.proposer.eventwise = true
	rows := slices.DeleteFunc(anomaly.AllConflictSets(t, o), func(r anomaly.ConflictSet) bool { // a send and a close are no race
		return !t.Events[r.First[0]].Kind.IsAccess() || r.CountPairs(o) == 0
	})
	if len(rows) == 0 {
		return new(RacyEvents), nil
	}
	p.prepare()
	must := p.mustOrder()
	rows = slices.DeleteFunc(rows, func(r anomaly.ConflictSet) bool { return r.CountPairs(must) == 0 })
	racy := make(map[int]RacyEvent)
	for _, r := range rows {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("analysis: %w", err)
		}
		p.addRacySeconds(r.First, r.Second, must, racy)
		p.addRacySeconds(r.Second, r.First, must, racy)
	}
	return p.decideRest(ctx, rows, must, racy)
}

// An eventSearch decides events, each as a candidate of its own.
type eventSearch struct {
	*decider
}

// addSecond adds to racy those of second of which one cone leads to them and to an earlier one of
// first.
func (p *eventSearch) addRacySeconds(first, second []int32, must anomaly.Ordering, racy map[int]RacyEvent) {
	done := func(j int) bool { _, ok := racy[j]; return ok }
	for s, recipe := range p.planner.MeetEarlier(first, second, must.BeforeReached, done, math.MaxInt) {
		i, j := recipe.Accesses[0], recipe.Accesses[1]
		if p.check(s.From, s.Steps, detect.Instance{Accesses: recipe.Accesses}) == nil {
			racy[j] = RacyEvent{j, i, Recipe{recipe, nil}}
		}
	}
}

// decideEvents decides those events of rows that are not in racy, each as a candidate of its own, and
// returns all.
func (p *eventSearch) decideRest(ctx context.Context, rows []anomaly.ConflictSet, must anomaly.Ordering, racy map[int]RacyEvent) (*RacyEvents, error) {
	cs := p.candidates(rows, must, racy)
	planning := &solver.Budget{Steps: planningEvents}
	for n := range maxEarlierAccesses { // the nearest accesses of all events before the next nearest
		for _, c := range cs {
			if !c.isOpen() || n >= len(c.Instances) || planning.Over() {
				continue
			}
			if err := context.Cause(ctx); err != nil {
				return nil, fmt.Errorf("analysis: %w", err)
			}
			p.allow(planning.Part(planningEvent), 0)
			open := p.refuter.refute(c.finding, instancesOf(c.Instances[n:n+1]))
			p.proposer.propose(c.finding, open)
			p.conclude(c.finding, detect.Candidate{Instances: c.Instances}, open)
		}
	}
	var undecided []*candidate
	for _, c := range cs {
		if !c.isOpen() || !c.Exhaustive {
			continue
		}
		if c.open = p.refuter.refute(c.finding, instancesOf(c.Instances)); len(c.open) == 0 {
			c.finding.Status = bug.Infeasible
		} else {
			undecided = append(undecided, c)
		}
	}
	p.work = &solver.Budget{Steps: solvingEvents, Memory: p.opts.Solving.budget().Memory}
	if err := p.solve(ctx, undecided); err != nil {
		return nil, err
	}
	r := new(RacyEvents)
	for _, c := range cs {
		switch f := c.finding; f.Status {
		case bug.Predicted:
			racy[f.Accesses[1]] = RacyEvent{f.Accesses[1], f.Accesses[0], f.Schedules[0]}
		case bug.Infeasible:
			r.Infeasible++
		default:
			r.Undecided++
		}
	}
	r.Events = slices.AppendSeq(r.Events, maps.Values(racy))
	slices.SortFunc(r.Events, func(a, b RacyEvent) int { return cmp.Compare(a.Event, b.Event) })
	return r, nil
}

// candidates returns the events of rows that may race with earlier ones and are not in racy, in
// their order, as candidates of which the instances are those with the nearest ones.
func (p *eventSearch) candidates(rows []anomaly.ConflictSet, must anomaly.Ordering, racy map[int]RacyEvent) (cs []*candidate) {
	of := make(map[int32]*candidate)
	for _, r := range rows {
		for _, r := range []anomaly.ConflictSet{r, {First: r.Second, Second: r.First}} {
			for j, is := range r.EarlierPartners(must) {
				if _, ok := racy[int(j)]; ok {
					continue
				}
				c := of[j]
				if c == nil {
					c = &candidate{Candidate: detect.Candidate{Kind: bug.Race, Exhaustive: true}, finding: &Finding{Status: bug.Undecided}}
					of[j] = c
				}
				if nearest := is[max(0, len(is)-maxRemaining):]; len(nearest) < len(is) {
					c.Exhaustive, is = false, nearest
				}
				for _, i := range is {
					c.Instances = append(c.Instances, detect.Instance{Accesses: []int{int(i), int(j)}})
				}
			}
		}
	}
	for _, j := range slices.Sorted(maps.Keys(of)) {
		c := of[j]
		slices.SortFunc(c.Instances, func(a, b detect.Instance) int { return cmp.Compare(b.Accesses[0], a.Accesses[0]) })
		if len(c.Instances) > maxRemaining {
			c.Instances, c.Exhaustive = c.Instances[:maxRemaining], false
		}
		cs = append(cs, c)
	}
	return cs
}
