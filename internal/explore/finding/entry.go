package finding

import (
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// EvidenceBeforeReplay returns the evidence for f before any replay.
func EvidenceBeforeReplay(r *recording.Recording, f Finding) evidence.Evidence {
	return evidence.Evidence{
		Witness: f.Witness, Analysis: f.Evidence(), Tier: f.Tier, Run: r.RunNumber, Parents: r.ParentRuns,
		Trace: r.Trace, Violation: f.Accesses, Index: r.Index, Facts: r.Facts, Files: r.Files, Source: r.Lines.Line,
	}
}

// EvidenceWithoutReplay returns the evidence for f without replays, and why there are none.
func EvidenceWithoutReplay(r *recording.Recording, f Finding) evidence.Evidence {
	ev := EvidenceBeforeReplay(r, f)
	ev.Result = replayer.Result{Reason: witness.ReadableGoroutines(f.Reason, f.Tests)}
	return ev
}

// EvidenceOutOfTime returns the evidence for a finding that could not be replayed to the end,
// with the reason. The error is the cause for which ctx is over.
func EvidenceOutOfTime(ctx context.Context, ev evidence.Evidence) (evidence.Evidence, error) {
	return NotReplayed(ev, context.Cause(ctx))
}

// NotReplayed returns evidence with why there were no replays, if there were none, and err.
func NotReplayed(ev evidence.Evidence, err error) (evidence.Evidence, error) {
	if ev.Result.Replays == 0 {
		ev.Result.Reason = "not replayed: " + err.Error()
	}
	return ev, err
}

// An Entry is a finding that may become part of the report. Its witness has no file yet. The
// report may have the bug already, from another recording.
type Entry struct {
	report.Finding
	// ConfirmedBug is the [BugKey] of the confirmed bug; "" if it is not confirmed.
	ConfirmedBug string
	// WitnessToSave is the witness with the values of the replay; nil if the bug is not
	// confirmed.
	WitnessToSave *witness.Witness
	// Violation is a witness of nothing but the violation, at its places in the present sources.
	Violation *witness.Witness
}

// NewEntry makes an entry of the evidence.
func NewEntry(files witness.Files, ev evidence.Evidence) Entry {
	var e Entry
	if ev.Result.IsConfirmed() {
		e.ConfirmedBug = BugKey(ev.Result.Witness)
		// The witness in the file has the values of the replay, by which a reader understands
		// it.
		w := *ev.Witness
		if e.WitnessToSave = &w; ev.ReplayTrace != nil {
			observed := w.Observe(ev.ReplayTrace)
			e.WitnessToSave = observed.Witness
			if now := ev.Result.Witness; slices.Equal(w.Steps, now.Steps) && slices.Equal(w.Holds, now.Holds) && slices.Equal(w.Violation, now.Violation) {
				ev.Observed = &observed // found already
			}
		}
	}
	now := ev.Witness
	if ev.Result.Witness != nil {
		now = ev.Result.Witness
	}
	e.Violation = &witness.Witness{Kind: now.Kind, Package: now.Package, Tests: now.Tests, Pattern: now.Pattern, Violation: now.Violation}
	e.Finding = evidence.NewFinding(ev)
	e.Reason = files.Shorten(e.Reason)
	return e
}

// ReportPredictions returns the findings of a report on what was predicted from t, without
// replays: one for each bug, with the interleaving that leads there if there is one. Those
// that are proven infeasible are returned separately. Files are named relative to the folder
// root.
func ReportPredictions(ctx context.Context, t *trace.Trace, result *analysis.Result, root string) (predicted, infeasible []report.Finding, err error) {
	src := recording.Sources{Files: witness.Files{Root: root}, Lines: new(witness.Sources)}
	r := (&recording.Recording{Sources: src}).WithTrace(t)
	findings, impossible, err := FromAnalysis(r, result, NewWitnessIDs())
	if err != nil {
		return nil, nil, err
	}
	for _, f := range OnePerBug(findings) {
		ev := EvidenceWithoutReplay(r, f)
		if f.Status == bug.Predicted { // FromAnalysis has removed the schedules of findings outside of tests
			ev.Result.Reason = "not replayed"
		}
		if len(f.Schedules) > 0 {
			s := ScheduledFinding{Finding: f, Recipe: f.Schedules[0], Schedule: f.Schedules[0].Schedule()}
			if ev.Witness, err = s.NewWitness(ctx, r, witness.NeededSteps); err != nil {
				return nil, nil, err
			}
		}
		predicted = append(predicted, evidence.NewFinding(ev))
	}
	for _, f := range impossible {
		infeasible = append(infeasible, evidence.NewFinding(EvidenceWithoutReplay(r, f)))
	}
	return predicted, infeasible, nil
}
