package confirm

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file confirms goroutines that were blocked for ever at the end of a run.
//
// The recorder proves that they are blocked for ever: no goroutine can go on any more, or
// nothing that is alive can reach what they wait for. A replay that is blocked as well confirms
// the bug. If none is, the report has the bug all the same, as one that is not confirmed.

// An ending is a run at whose end goroutines were blocked by one kind of bug, in one window of
// its trace.
type ending struct {
	*Confirmer
	rec          *recording.Recording // of the window
	kind         bug.Kind
	blockedWaits []waits.Wait // of the blocked goroutines
	// numRecorded is the number of events that happened. The events after these stand for the
	// operations in which goroutines are blocked.
	numRecorded int
	cones       *analysis.Cones // nil before they are needed
}

// endings yields the endings of the run of r: one for each kind of bug and each window of the
// trace. Only the window and the recording of a replay are in memory meanwhile. The error is
// that the events cannot be read again.
func (c *Confirmer) endings(r *recording.Recording) iter.Seq2[*ending, error] {
	return func(yield func(*ending, error) bool) {
		for _, b := range []struct {
			kind  bug.Kind
			proof trace.Proof
		}{{bug.Deadlock, trace.ProofDeadlock}, {bug.Leak, trace.ProofLeak}} {
			is := func(s trace.BlockedGoroutine) bool { return s.Proof == b.proof }
			if !slices.ContainsFunc(r.Trace.Blocked, is) {
				continue
			}
			for window, err := range reduce.Blocked(r.Trace, is) {
				if err != nil {
					yield(nil, err)
					return
				}
				blocked, with := waits.BlockedInPlace(window, b.proof)
				// A goroutine that was blocked when its own test ended is a leak of that test,
				// and has no part in a deadlock of a later one.
				if b.proof == trace.ProofDeadlock {
					blocked = slices.DeleteFunc(blocked, func(w waits.Wait) bool { return recording.BlockedBeforeDeadlock(r.Trace, w.G) })
					c.enablers().Complete(with, blocked)
				}
				if len(blocked) == 0 {
					continue
				}
				// The blocked goroutines are the effect of the bug. Compared with the run that
				// has shown them, no replay would have an effect.
				outcome := r.Outcome
				outcome.Effect = bug.NoEffect // it is the bug's
				if !yield(&ending{Confirmer: c, rec: r.WithTrace(with).ComparedWith(outcome), kind: b.kind, blockedWaits: blocked, numRecorded: with.Happened()}, nil) {
					return
				}
			}
		}
	}
}

// enablers returns who has ended the waits of others, in the recordings of the ledger.
func (c *Confirmer) enablers() waits.Enablers {
	all := make(waits.Enablers)
	for _, r := range slices.Concat(c.Ledger.FirstRecordings, c.Ledger.Recordings) {
		all.Add(r.Trace, r.Facts())
	}
	return all
}

// ConfirmBlocked confirms the bugs that blocked goroutines for ever at the end of the run of
// r, and replays the schedules that led there.
func (c *Confirmer) ConfirmBlocked(ctx context.Context, r *recording.Recording) error {
	for e, err := range c.endings(r) {
		if err != nil {
			return err
		}
		if !c.LooksFor(e.kind) {
			continue
		}
		err := c.WithinTime(ctx, func(limit context.Context) error {
			// A loop may leave many goroutines blocked at the same places, all by one bug.
			tried := make(map[string]int)
			for _, members := range groupByBug(e.kind, e.blockedWaits) {
				sites := e.siteKey(members)
				if tried[sites] == maxSameSites {
					continue
				}
				tried[sites]++
				if err := e.confirm(ctx, limit, members); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ReplayBlocked returns the entry of a bug of that kind for which is is true, if the run of r
// ended with it and a replay does, too.
func (c *Confirmer) ReplayBlocked(ctx context.Context, r *recording.Recording, kind bug.Kind, is func(*witness.Witness) bool) (finding.Entry, error) {
	for e, err := range c.endings(r) {
		if err != nil {
			return finding.Entry{}, err
		}
		if e.kind != kind {
			continue
		}
		for _, members := range groupByBug(e.kind, e.blockedWaits) {
			if f := e.finding(members); len(f.Tests) > 0 && is(f.Witness) {
				ev := finding.EvidenceBeforeReplay(e.rec, f)
				err := e.replay(ctx, f, members, &ev)
				return c.NewEntry(ev), err
			}
		}
	}
	return finding.Entry{}, nil
}

// HasBlocked reports whether a bug of that kind blocked goroutines of a test at the end of the
// run of r.
func (c *Confirmer) HasBlocked(r *recording.Recording, kind bug.Kind, test string) bool {
	for e, err := range c.endings(r) {
		if err == nil && e.kind == kind && slices.Contains(e.testsOf(e.blockedWaits), test) {
			return true
		}
	}
	return false
}

// groupByBug returns the blocked goroutines of each bug: those that wait for each other in a
// cycle. In a deadlock without one, those that wait for nothing that others hold are blocked by
// one bug together, but for onlookers. Of goroutines that leak each is blocked by a bug of its
// own.
func groupByBug(kind bug.Kind, blocked []waits.Wait) (out [][]waits.Wait) {
	of := func(ks ...int) (members []waits.Wait) {
		for _, k := range ks {
			members = append(members, blocked[k])
		}
		return members
	}
	cycles, others := waits.Bugs(blocked)
	for _, c := range cycles {
		out = append(out, of(c...))
	}
	switch {
	case kind == bug.Leak:
		for _, k := range others {
			out = append(out, of(k))
		}
	case len(cycles) == 0:
		for _, c := range waits.MessageCycles(blocked) {
			out = append(out, of(c...))
		}
		if len(out) == 0 {
			out = append(out, of(waits.WithoutOnlookers(blocked, others)...))
		}
	}
	return out
}

// finding returns the bug that blocks its members, whose accesses are in the order in which
// replays have to begin them.
func (e *ending) finding(members []waits.Wait) finding.Finding {
	byTurn := slices.SortedStableFunc(slices.Values(members), func(a, b waits.Wait) int { return waits.Turn(a.Op) - waits.Turn(b.Op) })
	var accesses []int
	for _, w := range byTurn {
		accesses = append(accesses, w.Position)
	}
	return finding.FromRun(e.rec, analysis.Finding{Kind: e.kind, Accesses: accesses, Tests: e.testsOf(members), Status: bug.Predicted, Tier: e.rec.Tier()})
}

// confirm confirms the bug that blocks its members.
func (e *ending) confirm(ctx, limit context.Context, members []waits.Wait) error {
	f := e.finding(members)
	ev := finding.EvidenceBeforeReplay(e.rec, f)
	sites := finding.BugKey(f.Witness)
	if e.Ledger.IsConfirmed(sites) || e.partOfDeadlock(f.Witness) || !e.Ledger.CountEndingReplay(sites) {
		// The bug is in the report, or had enough replays. Its entry names the other
		// goroutines that it blocks.
		known := evidence.NewFinding(ev)
		e.Ledger.JoinBlocked(&known, evidence.AlsoBlocked(ev))
		return nil
	}
	if len(f.Tests) > 0 {
		if err := e.replay(limit, f, members, &ev); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if limit.Err() == nil {
				e.Ledger.ReportError(f.Witness.ID, err)
			}
		}
	}
	if ev.Result.Reproduced == 0 && !ev.Result.DependsOnTime {
		why := "no replay of it has"
		switch {
		case len(f.Tests) == 0:
			why = "replays run tests only, and its goroutines belong to none"
		case ev.Result.Reason != "":
			why += ": " + ev.Result.Reason
		}
		ev.Result.Reason = "the recorded run has ended with it, and " + why
	}
	e.KeepEntry(e.NewEntry(ev))
	return nil
}

// partOfDeadlock reports whether the report has a deadlock all of whose goroutines are blocked
// at the end of this run. If the run ended with a deadlock it is that one, whichever other
// goroutines wait; goroutines that leak are of that bug only if they are among its goroutines.
func (e *ending) partOfDeadlock(w *witness.Witness) bool {
	return slices.ContainsFunc(e.Ledger.Report.Findings, func(f report.Finding) bool {
		if f.Kind != bug.Deadlock || f.Status != bug.Confirmed || f.Package != w.Package {
			return false
		}
		for _, a := range f.Accesses {
			if !slices.ContainsFunc(e.blockedWaits, func(b waits.Wait) bool {
				s := e.rec.Trace.Sites[b.Site]
				return a.Op == b.Op.String() && a.File == e.rec.Files.Name(s.File) && a.Line == s.Line
			}) {
				return false
			}
		}
		return e.kind == bug.Deadlock || !slices.ContainsFunc(w.Violation, func(s witness.Step) bool {
			return !slices.ContainsFunc(f.Accesses, func(a report.Access) bool { return a.Op == s.Op.String() && a.File == s.File && a.Line == s.Line })
		})
	})
}

// replay replays the schedules that led to f, which blocks the members, and notes the results
// in ev: first schedules of nothing but what must have happened, at last the whole run. A long
// run is first repeated without a schedule.
func (e *ending) replay(ctx context.Context, f finding.Finding, members []waits.Wait, ev *evidence.Evidence) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	recipe := analysis.Recipe{Recipe: schedule.Recipe{Accesses: f.Accesses}}
	all := finding.ScheduledFinding{Finding: f, Recipe: recipe, Schedule: finding.RecordedSchedule(e.rec.Trace, e.numRecorded)}
	// Extent Bare leaves out all steps: a run mostly ends by itself as the recorded one did.
	bare := e.rec.BegunBy == nil
	if bare && len(e.rec.Trace.Events) > maxConeEvents {
		o, err := e.Replays.ReplaySteps(ctx, e.rec, all, witness.StartSteps, false)
		if err != nil {
			return err
		}
		if noteOutcome(ev, o); o.IsConfirmed() {
			return nil
		}
		bare = false
	}
	// The cone of the waits is the least that must happen before the goroutines block. Its
	// schedules make short witnesses.
	if err := e.replayCones(ctx, f, recipe, members, ev); err != nil {
		return err
	}
	// A run often blocks again without any schedule. A witness without steps is best if the
	// other one is long.
	if bare && (!ev.Result.IsConfirmed() || len(ev.Witness.Steps) > replays.LongWitnessSteps) {
		o, err := e.Replays.ReplaySteps(ctx, e.rec, all, witness.StartSteps, false)
		if err != nil {
			return err
		}
		if o.IsConfirmed() && (!ev.Result.IsConfirmed() || o.Result.Effect == ev.Result.Effect) {
			noteOutcome(ev, o)
			return nil
		}
		if !ev.Result.IsConfirmed() {
			ev.Result.Replays += o.Result.Replays
		}
	}
	if ev.Result.IsConfirmed() || len(all.Schedule.Steps) > maxReplayedEvents {
		return nil
	}
	o, err := e.Replays.ReplaySmallOrWhole(ctx, e.rec, all)
	if err == nil {
		noteOutcome(ev, o)
	}
	return err
}

// replayCones replays the events that the waits of the members depend on, in several orders.
func (e *ending) replayCones(ctx context.Context, f finding.Finding, recipe analysis.Recipe, members []waits.Wait, ev *evidence.Evidence) error {
	if e.cones == nil {
		made, err := finding.UnlessDone(ctx, func() (*analysis.Cones, error) { return analysis.NewCones(e.rec.Trace, e.blockedWaits) })
		if err != nil {
			return err
		}
		e.cones = made
	}
	for order := range e.cones.SchedulesFor(members) {
		o, err := e.Replays.ReplaySmall(ctx, e.rec, finding.ScheduledFinding{Finding: f, Recipe: recipe, Schedule: order}, false)
		if err != nil {
			return err
		}
		if noteOutcome(ev, o); ev.Result.IsConfirmed() {
			break
		}
	}
	return nil
}

// noteOutcome notes in ev the result of replaying a further witness. If that confirms the bug,
// the replays of the other witnesses do not count. A bug that depends on time by one schedule
// does so whatever the others show.
func noteOutcome(ev *evidence.Evidence, o replays.Outcome) {
	if !o.IsConfirmed() {
		o.Result.Replays += ev.Result.Replays
		if ev.Result.DependsOnTime {
			ev.Result.Replays = o.Result.Replays
			return
		}
	}
	ev.Witness, ev.Result, ev.ReplayTrace = o.Witness, o.Result, o.ReplayTrace
}

// siteKey identifies the sites at which goroutines are blocked, in any order.
func (e *ending) siteKey(blocked []waits.Wait) string {
	var sites []string
	for _, w := range blocked {
		event := e.rec.Trace.Events[w.Position]
		sites = append(sites, fmt.Sprint(event.Kind, " ", event.Site))
	}
	slices.Sort(sites)
	return strings.Join(sites, ", ")
}

// testsOf returns the tests of the goroutines that wait, each once.
func (e *ending) testsOf(blocked []waits.Wait) []string {
	var tests []string
	for _, w := range blocked {
		if test := e.rec.Trace.Goroutines[w.G].Test; test != "" && !slices.Contains(tests, test) {
			tests = append(tests, test)
		}
	}
	return tests
}
