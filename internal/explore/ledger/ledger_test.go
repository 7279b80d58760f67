package ledger

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// newLedger returns the ledger of package p below /m.
func newLedger() *Ledger {
	run := recorder.Run{Package: recorder.Package{Path: "m/p", Dir: "/m/p"}, Order: recorder.OldestFirst}
	return New(run, Paths{Root: "/m", Witnesses: WitnessFolder{Root: "/m/p", Below: "testdata/predict"}}, nil)
}

// entry returns one for a race at a line of a.go.
func entry(line int, status bug.Status, effect bug.Effect) finding.Entry {
	f := report.Finding{ID: "race-1", Kind: bug.Race, Status: status, Effect: effect, Package: "m/p", Test: "TestA", Accesses: []report.Access{{Op: "write", Position: report.Position{File: "a.go", Line: line}}}}
	e := finding.Entry{Finding: f}
	if status == bug.Confirmed {
		e.ConfirmedBug = f.BugKey()
		e.WitnessToSave = &witness.Witness{Kind: bug.Race, Tests: []string{"TestA"}, Violation: []witness.Step{{Op: trace.Write, File: "a.go", Line: line}}}
	}
	return e
}

// What is known of a candidate says whether a further recording is searched for it.
func TestKnown(t *testing.T) {
	several, single := &recording.Recording{NumTests: 2}, &recording.Recording{NumTests: 1}
	alone := &recording.Recording{NumTests: 2, SingleTest: true}
	replayed := func(status bug.Status) *report.Finding { return &report.Finding{Status: status, Replays: 1} }
	for _, c := range []struct {
		name    string
		rec     *recording.Recording
		shown   *report.Finding
		known   analysis.Knowledge
		strayed int
	}{
		{"not replayed", several, &report.Finding{Status: bug.Unconfirmed}, analysis.TriedBefore, 0},
		{"confirmed", several, replayed(bug.Confirmed), analysis.Settled, 0},
		{"left its schedule", several, replayed(bug.Unconfirmed), analysis.Settled, 1},
		{"left its schedule in the only test", single, replayed(bug.Unconfirmed), analysis.Settled, 0},
		{"left its schedule alone", alone, replayed(bug.Unconfirmed), analysis.Settled, 0},
	} {
		k := NewCandidates()
		assert.Equal(t, analysis.Unknown, k.KnowledgeOf("race 1"), c.name)
		k.NotePredicted(&analysis.Result{Findings: []analysis.Finding{{Name: "race 1"}}})
		k.NoteReplayed(c.rec, finding.Finding{Finding: analysis.Finding{Name: "race 1", Tests: []string{"TestA"}}}, c.shown)
		assert.Equal(t, c.known, k.KnowledgeOf("race 1"), c.name)
		assert.Len(t, k.Diverged, c.strayed, c.name)
	}
	k := NewCandidates()
	k.MarkSettled("race 1")
	k.NotePredicted(&analysis.Result{Findings: []analysis.Finding{{Name: "race 1"}}})
	assert.Equal(t, analysis.Settled, k.KnowledgeOf("race 1"), "it stays so")
	k.MarkTried("race 1")
	assert.Equal(t, analysis.TriedBefore, k.KnowledgeOf("race 1"))
}

// Candidates at the sites of a confirmed bug are settled, and not replayed.
func TestUnsettled(t *testing.T) {
	l := newLedger()
	e := entry(1, bug.Confirmed, bug.NoEffect)
	l.AddEntry(e)
	at := func(line int, name string) finding.Finding {
		return finding.Finding{Finding: analysis.Finding{Name: name}, Witness: &witness.Witness{Kind: bug.Race, Violation: []witness.Step{{Op: trace.Write, File: "a.go", Line: line, SiteNumber: 1}}}}
	}
	l.confirmedBugs[finding.BugKey(at(1, "").Witness)] = true
	l.Candidates.MarkSettled("settled")
	open := l.Unsettled([]finding.Finding{at(1, "same sites"), at(2, "other sites"), at(3, "settled")})
	if assert.Len(t, open, 1) {
		assert.Equal(t, "other sites", open[0].Name)
	}
	assert.Equal(t, analysis.Settled, l.Candidates.KnowledgeOf("same sites"))
}

// The report has one entry for each bug: the one that shows most.
func TestOutdone(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after finding.Entry
		outdone       bool
	}{
		{"confirmed after unconfirmed", entry(1, bug.Unconfirmed, ""), entry(1, bug.Confirmed, bug.NoEffect), false},
		{"unconfirmed after confirmed", entry(1, bug.Confirmed, bug.NoEffect), entry(1, bug.Unconfirmed, ""), true},
		{"a worse effect", entry(1, bug.Confirmed, bug.NoEffect), entry(1, bug.Confirmed, bug.TestFailure), false},
		{"a lesser effect", entry(1, bug.Confirmed, bug.TestFailure), entry(1, bug.Confirmed, bug.NoEffect), true},
		{"infeasible after unconfirmed", entry(1, bug.Unconfirmed, ""), entry(1, bug.Infeasible, ""), true},
		{"unconfirmed after infeasible", entry(1, bug.Infeasible, ""), entry(1, bug.Unconfirmed, ""), false},
		{"another bug", entry(1, bug.Confirmed, bug.TestFailure), entry(2, bug.Unconfirmed, ""), false},
	} {
		l := newLedger()
		assert.False(t, l.HasBetter(&c.before.Finding), c.name)
		l.AddEntry(c.before)
		assert.Equal(t, c.outdone, l.HasBetter(&c.after.Finding), c.name)
		if !c.outdone {
			l.AddEntry(c.after)
			assert.Equal(t, c.after.Status, l.Report.Findings[len(l.Report.Findings)-1].Status, c.name)
		}
	}
}

// A better entry takes the place of the one before, and keeps the goroutines that are blocked
// beside those of the bug.
func TestAddKeepsBlocked(t *testing.T) {
	l := newLedger()
	e := entry(1, bug.Confirmed, bug.Blocks)
	e.AlsoBlocked = []report.Access{{Goroutine: "0.3", Op: "recv", Position: report.Position{File: "a.go", Line: 9}}}
	l.AddEntry(e)
	l.AddEntry(entry(2, bug.Confirmed, bug.NoEffect))
	l.AddEntry(entry(1, bug.Confirmed, bug.TestFailure))
	assert.Len(t, l.Report.Findings, 2)
	assert.Len(t, l.Report.Findings[0].AlsoBlocked, 1)
	l.JoinBlocked(&e.Finding, []report.Access{{Goroutine: "0.4", Op: "send", Position: report.Position{File: "a.go", Line: 8}}})
	assert.Len(t, l.Report.Findings[0].AlsoBlocked, 2)
}

// One bug is reported once: a failure that a race explains is dropped, with its draft.
func TestDropExplained(t *testing.T) {
	failure := func(detail string) finding.Entry {
		e := entry(5, bug.Confirmed, bug.TestFailure)
		e.Kind, e.ID, e.Detail = bug.Failure, "failure-1", []string{"a_test.go:7: " + detail}
		e.ConfirmedBug = e.BugKey()
		return e
	}
	race := entry(1, bug.Confirmed, bug.TestFailure)
	race.Detail = []string{"    a_test.go:7: lost"}
	quiet := race
	quiet.Effect = bug.NoEffect
	for _, c := range []struct {
		name    string
		race    finding.Entry
		failure finding.Entry
		left    int
	}{
		{"explained", race, failure("lost"), 1},
		{"other output at the line", race, failure("found"), 1},
		{"no failing effect", quiet, failure("lost"), 2},
	} {
		l := newLedger()
		f := c.failure
		l.Witnesses.Place(&f)
		assert.Equal(t, "/m/p/testdata/predict/TestA/failure-1", filepath.ToSlash(l.Witnesses.drafts[0].Destination))
		l.AddEntry(f)
		l.AddEntry(c.race)
		l.DropExplained()
		assert.Len(t, l.Report.Findings, c.left, c.name)
		assert.Len(t, l.Witnesses.TakeDrafts(), c.left-1, c.name)
	}
}

// Each bug and test has one file for its witness; a committed one that did not reach the bug
// is replaced.
func TestPlace(t *testing.T) {
	l := newLedger()
	place := func(e finding.Entry) string {
		l.Witnesses.Place(&e)
		assert.Equal(t, e.ID, e.WitnessToSave.ID)
		return e.Witness
	}
	first := entry(1, bug.Confirmed, bug.NoEffect)
	assert.Equal(t, "p/testdata/predict/TestA/race-1", place(first))
	assert.Equal(t, "p/testdata/predict/TestA/race-1", place(entry(1, bug.Confirmed, bug.TestFailure)), "the same bug")
	assert.Len(t, l.Witnesses.drafts, 1)

	old := &witness.Witness{ID: "race-old", Kind: bug.Race, Tests: []string{"TestA"}, Violation: []witness.Step{{Op: trace.Write, File: "a.go", Line: 2, SiteNumber: 1}}}
	second := entry(2, bug.Confirmed, bug.NoEffect)
	second.ConfirmedBug = finding.BugKey(old)
	state := report.WitnessState{Witness: "p/testdata/predict/TestA/race-old", ID: "race-old", Status: bug.Unconfirmed}
	l.Witnesses.AddCommitted(state, &UnreachedWitness{Evidence: &evidence.Evidence{Witness: old, Result: replayer.Result{Witness: old}}})
	assert.Equal(t, "p/testdata/predict/TestA/race-old", place(second))
	assert.Equal(t, bug.Confirmed, l.Witnesses.CommittedStates[0].Status)
	assert.Equal(t, "by another schedule", l.Witnesses.CommittedStates[0].Reason)

	third := entry(3, bug.Confirmed, bug.NoEffect)
	l.Witnesses.AddCommitted(report.WitnessState{Witness: "p/testdata/predict/TestA/race-1", Status: bug.Confirmed}, nil)
	assert.NotEqual(t, "p/testdata/predict/TestA/race-1", place(third), "that file is of a committed witness")
}

// A run shows a new behaviour if some test has another order of events.
func TestShowsNew(t *testing.T) {
	of := func(kinds ...trace.Kind) *trace.Trace {
		tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "0", Test: "TestA"}}}
		for _, k := range kinds {
			tr.Events = append(tr.Events, trace.Event{Kind: k})
		}
		return tr
	}
	l := newLedger()
	assert.True(t, l.ShowsNew(of(trace.Read, trace.Write)))
	assert.False(t, l.ShowsNew(of(trace.Read, trace.Write)))
	assert.True(t, l.ShowsNew(of(trace.Write, trace.Read)))
	assert.False(t, l.ShowsNew(of(trace.Read, trace.Write)))
}

// Of what blocks goroutines at the same sites only some endings are replayed.
func TestTakeEnding(t *testing.T) {
	l := newLedger()
	for range MaxReplayedEndings {
		assert.True(t, l.CountEndingReplay("sites"))
	}
	assert.False(t, l.CountEndingReplay("sites"))
	assert.True(t, l.CountEndingReplay("others"))
}

// A suspected failure counts as a bug for the strategies, once for each place.
func TestShown(t *testing.T) {
	l := newLedger()
	l.AddEntry(entry(1, bug.Confirmed, bug.NoEffect))
	run := &recording.Recording{Trace: &trace.Trace{Events: make([]trace.Event, 3)}}
	l.SuspectRuns = SuspectRuns{{Recording: run, Bug: "a"}, {Recording: run, Bug: "a"}, {Recording: run, Bug: "b"}}
	assert.Equal(t, 3, l.CountShown())
	assert.Equal(t, 2, l.SuspectRuns.CountOf("a"))
	assert.Equal(t, 9, l.SuspectRuns.CountEvents())
}
