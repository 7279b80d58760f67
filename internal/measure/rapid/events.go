package main

import (
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An eventwise analysis decides each pair of events, as RAPID's engines do, and
// not only some for each pair of lines.
type eventwise struct {
	t       *trace.Trace
	o       *order.Order
	graphs  *causality.Model
	planner *schedule.Planner
	judge   *feasible.Judge
}

// byEvents returns the events of t that are in a candidate with an earlier one,
// and those that are in one with a schedule that the judge accepts.
func byEvents(t *trace.Trace) (candidates, predicted races, err error) {
	o, err := order.New(t)
	if err != nil {
		return candidates, predicted, err
	}
	graphs := causality.New(t, o)
	a := &eventwise{t, o, graphs, schedule.NewPlanner(t, o, graphs), feasible.New(t)}
	candidates, predicted = newRaces(), newRaces()
	for _, g := range o.Groups() {
		for k, j := range g.Events {
			var of []int // what j may race with, the nearest first
			for n := k - 1; n >= 0; n-- {
				if i := g.Events[n]; g.At[n] == g.At[k] && g.How[n].Conflicts(g.How[k]) && a.candidate(int(i), int(j)) {
					of = append(of, int(i))
				}
			}
			if len(of) == 0 {
				continue
			}
			candidates.found(t, of[0], int(j))
			for _, i := range of {
				if a.schedulable(i, int(j)) {
					predicted.found(t, i, int(j))
					break
				}
			}
		}
	}
	return candidates, predicted, nil
}

// candidate reports whether nothing orders or excludes events i and j.
func (a *eventwise) candidate(i, j int) bool {
	return a.t.Events[i].G != a.t.Events[j].G && !a.o.Exclude(a.o.LockSet(i), a.o.LockSet(j)) && !a.o.BeforeReached(i, j)
}

// schedulable reports whether a schedule leads to the race of i and j.
func (a *eventwise) schedulable(i, j int) bool {
	g := a.graphs.Chopped(a.graphs.Meeting(i, j))
	if g.Cyclic() != 0 {
		return false
	}
	for s := range a.planner.Race(i, j, g.Edges(0)) {
		if a.judge.CheckFrom(s.From, s.Steps, []int{i, j}) == nil {
			return true
		}
	}
	return false
}
