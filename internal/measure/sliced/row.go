package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/sliced"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A row is what was measured of a program or suite.
type row struct {
	Name              string
	Lines, Goroutines int
	Shared            int // variables
	Events            int
	Slices            int           // variables that may have races, and so a slice
	Relevant, Kept    int           // of each slice, the relevant events, and those that it has
	Order             time.Duration // to read who must come before whom
	Slicing, Checking time.Duration
	Predicting        time.Duration // by gopredict, from the trace to schedules

	// Pairs of lines.
	Candidates    int // conflict, and neither a lock nor the must-order excludes them
	HappensBefore int // of these, unordered where all conflicts keep their order
	Sliced        int // unordered in the slice of their variable
	Predicted     int // by gopredict
	Confirmed     int
	Both          int      // sliced, and confirmed
	OnlySliced    []string // sliced, and not predicted
	Refuted       []string // of these, those of which gopredict has proven that they cannot be

	Seconds [ways]float64 // what running takes
}

func place(file string, line int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line) }

// pairOf is the same for two places in either order.
func pairOf(a, b string) string { return min(a, b) + " " + max(a, b) }

// predict predicts races in three ways.
func (r *row) predict(ctx context.Context, t *trace.Trace, o *order.Order, confirmed map[string]bool) error {
	pair := func(i, j int) string {
		a, b := t.Sites[t.Events[i].Site], t.Sites[t.Events[j].Site]
		return pairOf(place(a.File, a.Line), place(b.File, b.Line))
	}
	start := script.Processor()
	found, err := analysis.Predict(ctx, t, analysis.Options{Kinds: []bug.Kind{bug.Race}})
	if err != nil {
		return err
	}
	r.Predicting += script.Processor() - start
	status := make(map[string]bug.Status)
	for _, f := range found.Findings {
		p := pair(f.Accesses[0], f.Accesses[1])
		if status[p] != bug.Predicted && (status[p] == "" || f.Status != bug.Infeasible) {
			status[p] = f.Status
		}
	}

	// Slices are of the variables that may have a race. Each is as large as the trace, and so
	// is let go of before the next one.
	start = script.Processor()
	s := sliced.New(t, o)
	group := make(map[int32]int)
	for k, g := range o.Groups() {
		for _, i := range g.Events {
			group[i] = k
		}
	}
	rows := slices.DeleteFunc(anomaly.Conflicts(t, o), func(c anomaly.Row) bool {
		return !t.Events[c.First[0]].Kind.IsAccess() || c.Pairs(o) == 0
	})
	of := make(map[int][]anomaly.Row) // by group
	for _, c := range rows {
		of[group[c.First[0]]] = append(of[group[c.First[0]]], c)
	}
	r.Slicing += script.Processor() - start
	bySlice := make(map[string]bool)
	for k, its := range of {
		start = script.Processor()
		relevant := o.Groups()[k].Events
		slice := s.Of(relevant)
		r.Slicing += script.Processor() - start
		r.Relevant += len(relevant)
		r.Kept += slice.Events
		r.Slices++
		start = script.Processor()
		for _, c := range its {
			racing(c, slice, func(i, j int) { bySlice[pair(i, j)] = true })
		}
		r.Checking += script.Processor() - start
	}
	candidates, byOrder := make(map[string]bool), make(map[string]bool)
	if len(rows) > 0 {
		hb := s.HappensBefore()
		for _, c := range rows {
			racing(c, o, func(i, j int) { candidates[pair(i, j)] = true })
			racing(c, hb, func(i, j int) { byOrder[pair(i, j)] = true })
		}
	}
	r.Candidates += len(candidates)
	r.HappensBefore += len(byOrder)
	r.Sliced += len(bySlice)
	for p, is := range status {
		if is == bug.Predicted && candidates[p] {
			r.Predicted++
		}
	}
	for p := range bySlice {
		if confirmed[p] {
			r.Both++
		}
		if status[p] != bug.Predicted {
			r.OnlySliced = append(r.OnlySliced, p)
		}
		if status[p] == bug.Infeasible {
			r.Refuted = append(r.Refuted, p)
		}
	}
	slices.Sort(r.OnlySliced)
	slices.Sort(r.Refuted)
	return nil
}

// racing calls found with accesses of c that an order lets meet.
func racing(c anomaly.Row, o anomaly.Ordering, found func(i, j int)) {
	for j, its := range c.Earlier(o) {
		for _, i := range its {
			found(int(i), int(j))
		}
	}
	other := anomaly.Row{First: c.Second, Second: c.First}
	for j, its := range other.Earlier(o) {
		for _, i := range its {
			found(int(i), int(j))
		}
	}
}
