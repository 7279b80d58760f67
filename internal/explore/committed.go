package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/confirm"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file replays the committed witnesses: those in files beside the tests of the package.

// tierWitness is the tier of a finding that only a committed witness shows.
const tierWitness = "witness"

// committedWitnesses are those of one package.
type committedWitnesses struct {
	*loop
	// reference is the recording that their replays are compared with.
	reference     *recording.Recording
	files         []string
	recordedTests []string // that were recorded
}

// newCommittedWitnesses returns the committed witnesses of the package. Passing has the tests
// that failed at first and pass in another order. Replays are compared with a run in which
// these pass: compared with one in which they fail, a failure would be no effect of the bug.
func newCommittedWitnesses(l *loop, passing []string) (*committedWitnesses, error) {
	c := &committedWitnesses{loop: l, reference: l.ledger.FirstRecordings[0].Recording}
	if len(passing) > 0 {
		c.reference = c.reference.ComparedWith(c.reference.Outcome.WithoutTests(passing))
	}
	for _, r := range l.ledger.FirstRecordings {
		c.recordedTests = append(c.recordedTests, recording.Tests(r.Trace)...)
	}
	var err error
	c.files, err = l.committedFiles()
	return c, err
}

// committedFiles returns the files of the committed witnesses. A folder of witnesses for all
// packages also has the folders of packages below this one, which are no witnesses.
func (l *loop) committedFiles() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(l.ledger.Witnesses.Paths.Witnesses.Path(), "*", "[^.]*"))
	if filepath.IsAbs(l.session.opts.WitnessFolder) {
		files = slices.DeleteFunc(files, func(file string) bool {
			info, err := os.Stat(file)
			return err == nil && info.IsDir()
		})
	}
	return files, err
}

// replayAll replays the witnesses and enters the result of each. Those that still reach their
// bugs are findings, one for each set of places.
func (c *committedWitnesses) replayAll(ctx context.Context) error {
	all := make([]replayedWitness, len(c.files))
	c.replays.Progress.Total.Store(int32(len(c.files)))
	confirm.ForEach(c.session.pool.Workers, len(c.files), func(i int) {
		w, err := witness.Load(c.files[i])
		if err == nil {
			all[i], err = c.replayWitness(ctx, w)
		}
		if err != nil {
			all[i].state = report.WitnessState{}
			all[i].decide(bug.SavedEvidence{Damaged: true}, err.Error())
		}
		all[i].state.Witness = c.ledger.Witnesses.Paths.Relative(c.files[i])
	})
	if context.Cause(ctx) == context.Canceled {
		return ctx.Err()
	}
	for _, r := range all {
		if r.state.Status == "" { // it is of a test that was not run
			continue
		}
		// A damaged file must not pass unnoticed: it is a regression test that tests nothing.
		c.ledger.AnalysisFailed = c.ledger.AnalysisFailed || r.state.Status == bug.Damaged
		if r.evidence != nil && !r.evidence.Result.IsConfirmed() { // a finding of this run may show its bug yet
			c.ledger.Witnesses.AddCommitted(r.state, &ledger.UnreachedWitness{Evidence: r.evidence})
			continue
		}
		c.ledger.Witnesses.AddCommitted(r.state, nil)
		if r.evidence == nil || c.ledger.IsConfirmed(finding.BugKey(r.evidence.Result.Witness)) {
			continue
		}
		// The report says how a run without the witness would have found the bug.
		r.evidence.Tier = tierOf(r.evidence.Result.Witness, r.evidence.Witness.ID, c.ledger.FirstRecordings[0].Findings)
		r.evidence.Path = r.state.Witness
		c.confirmer.AddEntry(c.confirmer.NewEntry(*r.evidence))
	}
	return nil
}

// A replayedWitness is a committed witness with the result of its replays.
type replayedWitness struct {
	state    report.WitnessState
	evidence *evidence.Evidence // nil if it was not replayed
}

// decide sets the state by what is known of the witness, with the reason.
func (r *replayedWitness) decide(known bug.SavedEvidence, reason string) {
	r.state.Status, r.state.Reason = known.Status(), reason
}

// tierOf returns the tier that has decided about the bug that w shows, [tierWitness] if none
// has in the first recording of this run. Of several predictions at w's places that of the
// given ID counts, else the first.
func tierOf(w *witness.Witness, id string, findings []finding.Finding) string {
	tier := tierWitness
	for _, f := range findings {
		decided := f.Tier
		if decided == "" && len(f.Departures) > 0 {
			decided = confirm.TierDeparture
		}
		if decided != "" && finding.BugKey(f.Witness) == finding.BugKey(w) && (tier == tierWitness || f.Witness.ID == id) {
			tier = decided
		}
	}
	return tier
}

// replayWitness replays a committed witness. The status is "" if it is of a test that this
// run does not select.
func (c *committedWitnesses) replayWitness(ctx context.Context, w *witness.Witness) (replayedWitness, error) {
	r := replayedWitness{state: report.WitnessState{ID: w.ID}}
	notReplayed, selected := bug.SavedEvidence{NotReplayed: true}, slices.Contains(c.recordedTests, w.Tests[0])
	switch pkg := c.notInstrumented(w); {
	case !selected && c.session.build.FiltersTests():
		return r, nil
	case !selected && !c.reference.Trace.Complete:
		r.decide(notReplayed, "recording ended before "+w.Tests[0])
		return r, nil
	case !selected:
		r.decide(bug.SavedEvidence{Stale: true}, "there is no test "+w.Tests[0])
		return r, nil
	case w.AtomicMethods && !c.session.opts.AtomicMethods:
		r.decide(notReplayed, "it takes methods for atomic regions; -predict.atomic=methods does that")
		return r, nil
	case pkg != "":
		r.decide(notReplayed, fmt.Sprintf("accesses in %s are not recorded; -predict.pkgs=work,%s does that", pkg, pkg))
		return r, nil
	}
	o, err := c.replays.ConfirmCommitted(ctx, c.reference, w)
	if ctx.Err() != nil {
		r.decide(notReplayed, context.Cause(ctx).Error())
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.decide(o.Result.SavedEvidence(), ReasonOf(o.Result))
	if o.IsConfirmed() {
		c.replays.Progress.Confirmed.Add(1)
	}
	r.evidence = &evidence.Evidence{
		Witness: w, Result: o.Result, ReplayTrace: o.ReplayTrace, Tier: tierWitness, Files: c.reference.Files, Source: c.reference.Lines.Line,
	}
	return r, nil
}

// notInstrumented returns a package that the witness needs to be instrumented and that was not
// instrumented; "" if there is none.
func (c *committedWitnesses) notInstrumented(w *witness.Witness) string {
	for _, p := range PatternsToInstrument(nil, w)[1:] {
		if c.session.build.IsUninstrumented(p) {
			return p
		}
	}
	return ""
}

// PatternsToInstrument returns the patterns of the packages to instrument: those that were asked for,
// or else the main module and the packages of the accesses of the witness.
func PatternsToInstrument(asked []string, w *witness.Witness) []string {
	if len(asked) > 0 {
		return asked
	}
	patterns := []string{"work"}
	for _, steps := range [][]witness.Step{w.Steps, w.Holds, w.Violation} {
		for _, s := range steps {
			p := recording.PackageOfFunction(s.Func)
			if s.SiteNumber > 0 && p != "" && !slices.Contains(patterns, p) { // not a call site
				patterns = append(patterns, p)
			}
		}
	}
	return patterns
}

// recheck decides, for the witnesses whose schedules the program has left, whether their bugs
// are fixed. It skips those whose bugs a finding of this run has shown.
func (c *committedWitnesses) recheck(ctx, limit context.Context) error {
	for _, u := range c.ledger.Witnesses.Unreached {
		state := c.ledger.Witnesses.StateOf(u)
		if state.Status == bug.Confirmed || !Diverges(u.Result) {
			continue
		}
		r, err := newRechecking(c.loop, u.Witness, u.Result, u.ReplayTrace).run(limit)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case limit.Err() != nil:
			state.Status, state.Reason = bug.SavedEvidence{NotReplayed: true}.Status(), context.Cause(limit).Error()
		case err != nil:
			c.ledger.ReportError(u.Witness.ID, err)
			state.Status, state.Reason = u.Result.SavedEvidence().Status(), "cannot tell whether it is fixed: "+err.Error()
		case r.Status != bug.Confirmed:
			state.Status, state.Reason = r.Status, r.ReasonAfter(state.Reason)
		default:
			c.confirmer.KeepEntry(r.Found)
		}
	}
	return nil
}

// Diverges reports whether the replays of a witness did not reach its bug, because the program
// left the schedule or crashed, or because places of the violation are gone.
// [Exploration.Recheck] finds out whether the bug is fixed then.
func Diverges(r replayer.Result) bool {
	return r.Reproduced == 0 && (r.Replays > 0 || len(r.MissingAccesses) > 0)
}

// crashes reports whether a test crashed or hung in its replays without reaching the
// violation, which may be the very bug.
func crashes(r replayer.Result) bool {
	return r.Reproduced == 0 && slices.ContainsFunc(r.Verdicts, func(v replayer.Verdict) bool {
		return v.Outcome.TimedOut || v.Outcome.Effect.Severity() > bug.TestFailure.Severity()
	})
}

// JoinReasons joins two reasons.
func JoinReasons(a, b string) string { return strings.TrimPrefix(a+"; "+b, "; ") }

// ReasonOf says why replays did not reach their bug: first what of the witness no longer fits
// the sources, last how the test failed, if it failed nevertheless.
func ReasonOf(r replayer.Result) string {
	parts := slices.Clone(r.Stale)
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	for _, v := range r.Verdicts {
		if v.Outcome.Effect != bug.NoEffect && !r.IsConfirmed() {
			words := []string{"in this order the test still fails:"}
			for _, l := range v.Outcome.Detail {
				words = append(words, strings.TrimSpace(l))
			}
			parts = append(parts, strings.TrimSuffix(strings.Join(words, " "), ":"))
			break
		}
	}
	return strings.Join(parts, "; ")
}
