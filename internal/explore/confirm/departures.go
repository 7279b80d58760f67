package confirm

import (
	"cmp"
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file makes the runs that depart from a recorded one, and looks in their traces for
// what the recorded run alone has ruled out (strategy.Departures).

// TierDeparture is the tier of a finding that only a departure has shown.
const TierDeparture = "departure"

// FollowDepartures follows the departures of the findings of r. What these confirm takes the
// place of the findings' entries.
func (c *Confirmer) FollowDepartures(ctx context.Context, r *recording.Recording, findings []finding.Finding, entries []finding.Entry) error {
	if c.Strategy.Exploring && len(r.Trace.Events) <= strategy.MaxExplored {
		return nil // the strategy Unreached makes such runs, and knows which were made
	}
	groups := strategy.DeparturesOf(c.Strategy, r, findings, c.Ledger)
	if len(groups) == 0 {
		return nil
	}
	predicted := make(sitesOfBugs)
	predicted.add(r.Trace, findings)
	errs := make([]error, len(groups))
	ForEach(c.Replays.Workers, len(groups), func(g int) {
		errs[g] = (&departing{c, r, predicted, groups[g], entries}).follow(ctx)
	})
	for _, d := range groups {
		if d.Endless {
			c.Ledger.Endless[d.Tests] = true
		}
		if c.Ledger.Allowance != nil {
			c.Ledger.Allowance.Left += d.Spared()
		}
	}
	return cmp.Or(errs...)
}

// Continue makes a run that a witness begins.
func (c *Confirmer) Continue(ctx context.Context, r *strategy.Run) error {
	w, err := r.Begin()
	if err != nil {
		return err
	}
	r.Recording, r.Result, err = c.Replays.Continue(ctx, r.Base, w, r.Delay)
	return err
}

// departing follows the departures of findings of the same tests.
type departing struct {
	*Confirmer
	base      *recording.Recording
	predicted sitesOfBugs
	*strategy.Departures
	entries []finding.Entry
}

func (d *departing) follow(ctx context.Context) (err error) {
	for next := d.Next(d.Ledger, 1); len(next) > 0; next = d.Next(d.Ledger, 1) {
		run := next[0]
		err := d.Continue(ctx, run)
		d.Replays.Runs.Add(int64(len(run.Result.Verdicts)))
		switch {
		case err != nil:
			return err
		case replays.TimedOut(run.Result):
			d.Endless = true
			return nil
		case run.Recording == nil:
			continue
		}
		if d.Open, err = d.search(ctx, run.Recording, run.Result.Detail); err != nil {
			return err
		}
	}
	return nil
}

// sitesOfBugs are the keys of the sites of predicted bugs other than assertions. An assertion
// that fails because of a race is not reported beside the race. The race may be in one trace
// and the failure in another, where sites have other numbers: keys are the same in all traces.
type sitesOfBugs map[uint64]bool

// add adds the sites of findings of t.
func (keys sitesOfBugs) add(t *trace.Trace, findings []finding.Finding) {
	for _, f := range findings {
		if f.Kind == bug.Assertion || len(f.Schedules) == 0 {
			continue
		}
		for _, site := range f.Sites {
			keys[t.Sites[site].Key] = true
		}
	}
}

// cause reports whether the assertion that failed at position pos of t follows from accesses
// at these sites. Whoever fixes that bug fixes the assertion, or sees it in the next run.
func (keys sitesOfBugs) cause(t *trace.Trace, pos int) bool {
	for site := range analysis.SitesInfluencing(t, pos) {
		if keys[t.Sites[site].Key] {
			return true
		}
	}
	return false
}

// search looks in the recording of a departure for the open findings. The run printed detail
// where tests failed. It returns the findings that stay open.
func (d *departing) search(ctx context.Context, further *recording.Recording, detail []string) (left []int, err error) {
	predicted, err := d.predictFrom(ctx, further)
	if err != nil {
		return nil, err
	}
	confirmed, errs := make([]bool, len(d.Open)), make([]error, len(d.Open))
	ForEach(d.Replays.Workers, len(d.Open), func(i int) {
		f := d.Departures.Findings[d.Open[i]]
		ev, err := d.searchFor(ctx, f, further, predicted, detail)
		if confirmed[i], errs[i] = err == nil && ev.Result.Status == bug.Confirmed, err; confirmed[i] {
			ev.Tier = TierDeparture
			d.entries[d.Open[i]] = d.Entry(ev)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	for i, k := range d.Open {
		if !confirmed[i] {
			left = append(left, k)
		}
	}
	return left, nil
}

// firstSite returns the site of the first access of f, a finding of t.
func firstSite(t *trace.Trace, f finding.Finding) trace.Site {
	return t.Sites[t.Events[f.Accesses[0]].Site]
}

// options returns the options for the trace of a departure, where the open findings are
// looked for. Other bugs may explain these: assertions fail because of any, and patterns have
// races in them.
func (d *departing) options() analysis.Options {
	opts := d.Analysis
	opts.Solving.Budget.Steps = strategy.DepartedSolving
	known := make(map[string]analysis.Knowledge)
	for _, f := range d.Departures.Findings {
		if len(f.Schedules) > 0 {
			known[f.Name] = analysis.Settled
		}
	}
	var kinds []bug.Kind
	all := false
	for _, k := range d.Open {
		f := d.Departures.Findings[k]
		known[f.Name] = analysis.Unknown
		kinds = append(kinds, f.Kind)
		all = all || f.Kind == bug.Assertion
		if finding.IsPattern(f.Kind) && d.Wants(bug.Race) {
			kinds = append(kinds, bug.Race)
		}
	}
	if !all {
		slices.Sort(kinds)
		opts.Kinds = slices.Compact(kinds)
	}
	opts.KnowledgeOf = func(name string) analysis.Knowledge {
		if k, ok := known[name]; ok {
			return k
		}
		return max(d.Candidates.Known(name), analysis.TriedBefore)
	}
	return opts
}

// predictFrom predicts from the recording of a departure, and returns the findings with
// schedules.
func (d *departing) predictFrom(ctx context.Context, further *recording.Recording) ([]finding.Finding, error) {
	opts := d.options()
	opts.OnlyScheduled = true
	result, err := finding.Predict(ctx, further.Trace, opts)
	if err != nil {
		return nil, err
	}
	result.Findings = slices.DeleteFunc(result.Findings, func(f analysis.Finding) bool { return len(f.Schedules) == 0 || len(f.Tests) == 0 })
	findings, _, err := finding.Of(further, result, finding.NewNames())
	return findings, err
}

// searchFor looks for f in the recording of a departure, from which findings were predicted:
// for a failure at its site, or for the same violation with a schedule.
func (d *departing) searchFor(ctx context.Context, f finding.Finding, further *recording.Recording, predicted []finding.Finding, detail []string) (evidence.Evidence, error) {
	if pos := failureAt(further.Trace, f.Kind, firstSite(d.base.Trace, f), detail); pos >= 0 {
		if f.Kind == bug.Assertion && d.predicted.cause(further.Trace, pos) {
			return evidence.Evidence{}, nil
		}
		return d.confirmFailure(ctx, further, f, pos)
	}
	for _, p := range predicted {
		if finding.Sites(p.Witness) != finding.Sites(f.Witness) {
			continue
		}
		named := *p.Witness
		named.ID = f.Witness.ID
		p.Witness = &named
		ev, err := d.ReplayFinding(ctx, further, p)
		if err != nil || ev.Result.Status == bug.Confirmed {
			return ev, err
		}
	}
	return evidence.Evidence{}, nil
}
