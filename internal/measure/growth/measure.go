package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// A cost is what a trace took.
type cost struct {
	Events, Races, Patterns int
	Order, Race, Pattern    time.Duration // finding the order, races, other patterns
	Prepare                 time.Duration // once, for graphs and schedules of all
	// Mean and Worst are what a candidate takes: the causality graph, and the
	// schedule that is tried first.
	Mean, Worst time.Duration
	// Few and All are what an anomaly at the very end takes: the schedule that
	// leaves out what it does not need, and the one that keeps what happened.
	Few, All time.Duration
	Steps    int   // of Few
	Memory   int64 // greatest resident size of the process, in bytes
}

// search is all that comes before schedules.
func (c cost) search() time.Duration { return c.Order + c.Race + c.Pattern }

// measure does it all with a trace of about n events.
func measure(n int) (c cost, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // about as often as the command has garbage looked for
	t := tracetest.Server(n)
	last := tracetest.AnomalyAtEnd(t)
	c.Events = len(t.Events)
	watch := start()
	o, err := order.New(t)
	if err != nil {
		return c, err
	}
	c.Order = watch.lap()
	races := anomaly.FindRaces(t, o)
	c.Race = watch.lap()
	found := anomaly.Search(t, o, anomaly.FindRegions(t, o), anomaly.Builtin(), anomaly.MaxCombinations)
	c.Pattern = watch.lap()
	graphs := causality.New(t, o)
	planner := schedule.NewPlanner(t, o, graphs)
	judge := feasible.New(t)
	c.Prepare = watch.lap()
	c.Races, c.Patterns = len(races.Candidates), len(found.Found)
	c.schedules(graphs, planner, races, found)
	runtime.KeepAlive(judge) // it would look at the schedules

	guide := graphs.Chopped(graphs.Sequence(last...)).Edges(0)
	watch.lap()
	k := 0
	for s := range planner.Sequence(last, guide, math.MaxInt).All() {
		switch k++; k {
		case 1:
			c.Few, c.Steps = watch.lap(), len(s.Steps)
		case 2:
			c.All = watch.lap()
		}
	}
	return c, nil
}

// schedules makes the first schedule of each candidate that its graph leaves.
func (c *cost) schedules(graphs *causality.Model, planner *schedule.Planner, races *anomaly.Races, found *anomaly.Anomalies) {
	var all time.Duration
	watch, n := start(), 0
	lap := func() {
		d := watch.lap()
		c.Worst, all, n = max(c.Worst, d), all+d, n+1
	}
	for _, r := range races.Candidates {
		pair := r.Pairs[0]
		if g := graphs.Chopped(graphs.Meeting(pair[0], pair[1])); g.Cyclic() == 0 {
			for range planner.Race(pair[0], pair[1], g.Edges(0), math.MaxInt).All() {
				break
			}
		}
		lap()
	}
	for _, a := range found.Found {
		events := a.Matches[0]
		if g := graphs.Chopped(graphs.Sequence(events...)); g.Cyclic() == 0 {
			for range planner.Sequence(events, g.Edges(0), math.MaxInt).All() {
				break
			}
		}
		lap()
	}
	if n > 0 {
		c.Mean = all / time.Duration(n)
	}
}

// A stopwatch is the processor time at which the lap began: others may keep the
// machine busy.
type stopwatch time.Duration

func start() stopwatch { return stopwatch(script.Processor()) }

func (w *stopwatch) lap() time.Duration {
	now := script.Processor()
	d := now - time.Duration(*w)
	*w = stopwatch(now)
	return d
}
