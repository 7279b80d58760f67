package confirm

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file replays runs in which a test failed, up to the failure. If a replay fails at the
// same place, the order of goroutines makes the test fail, or each run does. The control, a
// run in an order in which the test has passed, decides between these.

// FailuresIn returns a finding for each test that failed at a place of the sources in the run
// of r: none for a test that was only killed, or is blocked.
func FailuresIn(r *recording.Recording) (out []finding.Finding) {
	if recording.EndedByDeadlock(r.Trace) {
		return nil
	}
	for _, test := range recording.FailedTests(r.Trace) {
		pos, found := recording.FailurePosition(r.Trace, test)
		if !found {
			continue
		}
		out = append(out, finding.FromRun(r, analysis.Finding{
			Kind: bug.Failure, Accesses: []int{pos}, Tests: []string{test}, Status: bug.Predicted, Tier: r.Tier(),
			Name: fmt.Sprintf("%s %s %d", bug.Failure, test, r.Trace.Events[pos].Site),
		}))
	}
	return out
}

// FailedAssertions returns a finding for each assertion that failed in the run of r, at the last
// time.
func FailedAssertions(r *recording.Recording) (out []finding.Finding) {
	failed := recording.FailedTests(r.Trace)
	seen := make(map[trace.SiteID]bool)
	for i, e := range slices.Backward(r.Trace.Events) {
		s, test := r.Trace.Sites[e.Site], recording.TestFunction(r.Trace.Goroutines[e.G].Test)
		fails := e.Kind == trace.Assert && e.Val == 0 || e.Kind == trace.Branch && (s.FailsIf == trace.IfTrue) == (e.Val != 0)
		if s.FailsIf == trace.NoOutcome || !fails || seen[e.Site] || !slices.Contains(failed, test) {
			continue
		}
		seen[e.Site] = true
		out = append(out, finding.FromRun(r, analysis.Finding{
			Kind: bug.Assertion, Accesses: []int{i}, Tests: []string{test}, Status: bug.Predicted, Tier: r.Tier(),
		}))
	}
	return out
}

// ReplayAssertion replays the run of r up to the assertion f, which failed in it. The entry is empty
// if no replay confirms that.
func (c *Confirmer) ReplayAssertion(ctx context.Context, r *recording.Recording, f finding.Finding) (finding.Entry, error) {
	passed := r.ComparedWith(replayer.Outcome{Effect: bug.NoEffect}) // to fail is an effect of the bug
	ev, err := c.confirmFailure(ctx, passed, f, f.Accesses[0])
	if err != nil || !ev.Result.IsConfirmed() {
		return finding.Entry{}, err
	}
	return c.NewEntry(ev), nil
}

// ReplayFailure replays the run of r up to the failure f.
func (c *Confirmer) ReplayFailure(ctx context.Context, r *recording.Recording, f finding.Finding) (finding.Entry, error) {
	recipe := analysis.Recipe{Recipe: schedule.Recipe{Accesses: f.Accesses}}
	order := finding.RecordedSchedule(r.Trace, f.Accesses[0])
	if r.BegunBy != nil { // hold goroutines where they were in that run
		order.Hold = finding.ScheduleUpTo(r, f.Accesses[0]).Hold
	}
	passed := r.ComparedWith(replayer.Outcome{Effect: bug.NoEffect}) // to fail is an effect of the bug
	o, err := c.Replays.ReplaySmallOrWhole(ctx, passed, finding.ScheduledFinding{Finding: f, Recipe: recipe, Schedule: order})
	if err != nil {
		return finding.Entry{}, err
	}
	return c.NewEntry(evidenceOf(r, f, o)), nil
}

// evidenceOf returns the evidence for f after the replays of a witness.
func evidenceOf(r *recording.Recording, f finding.Finding, o replays.Outcome) evidence.Evidence {
	ev := finding.EvidenceBeforeReplay(r, f)
	ev.Witness, ev.Result, ev.ReplayTrace = o.Witness, o.Result, o.ReplayTrace
	return ev
}

// confirmFailure confirms that f fails, as it has at position pos of the trace of r.
func (c *Confirmer) confirmFailure(ctx context.Context, r *recording.Recording, f finding.Finding, pos int) (ev evidence.Evidence, err error) {
	// The small witness leaves out steps that do not matter by the trace. If they do matter,
	// the whole schedule leads to the failure.
	for _, extent := range []witness.StepSelection{witness.NeededSteps, witness.VisibleSteps} {
		w, err := finding.FailureWitness(r, f, pos, extent)
		if err != nil {
			return ev, err
		}
		o, err := c.Replays.Confirm(ctx, r, w, false)
		if ctx.Err() != nil {
			return ev, context.Cause(ctx)
		}
		if err != nil {
			return ev, err
		}
		if o.IsConfirmed() {
			c.Replays.Progress.Confirmed.Add(1)
			ev = evidenceOf(r, f, o)
			ev.Violation = []int{pos}
			return ev, nil
		}
	}
	return ev, nil
}

// failurePosition returns the position in t of the assertion at a site that failed, or of the
// unlock there that was fatal; -1 if there is none. Tests have printed detail.
//
// A failed assertion is in the trace as a branch that went the way which fails, or as a call
// of testify's, whose message names the line; a bad unlock as the release that came too
// early. The last one counts: it ended the run.
func failurePosition(r *recording.Recording, kind bug.Kind, site trace.Site, detail []string) int {
	t := r.Trace
	line, fatal := fmt.Sprintf("%s:%d: ", filepath.Base(site.File), site.Line), -1
	asserts := kind.Proof() == bug.FailedTest
	if kind.Proof() == bug.Misused {
		fatal = r.LastUnmatchedRelease()
	}
	// Testify reports the line of an assertion in the output of the test.
	printed := slices.ContainsFunc(detail, func(text string) bool { return strings.Contains(text, line) })
	for i, e := range slices.Backward(t.Events) {
		s := t.Sites[e.Site]
		if s.Key != site.Key {
			continue
		}
		switch {
		case i == fatal,
			asserts && e.Kind == trace.Branch && s.FailsIf != trace.NoOutcome && (s.FailsIf == trace.IfTrue) == (e.Val != 0),
			asserts && e.Kind == trace.Assert && s.FailsIf != trace.NoOutcome && printed:
			return i
		}
	}
	return -1
}
