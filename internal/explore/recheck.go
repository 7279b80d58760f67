package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file looks for the bug of a witness whose schedule the program has left. That
// alone does not say that the bug is fixed: a schedule tells goroutines by how many
// there are and places by their functions, so that a goroutine more or a call less
// leads away from a bug that is there. So the test is recorded again and predicted
// from, and what is found at the same places is replayed.

// A Recheck is what came of that: the bug is Confirmed, and found; or Fixed; or
// Unconfirmed, as that cannot be told, for a reason.
type Recheck struct {
	Status bug.Status
	Reason string
	found  reported
}

// Finding is the bug that was confirmed.
func (r *Recheck) Finding() report.Finding { return r.found.Finding }

// Witness is that of the bug that was confirmed.
func (r *Recheck) Witness() *witness.Witness { return r.found.witness }

// Recheck looks for the bug of w, whose replays have left their schedule; now is w where
// it is in the sources. Run says how its test is run.
func (x *Exploration) Recheck(ctx context.Context, run recorder.Run, w, now *witness.Witness) (Recheck, error) {
	c := &confirmation{Exploration: x, run: run, progress: new(progress)}
	return c.recheck(ctx, w, now)
}

// recheckOrders are the orders in which the test of a witness is recorded again: what
// it comes to may depend on that.
var recheckOrders = []recorder.Order{recorder.NewestFirst, recorder.OldestFirst, recorder.ChildFirst}

// recheck looks for the bug of w, whose replays have left their schedule; now is w
// where it is in the sources. c.run says how the test is run.
func (c *confirmation) recheck(ctx context.Context, w, now *witness.Witness) (Recheck, error) {
	cannot := func(format string, args ...any) (Recheck, error) {
		return Recheck{Status: bug.Unconfirmed, Reason: "cannot tell whether it is fixed: " + fmt.Sprintf(format, args...)}, nil
	}
	if !c.opts.finds(w) {
		return cannot("bugs of kind %s are not looked for", strings.TrimSpace(string(w.Kind)+" "+w.Pattern))
	}
	if err := c.makeFolders(); err != nil {
		return Recheck{}, err
	}
	// It is fixed only if each place of the violation was come to in some of the runs, and
	// nothing that was predicted in any of them has a part there: else the answer is that
	// there is none.
	came, open := make([]bool, len(w.Violation)), ""
	orders := recheckOrders
	if o := recorder.Order(w.Recorded); !slices.Contains(orders, o) {
		orders = append(slices.Clip(orders), o)
	}
	for k, order := range orders {
		c.status.Set("recording", fmt.Sprintf("%s again, %d of %d", w.Tests[0], k+1, len(orders)))
		again, unknown, err := c.runAgain(ctx, w, order, filepath.Join(c.work, fmt.Sprintf("again-%s-%d", w.ID, k)))
		if err != nil {
			return Recheck{}, err
		}
		if unknown != "" {
			return cannot("%s", unknown)
		}
		found, err := again.shows(ctx, now)
		if err != nil {
			return Recheck{}, err
		}
		if found.confirmed != "" {
			return Recheck{Status: bug.Confirmed, found: found}, nil
		}
		findings, unknown, err := again.predictAgain(ctx, w)
		if err != nil {
			return Recheck{}, err
		}
		if unknown != "" {
			return cannot("%s", unknown)
		}
		found, err = again.find(ctx, slices.DeleteFunc(slices.Clone(findings), func(f finding) bool { return sitesOf(f.witness) != sitesOf(now) }))
		if err != nil {
			return Recheck{}, err
		}
		if found.confirmed != "" {
			return Recheck{Status: bug.Confirmed, found: found}, nil
		}
		open = stillOpen(open, findings, w, now)
		for i, there := range now.In(again.trace) {
			came[i] = came[i] || there
		}
	}
	if open != "" {
		return cannot("%s", open)
	}
	if i := slices.Index(came, false); i >= 0 {
		return cannot("%s does not come to %s any more", w.Tests[0], placeOf(now.Violation[i]))
	}
	return Recheck{Status: bug.Fixed}, nil
}

// runAgain records the test of w in an order, with its files in the folder; unknown is why
// that tells nothing.
func (c *confirmation) runAgain(ctx context.Context, w *witness.Witness, order recorder.Order, folder string) (again *confirmation, unknown string, err error) {
	test := w.Tests[0]
	limit := replayTime(c.run.Seconds)
	args := replayer.ReplayArgs(replayer.ArgsFor(w, c.run.Args), w, limit)
	c.runs.Add(1)
	run, err := c.run.Again(ctx, order, args, folder, limit)
	if err != nil {
		return nil, "", err
	}
	t := ReadReplay(run.Trace, c.build)
	switch {
	case t == nil || trace.Validate(t) != nil:
		return nil, test + " was run again and not recorded", nil
	case !slices.ContainsFunc(t.Goroutines, func(g trace.Goroutine) bool { return g.Test == test }):
		return nil, "there is no test " + test + " any more, or it is left out", nil
	}
	run.Args = c.run.Args
	return c.Exploration.confirmation(run, t, newTally()), "", nil
}

// shows returns what there is to tell of the bug of w if the recorded run has come to it
// by itself, and does so again.
func (c *confirmation) shows(ctx context.Context, w *witness.Witness) (reported, error) {
	switch {
	case w.Stuck():
		return c.blockedAt(ctx, w)
	case w.Kind == bug.Failure:
		for _, f := range c.failures() {
			if sitesOf(f.witness) == sitesOf(w) {
				return c.replayFailure(ctx, f)
			}
		}
	}
	return reported{}, nil
}

// predictAgain predicts bugs of w's kind from the recorded run; unknown is why that tells
// nothing.
func (c *confirmation) predictAgain(ctx context.Context, w *witness.Witness) (findings []finding, unknown string, err error) {
	if t := c.trace; t.Meta.Limit > 0 || len(t.Cuts) > 0 || !t.Complete {
		return nil, w.Tests[0] + " was run again, and not all of it was recorded", nil
	}
	opts := c.analysis(c.run)
	opts.Kinds = []bug.Kind{w.Kind}
	result, err := Predict(ctx, c.trace, opts)
	if err != nil {
		return nil, "", err
	}
	if result.Cut || result.TooLong {
		return nil, "there is too much to look for in " + w.Tests[0], nil
	}
	findings, _, err = c.findings(result)
	return findings, "", err
}

// stillOpen returns why the bug of w, whose places are now's, may be there although none
// of the findings was confirmed at these places: because of one of these, or else as was
// known before.
func stillOpen(before string, findings []finding, w, now *witness.Witness) string {
	open := before
	for _, f := range findings {
		switch place := shared(f.witness, now); {
		case sitesOf(f.witness) != sitesOf(now):
			if place != "" && open == "" {
				open = fmt.Sprintf("%s is part of another possible bug of %s", place, w.Tests[0])
			}
		case len(f.Schedules) > 0:
			open = "another schedule was predicted, and did not confirm it"
		default:
			open = "whether another schedule leads there is undecided"
		}
	}
	return open
}

// find replays findings until one is confirmed, and returns what there is to tell of
// that.
func (c *confirmation) find(ctx context.Context, findings []finding) (reported, error) {
	out := make([]reported, len(findings))
	c.total = len(findings)
	for i, f := range findings {
		ev, err := c.replayFinding(ctx, f)
		if out[i] = c.reported(ev); err != nil || out[i].confirmed != "" {
			return out[i], err
		}
	}
	err := c.departed(ctx, findings, out)
	if i := slices.IndexFunc(out, func(f reported) bool { return f.confirmed != "" }); i >= 0 {
		return out[i], nil
	}
	return reported{}, err
}

// Strays reports whether the replays of a witness, all places of whose violation were
// found, have led elsewhere.
func Strays(r replayer.Result) bool {
	became := r.OfWitness()
	return became == bug.Left || became == bug.Stale && r.Replays > 0
}

// finds reports whether predicting could find the bug of w.
func (o *Options) finds(w *witness.Witness) bool {
	if !w.InOrder() {
		return slices.Contains(bug.Kinds(), w.Kind)
	}
	if w.Kind == bug.Property {
		return slices.ContainsFunc(o.Analysis.Properties, func(p property.Property) bool { return p.Name == w.Pattern && p.IsFor(w.Package) })
	}
	for _, p := range slices.Concat(anomaly.Builtin(), o.Analysis.Patterns) {
		if p.Name == w.Pattern {
			return true
		}
	}
	return false
}

// shared names a place that the violations of both v and w have; "" if there is none.
func shared(v, w *witness.Witness) string {
	for _, s := range v.Violation {
		for _, o := range w.Violation {
			if s.File == o.File && s.Line == o.Line && witness.Shape(s.Expr) == witness.Shape(o.Expr) {
				return placeOf(s)
			}
		}
	}
	return ""
}

// placeOf names the place of a step: "a.balance (bank.go:12)".
func placeOf(s witness.Step) string {
	return strings.TrimSpace(fmt.Sprintf("%s (%s:%d)", s.Expr, filepath.Base(s.File), s.Line))
}
