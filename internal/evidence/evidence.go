// Package evidence makes the model of a report, report.Finding and its parts, from traces,
// witnesses and the verdicts of replays.
//
// It stands between internal/explore and internal/command, which record and replay, and
// internal/report, which only writes what is made here. [NewFinding] makes one finding: the
// violating accesses with the locks held there, the interleaving with its values and the
// reasons of its switches, the edges that order its steps (the partial and temporal order of
// PECAN §3, as far as the steps show it), and who else is blocked. [CasesIn] and
// [LingeringIn] are about a whole recorded run.
package evidence

import (
	"sync"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Evidence is what a finding is made from.
type Evidence struct {
	Witness *witness.Witness // Result.Witness, if there is one, replaces it
	Result  replayer.Result
	// Path is where the witness is saved, relative to the module root.
	Path string
	Tier string // the tier of the analysis that found it
	Run  int    // the number, from 1, of the run of exploration that showed it; 0: a recording did
	// Parents are the runs from which exploration derived Run, 0 for recordings.
	Parents []int
	// Analysis is what the analysis says of the bug.
	Analysis bug.Evidence

	// Trace is the recorded run and Violation the positions of the violating events in it.
	// They show the locks held and where goroutines were created. If Trace is nil, Replayed
	// is used for that.
	Trace     *trace.Trace
	Violation []int
	Index     *witness.Index      // of Trace; nil: there is none
	Facts     func() *facts.Facts // of Trace; nil: they are made when they are needed
	// Replayed is a recording of a replay in the order Result.Order; it gives the values. It
	// may be nil. Observed is what it shows of the witness; nil: NewFinding looks that up.
	ReplayTrace *trace.Trace
	Observed    *witness.Observed
	// Files names files. Source returns a line of the file at a path.
	Files  witness.Files
	Source func(file string, line int) string
}

// A run is a recorded run or a replay, with its trace.
type run struct {
	*trace.Trace
	index *witness.Index // nil: there is none
	facts func() *facts.Facts
}

// runOf returns the run of the trace t, nil if that is nil. Facts that are not given are made when they
// are first asked for.
func runOf(t *trace.Trace, index *witness.Index, of func() *facts.Facts) *run {
	if t == nil {
		return nil
	}
	if of == nil {
		of = sync.OnceValue(func() *facts.Facts { return facts.New(t) })
	}
	return &run{t, index, of}
}

// A builder makes a finding of evidence.
type builder struct {
	*Evidence
	namer
	recorded, replayed *run // nil if there is no trace
	named              *objects
}

// newBuilder returns the builder for a witness of ev. If ev has no recorded run, the replay replaces
// it.
func newBuilder(ev *Evidence, w *witness.Witness) builder {
	b := builder{ev, namer{pkg: w.Package}, runOf(ev.Trace, ev.Index, ev.Facts), runOf(ev.ReplayTrace, nil, nil), new(objects)}
	if b.recorded == nil && b.replayed != nil {
		b.recorded, ev.Violation = b.replayed, witness.FindSteps(ev.ReplayTrace, nil, w.Violation)
	}
	if len(w.Tests) > 0 { // there is none outside of tests
		b.test = w.Tests[0]
	}
	return b
}

// status returns the status that follows from the evidence.
func (ev *Evidence) status() bug.Status {
	known := ev.Analysis
	known.Replays, known.Reproduced, known.Unproven = ev.Result.Replays, ev.Result.Reproduced, ev.Result.Unproven
	return known.Status()
}

// NewFinding makes a finding of the evidence.
func NewFinding(ev Evidence) report.Finding {
	w, r := ev.Witness, ev.Result
	if r.Witness != nil { // the same bug, at its current places
		w = r.Witness
	}
	b := newBuilder(&ev, w)
	status := ev.status()
	f := report.Finding{
		ID: w.ID, Kind: w.Kind, Pattern: w.Pattern, Status: status.InReport(), Reason: r.Reason, Undecided: status == bug.Undecided, Refuted: status == bug.Undecided && ev.Analysis.Refuted,
		Package: w.Package, Test: b.test, Witness: ev.Path, Tier: ev.Tier, Run: ev.Run, Parents: ev.Parents,
		Replays: r.Replays, Reproduced: r.Reproduced,
		Accesses: []report.Access{},
	}
	if r.IsConfirmed() {
		f.Effect, f.Detail, f.Time = r.Effect, r.Detail, b.timing()
	}
	if r.Order == "10" && len(w.Violation) > 1 && !w.InOrder() {
		f.FirstAccess = 1
	}
	f.OrderOutcomes = outcomes(w, r)
	for i, s := range w.Violation {
		f.Accesses = append(f.Accesses, b.access(w.Kind, i, s))
	}
	if w.EndsBlocked() && r.IsConfirmed() {
		b.addWaits(&f, w)
	}
	b.addInterleaving(&f, w)
	b.tellApart(&f)
	b.addExcerpts(&f)
	return f
}

// addInterleaving adds the steps of w to f, with the edges between them and the reasons of
// the switches. The values are those of the replay, if that was recorded.
func (b builder) addInterleaving(f *report.Finding, w *witness.Witness) {
	f.ValuesFrom = "recording"
	if b.ReplayTrace != nil {
		if b.Observed == nil {
			seen := w.Observe(b.ReplayTrace)
			b.Observed = &seen
		}
		w, f.ValuesFrom = b.Observed.Witness, "replay"
	}
	steps := b.interleaving(w, f.FirstAccess)
	steps, f.OmittedSteps = lastSteps(steps)
	f.Interleaving = b.namedSteps(w, steps, f.Accesses)
	b.addConnections(f, steps)
	b.addSwitches(f, w)
}

// outcomes returns the outcome of each order of two accesses that a replay has confirmed.
func outcomes(w *witness.Witness, r replayer.Result) (out []report.Outcome) {
	if len(w.Violation) < 2 || w.InOrder() || w.EndsBlocked() {
		return nil
	}
	var seen [2]bool
	for _, v := range r.Verdicts {
		first := 0
		if v.Order == "10" {
			first = 1
		}
		if v.Status == bug.Confirmed && !seen[first] {
			seen[first] = true
			out = append(out, report.Outcome{First: first, Effect: v.Outcome.Effect, Detail: v.Outcome.Detail})
		}
	}
	return out
}
