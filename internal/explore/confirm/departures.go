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

// This file makes the runs that depart from a recorded one, and searches their traces for the
// findings that only the recorded branches and values have ruled out (strategy.Departures;
// Wang et al., FAC 2011, §8).

// TierDeparture is the tier of a finding that only a departure has shown.
const TierDeparture = "departure"

// FollowDepartures makes the runs to the departures of the findings of r. An entry that these
// confirm replaces the entry of the finding.
func (c *Confirmer) FollowDepartures(ctx context.Context, r *recording.Recording, findings []finding.Finding, entries []finding.Entry) error {
	if c.Strategy.Exploring && len(r.Trace.Events) <= strategy.MaxExploredEvents {
		return nil // strategy UnreachedStates makes such runs
	}
	// Findings of different tests share no departures, so that their groups are independent.
	groups := strategy.DeparturesOf(c.Strategy, r, findings, c.Ledger)
	if len(groups) == 0 {
		return nil
	}
	predicted := make(bugSites)
	predicted.add(r.Trace, findings)
	errs := make([]error, len(groups))
	ForEach(c.Replays.Workers, len(groups), func(g int) {
		errs[g] = (&departureSearch{c, r, predicted, groups[g], entries}).followAll(ctx)
	})
	for _, d := range groups {
		if d.DidNotEnd {
			c.Ledger.EndlessDepartures[d.TestsKey] = true
		}
		if c.Ledger.Allowance != nil {
			d.GiveBack(c.Ledger.Allowance)
		}
	}
	return cmp.Or(errs...)
}

// MakeWitnessRun makes a run that a witness begins.
func (c *Confirmer) MakeWitnessRun(ctx context.Context, r *strategy.Run) error {
	w, err := r.MakeBeginning()
	if err != nil {
		return err
	}
	r.Recording, r.Result, err = c.Replays.Continue(ctx, r.Base, w, r.Delay)
	return err
}

// departureSearch follows the departures of findings of the same tests.
type departureSearch struct {
	*Confirmer
	base              *recording.Recording
	predictedBugSites bugSites
	*strategy.Departures
	entries []finding.Entry
}

// followAll makes the runs to the departures one after the other: what one of them confirms
// needs no further departure.
func (d *departureSearch) followAll(ctx context.Context) (err error) {
	for next := d.Next(d.Ledger, 1); len(next) > 0; next = d.Next(d.Ledger, 1) {
		run := next[0]
		err := d.MakeWitnessRun(ctx, run)
		d.Replays.NumRuns.Add(int64(len(run.Result.Verdicts)))
		switch {
		case err != nil:
			return err
		case replays.TimedOut(run.Result):
			d.DidNotEnd = true
			return nil
		case run.Recording == nil:
			continue
		}
		if d.OpenFindings, err = d.search(ctx, run.Recording, run.Result.Detail); err != nil {
			return err
		}
	}
	return nil
}

// bugSites are the keys of the sites of predicted bugs other than assertions. An assertion
// that fails because of a race is not reported beside the race. The race may be in one trace
// and the failure in another, where sites have other numbers: keys are the same in all traces.
type bugSites map[uint64]bool

// add adds the sites of findings of t.
func (keys bugSites) add(t *trace.Trace, findings []finding.Finding) {
	for _, f := range findings {
		if f.Kind == bug.Assertion || len(f.Schedules) == 0 {
			continue
		}
		for _, site := range f.Sites {
			keys[t.Sites[site].Key] = true
		}
	}
}

// causeFailure reports whether the assertion that failed at position pos of t follows from accesses
// at these sites. Whoever fixes that bug fixes the assertion, or sees it in the next run.
func (keys bugSites) causeFailure(t *trace.Trace, pos int) bool {
	for site := range analysis.SitesInfluencing(t, pos) {
		if keys[t.Sites[site].Key] {
			return true
		}
	}
	return false
}

// search searches the recording of a departure for the open findings, and returns those that
// stay open. Detail is what the run printed where tests failed.
func (d *departureSearch) search(ctx context.Context, further *recording.Recording, detail []string) (left []int, err error) {
	predicted, err := d.predictFrom(ctx, further)
	if err != nil {
		return nil, err
	}
	// The findings are searched for concurrently; each has its own entry.
	confirmed, errs := make([]bool, len(d.OpenFindings)), make([]error, len(d.OpenFindings))
	ForEach(d.Replays.Workers, len(d.OpenFindings), func(i int) {
		f := d.Departures.Findings[d.OpenFindings[i]]
		ev, err := d.searchFor(ctx, f, further, predicted, detail)
		if confirmed[i], errs[i] = err == nil && ev.Result.IsConfirmed(), err; confirmed[i] {
			ev.Tier = TierDeparture
			d.entries[d.OpenFindings[i]] = d.NewEntry(ev)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	for i, k := range d.OpenFindings {
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

// options returns the options for predicting from the trace of a departure. Besides the open
// findings these are the bugs that may explain them: any bug may make an assertion fail, and a
// pattern of accesses may have a race.
func (d *departureSearch) options() analysis.Options {
	opts := d.Analysis
	opts.Solving.Budget.Steps = strategy.DepartureSolverSteps
	// A finding with schedules was replayed in the first trace. The trace of a departure has
	// it, too, and need not be searched for it.
	known := make(map[string]analysis.Knowledge)
	for _, f := range d.Departures.Findings {
		if len(f.Schedules) > 0 {
			known[f.Name] = analysis.Settled
		}
	}
	var kinds []bug.Kind
	all := false
	for _, k := range d.OpenFindings {
		f := d.Departures.Findings[k]
		known[f.Name] = analysis.Unknown
		// Only the kinds of open findings are predicted, which takes less time than all.
		kinds = append(kinds, f.Kind)
		all = all || f.Kind == bug.Assertion
		if finding.IsPattern(f.Kind) && d.LooksFor(bug.Race) {
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
		return max(d.Candidates.KnowledgeOf(name), analysis.TriedBefore)
	}
	return opts
}

// predictFrom predicts from the recording of a departure, and returns the findings with
// schedules.
func (d *departureSearch) predictFrom(ctx context.Context, further *recording.Recording) ([]finding.Finding, error) {
	opts := d.options()
	opts.OnlyScheduled = true
	result, err := finding.Predict(ctx, further.Trace, opts)
	if err != nil {
		return nil, err
	}
	result.Findings = slices.DeleteFunc(result.Findings, func(f analysis.Finding) bool { return len(f.Schedules) == 0 || len(f.Tests) == 0 })
	findings, _, err := finding.FromAnalysis(further, result, finding.NewWitnessIDs())
	return findings, err
}

// searchFor searches the recording of a departure for f: for a failure at its site, or for the
// same violation among the findings that were predicted from it, all of which have schedules.
func (d *departureSearch) searchFor(ctx context.Context, f finding.Finding, further *recording.Recording, predicted []finding.Finding, detail []string) (evidence.Evidence, error) {
	if pos := failurePosition(further, f.Kind, firstSite(d.base.Trace, f), detail); pos >= 0 {
		if f.Kind == bug.Assertion && d.predictedBugSites.causeFailure(further.Trace, pos) {
			return evidence.Evidence{}, nil
		}
		return d.confirmFailure(ctx, further, f, pos)
	}
	for _, p := range predicted {
		if finding.BugKey(p.Witness) != finding.BugKey(f.Witness) {
			continue
		}
		// The witness has the ID of the finding: departures find the same bug.
		named := *p.Witness
		named.ID = f.Witness.ID
		p.Witness = &named
		ev, err := d.ReplayFinding(ctx, further, p)
		if err != nil || ev.Result.IsConfirmed() {
			return ev, err
		}
	}
	return evidence.Evidence{}, nil
}
