package explore

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file makes witnesses of findings. A schedule is positions of events in one trace,
// which no other run has; a witness says the same by goroutines, places and how often
// each comes there, and so fits the next run, and the sources after an edit.

// findings makes the witnesses of the findings, of those that are proven infeasible
// apart.
func (c *confirmation) findings(result *analysis.Result) (open, impossible []finding, err error) {
	name := func(w *witness.Witness, f analysis.Finding) *witness.Witness {
		w.ID = c.tally.id(w.ID, f.Name)
		return w
	}
	for _, f := range result.Findings {
		switch {
		case f.Status == bug.Infeasible:
			continue
		case len(f.Tests) == 0: // a replay runs tests: nothing else can be made to happen
			f.Schedules, f.Departures, f.Reason = nil, nil, cmp.Or(f.Reason, f.Note)
			open = append(open, finding{f, name(c.outside(f), f)})
			continue
		}
		w, err := c.violation(f)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.run.Package.Path, err)
		}
		open = append(open, finding{f, name(w, f)})
	}
	for _, f := range result.Findings {
		if f.Status == bug.Infeasible {
			impossible = append(impossible, finding{f, name(c.outside(f), f)})
		}
	}
	return open, impossible, nil
}

// A scheduled finding is one with one of its schedules, of which witnesses are made.
type scheduled struct {
	finding
	recipe analysis.Recipe
	order  schedule.Schedule
}

// shown reports whether the recorded run, of which all was recorded, has shown what
// comes of the violating accesses in the order in which they are listed. Of a write to a
// map it has not: in the replay the other access comes in the middle.
func (s scheduled) shown(t *trace.Trace) bool {
	whole := t.Complete && t.Meta.Limit == 0 && len(t.Cuts) == 0
	first := &t.Events[s.recipe.Accesses[0]]
	return whole && (first.Flags&trace.FlagMap == 0 || !first.Kind.IsWrite()) && s.Kind.ProofOf(len(s.recipe.Accesses)) == bug.Meeting && slices.IsSorted(s.recipe.Accesses) && s.order.AsRecorded(t)
}

// witnessOf makes s witness of the schedule.
func (c *confirmation) witnessOf(ctx context.Context, s scheduled, extent witness.Extent) (*witness.Witness, error) {
	w, err := unlessDone(ctx, func() (*witness.Witness, error) { return c.witness(s.Finding, s.recipe, s.order, extent) })
	if err == nil {
		w.ID = s.finding.witness.ID
	}
	return w, err
}

// witness makes the witness of a schedule for f.
func (c *confirmation) witness(f analysis.Finding, r analysis.Recipe, s schedule.Schedule, extent witness.Extent) (*witness.Witness, error) {
	meta := witness.Meta{Kind: f.Kind, Package: c.run.Package.Path, Tests: f.Tests, Files: c.files, Source: c.source, Extent: extent, Index: c.index}
	if r.Pattern != nil {
		meta.Pattern = r.Pattern.Name
		for _, e := range r.Pattern.Events {
			meta.Variables, meta.Regions = append(meta.Variables, e.Variable), append(meta.Regions, e.Region)
		}
	}
	w, err := witness.FromSchedule(c.trace, s.Steps, r.Accesses, s.Hold, meta)
	if err == nil {
		c.likeRun(w)
		w.Methods = c.opts.Methods && w.InOrder()
	}
	return w, err
}

// likeRun has w replayed as the tests were run that were recorded.
func (c *confirmation) likeRun(w *witness.Witness) {
	w.Run = replayer.SubtestFilter(c.run.Args)
	w.Args = replayer.Lasting(c.run.Args)
	w.Parallel = runtime.GOMAXPROCS(0)
	w.Recorded = string(c.run.Order)
}

// violation makes a witness of nothing but the violation of f.
func (c *confirmation) violation(f analysis.Finding) (*witness.Witness, error) {
	return c.witness(f, analysis.Recipe{Recipe: schedule.Recipe{Accesses: f.Accesses}, Pattern: f.Pattern}, schedule.Schedule{}, witness.Small)
}

// unscheduled is the violation of f, or what stands for it where f is outside of all tests.
func (c *confirmation) unscheduled(f analysis.Finding) *witness.Witness {
	if w, err := c.violation(f); err == nil && len(f.Tests) > 0 {
		return w
	}
	return c.outside(f)
}

// outside makes a witness without steps for a finding that nothing can replay, as it is
// outside of all tests or infeasible; the report shows its accesses.
func (c *confirmation) outside(f analysis.Finding) *witness.Witness {
	w := &witness.Witness{
		ID:   c.index.ID(c.trace, f.Kind, f.Accesses, c.source),
		Kind: f.Kind, Package: c.run.Package.Path, Tests: f.Tests,
	}
	for k, i := range f.Accesses {
		e := c.trace.Events[i]
		site := c.trace.Sites[e.Site]
		w.Violation = append(w.Violation, witness.Step{
			Goroutine: c.trace.Goroutines[e.G].Name(), Op: e.Kind, Func: site.Func,
			File: c.files.Name(site.File), Line: site.Line, Col: site.Col, Expr: site.Expr,
		})
		if f.Pattern != nil {
			w.Pattern = f.Pattern.Name
			w.Violation[k].Variable, w.Violation[k].Region = f.Pattern.Events[k].Variable+1, f.Pattern.Events[k].Region+1
		}
	}
	return w
}
