package ledger

import (
	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
)

// Candidates are what is known of the candidates of one package, by their names
// (analysis.Finding.Name), from all recordings so far.
type Candidates struct {
	// Strayed are the candidates whose replays left their schedules.
	Strayed []Strayed

	names *finding.Names // of their witnesses
	known map[string]analysis.Knowledge
}

// A Strayed candidate is one whose replays left their schedules. Recorded alone, its test may
// show one that the replays keep to.
type Strayed struct {
	Test, Name string
	Order      recorder.Order
}

// NewCandidates returns what is known before any recording.
func NewCandidates() *Candidates {
	return &Candidates{names: finding.NewNames(), known: make(map[string]analysis.Knowledge)}
}

// Names returns the IDs of the candidates' witnesses.
func (c *Candidates) Names() *finding.Names { return c.names }

// Known says what is known of a candidate, for the analysis of a further trace.
func (c *Candidates) Known(candidate string) analysis.Knowledge { return c.known[candidate] }

// NotePredicted notes the candidates of a result as tried.
func (c *Candidates) NotePredicted(r *analysis.Result) {
	for _, f := range r.Findings {
		c.known[f.Name] = max(c.known[f.Name], analysis.TriedBefore)
	}
}

// Settle notes that a candidate needs no further search: it was replayed, or confirmed.
func (c *Candidates) Settle(candidate string) { c.known[candidate] = analysis.Settled }

// Reopen notes that a settled candidate is searched for in a further recording.
func (c *Candidates) Reopen(candidate string) { c.known[candidate] = analysis.TriedBefore }

// NoteReplayed notes what the replays of a finding of r have shown.
func (c *Candidates) NoteReplayed(r *recording.Recording, f finding.Finding, shown *report.Finding) {
	if shown.Replays == 0 {
		return
	}
	c.Settle(f.Name)
	if shown.Status == bug.Confirmed || r.Alone || r.Tests == 1 {
		return
	}
	for _, test := range f.Tests {
		c.Strayed = append(c.Strayed, Strayed{test, f.Name, r.Run.Order})
	}
}

// A Suspect is a run beyond the recordings in which a test failed. It is replayed when all
// tests were explored: a bug that is confirmed by then may be why the test fails.
type Suspect struct {
	Recording *recording.Recording
	Finding   finding.Finding
	Sites     string // of the finding
	// Detail is what the run printed of the failure.
	Detail []string
}

// Suspects are those of a package, in the order of the runs.
type Suspects []Suspect

// Count counts the suspects that failed at the same sites.
func (all Suspects) Count(sites string) (n int) {
	for _, s := range all {
		if s.Sites == sites {
			n++
		}
	}
	return n
}

// Events counts the events of all runs that are kept.
func (all Suspects) Events() (events int) {
	for _, s := range all {
		events += len(s.Recording.Trace.Events)
	}
	return events
}
