// Package finding makes witnesses of findings, and entries of reports from the results of
// their replays.
//
// One bug has these names on its way. A candidate is a kind of bug at some sites: the trace
// has events that may be the bug in another order. A finding is a candidate that the tiers of
// package analysis have looked at. A witness is a schedule in terms of goroutines and sites:
// unlike positions in a trace it fits the next run, and the sources after an edit. A verdict
// is the result of one replay of a witness. Only a verdict confirms a finding.
package finding

import (
	"cmp"
	"fmt"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Finding is a finding of the analysis with a witness of nothing but its violation, which
// identifies it. Witnesses with steps are made only when they are replayed: there may be many
// findings, and a witness may have thousands of steps.
type Finding struct {
	analysis.Finding
	Witness *witness.Witness
}

// WitnessIDs are the IDs of the witnesses of candidates, each of which is one candidate's
// only.
type WitnessIDs struct {
	candidateByID map[string]string // by ID
}

// NewWitnessIDs returns an empty set of IDs.
func NewWitnessIDs() *WitnessIDs { return &WitnessIDs{make(map[string]string)} }

// IDFor returns the ID of the witness of a candidate: id or, if that is another candidate's,
// id with a number.
func (n *WitnessIDs) IDFor(id, candidate string) string {
	// A second candidate with the ID x gets x-2, a third one x-3.
	free := id
	for k := 2; n.candidateByID[free] != "" && n.candidateByID[free] != candidate; k++ {
		free = fmt.Sprintf("%s-%d", id, k)
	}
	n.candidateByID[free] = candidate
	return free
}

// FromAnalysis makes the findings of a result with their witnesses. Those that are proven
// infeasible are returned separately.
func FromAnalysis(r *recording.Recording, result *analysis.Result, names *WitnessIDs) (open, infeasible []Finding, err error) {
	named := func(w *witness.Witness, f analysis.Finding) Finding {
		w.ID = names.IDFor(w.ID, f.Name)
		return Finding{f, w}
	}
	for _, f := range result.Findings {
		switch {
		case f.Status == bug.Infeasible:
			continue
		case len(f.Tests) == 0: // a replay runs tests and controls nothing else
			f.Schedules, f.Departures, f.Reason = nil, nil, cmp.Or(f.Reason, f.Note)
			open = append(open, named(witnessWithoutSteps(r, f), f))
			continue
		}
		w, err := violationWitness(r, f)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Run.Package.Path, err)
		}
		open = append(open, named(w, f))
	}
	// These come last, so that they change no ID of a finding that may be confirmed.
	for _, f := range result.Findings {
		if f.Status == bug.Infeasible {
			infeasible = append(infeasible, named(witnessWithoutSteps(r, f), f))
		}
	}
	return open, infeasible, nil
}

// FromRun returns a finding that the run itself has shown.
func FromRun(r *recording.Recording, f analysis.Finding) Finding {
	if w, err := violationWitness(r, f); err == nil && len(f.Tests) > 0 {
		return Finding{f, w}
	}
	return Finding{f, witnessWithoutSteps(r, f)}
}

// violationWitness makes a witness of nothing but the violation of f.
func violationWitness(r *recording.Recording, f analysis.Finding) (*witness.Witness, error) {
	// A schedule without steps leaves nothing but the violation.
	recipe := analysis.Recipe{Recipe: schedule.Recipe{Accesses: f.Accesses}, Pattern: f.Pattern}
	return ScheduledFinding{Finding{Finding: f}, recipe, schedule.Schedule{}}.makeWitness(r, witness.NeededSteps)
}

// witnessWithoutSteps makes a witness of a finding that nothing can replay: it is infeasible,
// or outside of all tests. The report shows its accesses.
func witnessWithoutSteps(r *recording.Recording, f analysis.Finding) *witness.Witness {
	w := &witness.Witness{
		ID:   r.Index.ID(r.Trace, f.Kind, f.Accesses, r.Lines),
		Kind: f.Kind, Package: r.Run.Package.Path, Tests: f.Tests,
	}
	for k, i := range f.Accesses {
		e := r.Trace.Events[i]
		site := r.Trace.Sites[e.Site]
		w.Violation = append(w.Violation, witness.Step{
			Goroutine: r.Trace.Goroutines[e.G].Name(), Op: e.Kind, Func: site.Func,
			File: r.Files.Name(site.File), Line: site.Line, Col: site.Col, Expr: site.Expr,
		})
		if f.Pattern != nil {
			w.Pattern = f.Pattern.Name
			w.Violation[k].Variable, w.Violation[k].Region = f.Pattern.Events[k].Variable+1, f.Pattern.Events[k].Region+1
		}
	}
	return w
}

// BugKey identifies a bug by the sites of a witness's violation, as the current sources have
// them. The operand of a call is compared by its shape only: names in it may have changed.
func BugKey(w *witness.Witness) string {
	f := report.Finding{Kind: w.Kind, Pattern: w.Pattern}
	for _, s := range w.Violation {
		expr := s.Expr
		if s.SiteNumber == 0 {
			expr = witness.Shape(expr)
		}
		f.Accesses = append(f.Accesses, report.Access{Op: s.OperationWord(), Expr: expr, Position: report.Position{File: s.File, Line: s.Line}})
	}
	return f.BugKey()
}

// OnePerBug returns one of the findings of each bug, if possible one with schedules: for the
// reader, findings at the same lines are one bug.
func OnePerBug(findings []Finding) []Finding {
	var out []Finding
	index := make(map[string]int)
	for _, f := range findings {
		sites := BugKey(f.Witness)
		switch k, known := index[sites]; {
		case !known:
			index[sites] = len(out)
			out = append(out, f)
		case len(out[k].Schedules) == 0 && len(f.Schedules) > 0:
			out[k] = f
		}
	}
	return out
}

// IsPattern reports whether bugs of a kind are patterns of accesses. There are the most of
// these, and they have the least effect.
func IsPattern(kind bug.Kind) bool { return kind == bug.Atomicity || kind == bug.AtomicSet }
