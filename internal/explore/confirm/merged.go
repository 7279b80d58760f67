package confirm

import (
	"context"
	"errors"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file searches for assertions that fail only where goroutines take the branches of
// different recordings (Wang et al., FAC 2011, §8). No recording leads there, nor does a run
// that departs from one recording once. So all recordings of a test are merged into one
// program, and the solver searches for a run of it that reaches the failure. This run is
// replayed like any other.
//
// This comes after all runs were made: each recording adds branches to the program.

// ConfirmMerged searches for the assertions that were predicted from some recording and that
// nothing has confirmed.
func (c *Confirmer) ConfirmMerged(ctx context.Context) error {
	var traces []*trace.Trace
	predicted := make(bugSites)
	for _, r := range c.Ledger.Recordings {
		if len(r.Trace.Events) <= maxMergedEvents && len(r.Trace.Cuts) == 0 {
			traces = append(traces, r.Trace)
		}
		predicted.add(r.Trace, r.Findings)
	}
	// A single recording has no other branches than its own.
	if len(traces) < 2 {
		return nil
	}
	m := mergedSearch{c, traces, analysis.NewRecordings(traces), make(map[string]*analysis.MergedTest), predicted}
	// An assertion is searched for once, however many recordings have left it open.
	tried := make(map[string]bool)
	for _, r := range c.Ledger.Recordings {
		for _, f := range r.Findings {
			if f.Kind != bug.Assertion || len(f.Tests) != 1 || tried[f.Name] || len(tried) == maxMergedAssertions || c.Ledger.IsConfirmed(finding.BugKey(f.Witness)) || c.Ledger.TimeLeft() == 0 {
				continue
			}
			tried[f.Name] = true
			if err := m.search(ctx, r, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// A mergedSearch searches the recordings of a package together.
type mergedSearch struct {
	*Confirmer
	traces            []*trace.Trace
	recordings        analysis.Recordings
	programs          map[string]*analysis.MergedTest // by test; nil: there is none
	predictedBugSites bugSites
}

// program returns the program of a test; nil if there are not several recordings of it, or
// too long ones.
func (m *mergedSearch) program(test string) *analysis.MergedTest {
	p, made := m.programs[test]
	if made {
		return p
	}
	var of analysis.Recordings
	for k, t := range m.traces {
		if recording.HasTest(t, test) {
			of = append(of, m.recordings[k])
		}
	}
	if len(of) > 1 {
		// Each assertion may take as long as a candidate of a further trace.
		s := m.Analysis.Solving
		s.Budget.Steps = strategy.FurtherTraceSolverSteps
		p = of.Merge(test, s)
	}
	// A nil program is kept as well: other assertions of the test then need no second look.
	m.programs[test] = p
	return p
}

// search searches for a run in which f fails, which recording r has left open, and confirms
// it.
func (m *mergedSearch) search(ctx context.Context, r ledger.PredictedRecording, f finding.Finding) error {
	p := m.program(f.Tests[0])
	if p == nil {
		return nil
	}
	m.Replays.Status.Set("predicting", r.Run.Package.Path+", recordings merged")
	t, err := p.Fails(ctx, firstSite(r.Trace, f).Key)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil || t == nil: // the assertion stays undecided
		return nil
	}
	further, pos := r.NewFurther(t, nil), len(t.Events)-1
	if m.predictedBugSites.causeFailure(t, pos) {
		return nil
	}
	f.Accesses = []int{pos}
	return m.confirmRun(ctx, further, f)
}

// confirmRun confirms that f fails in the computed run of r.
func (m *mergedSearch) confirmRun(ctx context.Context, r *recording.Recording, f finding.Finding) error {
	var ev evidence.Evidence
	err := m.WithinTime(ctx, func(limit context.Context) (err error) {
		ev, err = m.confirmFailure(limit, r, f, f.Accesses[0])
		return err
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, budget.ErrTimeOver):
		return nil
	case err != nil:
		m.Ledger.ReportError(f.Witness.ID, err)
		return nil
	case !ev.Result.IsConfirmed():
		return nil
	}
	ev.Tier = analysis.TierMerged
	m.Candidates.MarkSettled(f.Name)
	m.KeepEntry(m.NewEntry(ev))
	return nil
}
