package explore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/confirm"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
)

// This file confirms failures of tests. The order of events of a run in which a test failed is
// a schedule, as all of the run was recorded. A replay shows whether this order makes the test
// fail. A test that fails in each order has no concurrency bug.

// confirmFailures replays the recordings in which tests failed that pass in another order. It
// comes last: another bug that was confirmed by then may be why a test fails, and explains
// more.
func (l *loop) confirmFailures(ctx context.Context) error {
	l.reportAlwaysFailing()
	if !l.confirmer.LooksFor(bug.Failure) {
		return nil
	}
	// A failure that no replay has shown may be confirmed by a later recording, so that the
	// warnings come last.
	defer l.reportUnrepeated()
	changed := make(map[string]bool) // tests that do not pass any more
	for _, r := range l.ledger.Recordings {
		l.reportEndless(r.Recording)
		for _, f := range confirm.FailuresIn(r.Recording) {
			test := f.Tests[0]
			if l.passingRun(test) == nil || changed[test] || l.ledger.IsConfirmed(finding.BugKey(f.Witness)) {
				continue
			}
			if err := l.confirmer.WithinTime(ctx, func(limit context.Context) error {
				e, err := l.confirmer.ReplayFailure(limit, r.Recording, f)
				passes, err := l.enterFailure(ctx, limit, r.Recording, f, e, err)
				changed[test] = !passes
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// confirmSuspects replays the runs beyond the recordings in which tests failed that pass in
// another run. They are replayed after all tests were explored: another bug that was confirmed
// by then may be why they fail. These replays mostly wait, so they run concurrently. Of each
// place of failure the first run is replayed, then the second if the first did not confirm it,
// and so on.
func (l *loop) confirmSuspects(ctx context.Context) error {
	left := l.ledger.SuspectRuns
	l.ledger.SuspectRuns = nil
	for len(left) > 0 {
		// One run of each place goes first. The others of a place are only needed if that is
		// not confirmed.
		var now, later ledger.SuspectRuns
		for _, s := range left {
			ran := report.Finding{Package: l.ledger.FirstRun.Package.Path, Test: s.Finding.Tests[0], Detail: s.FailureOutput}
			switch {
			case l.ledger.IsConfirmed(s.Bug) || l.passingRun(ran.Test) == nil || len(ledger.SourceLines(s.FailureOutput)) > 0 && l.ledger.IsExplained(&ran):
			case now.CountOf(s.Bug) > 0:
				later = append(later, s)
			default:
				now = append(now, s)
			}
		}
		if len(now) == 0 {
			return nil
		}
		if err := l.confirmer.WithinTime(ctx, func(limit context.Context) error { return l.replaySuspects(ctx, limit, now) }); err != nil {
			return err
		}
		left = later
	}
	return nil
}

// replaySuspects replays runs concurrently and enters their results in the order of the runs.
func (l *loop) replaySuspects(ctx, limit context.Context, all ledger.SuspectRuns) error {
	entries, errs := make([]finding.Entry, len(all)), make([]error, len(all))
	confirm.ForEach(budget.ConcurrentRuns, len(all), func(i int) {
		entries[i], errs[i] = l.confirmer.ReplayFailure(limit, all[i].Recording, all[i].Finding)
	})
	for i, s := range all {
		if _, err := l.enterFailure(ctx, limit, s.Recording, s.Finding, entries[i], errs[i]); err != nil {
			return err
		}
	}
	return nil
}

// enterFailure enters the result of replaying a failure in the run of r into the ledger; err
// is why there was no result. A failure that another bug explains is not entered. Passes is
// false if the test fails now without any schedule, so that its failure is no bug.
func (l *loop) enterFailure(ctx, limit context.Context, r *recording.Recording, f finding.Finding, e finding.Entry, err error) (passes bool, _ error) {
	test, inputs := f.Tests[0], recording.OutsideInputsText(r.Trace, f.Tests[0])
	if err == nil && e.Status == bug.Confirmed {
		if l.ledger.IsExplained(&e.Finding) {
			return true, nil
		}
		if passes, err = l.passingRun(test)(limit); err == nil && !passes {
			l.ledger.Warn("%s: %s fails in each order by now: by what its runs leave behind, as files, or by chance, and not by the order of goroutines%s", r.Run.Package.Path, test, inputs)
			return false, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case limit.Err() != nil:
		ev, _ := finding.EvidenceOutOfTime(limit, finding.EvidenceBeforeReplay(r, f))
		if e = l.confirmer.NewEntry(ev); !l.ledger.HasBetter(&e.Finding) {
			l.confirmer.KeepEntry(e)
		}
	case err != nil:
		l.ledger.ReportError(f.Witness.ID, err)
	default:
		if e.Status != bug.Confirmed {
			e.Reason += inputs
			// A failure that depends on time has that as its reason. A run that a witness
			// began is no run that the user could see fail.
			if e.Time == nil && r.BegunBy == nil {
				l.unrepeatedFailures[test] = e.Reason
			}
		}
		l.confirmer.KeepEntry(e)
	}
	return true, nil
}

// reportUnrepeated warns of tests that have failed and did not fail in any replay.
func (l *loop) reportUnrepeated() {
	path := l.ledger.FirstRun.Package.Path
	for _, test := range slices.Sorted(maps.Keys(l.unrepeatedFailures)) {
		if !slices.ContainsFunc(l.ledger.Report.Findings, func(f report.Finding) bool {
			return f.Status == bug.Confirmed && f.Effect.Severity() >= bug.TestFailure.Severity() && f.Package == path && f.Test == test
		}) {
			l.ledger.Warn("%s: %s has failed, and not when its order of goroutines was replayed: %s", path, test, l.unrepeatedFailures[test])
		}
	}
}

// reportAlwaysFailing warns of the tests that failed in all runs.
func (l *loop) reportAlwaysFailing() {
	var concurrent, sequential []string
	for _, r := range l.ledger.FirstRecordings {
		for _, test := range r.FailedTests {
			switch {
			case recording.DeadlockBlocks(r.Trace, test) || l.passingRun(test) != nil: // the deadlock is reported
			case !slices.Contains(r.Sizes().ConcurrentTests, test):
				sequential = append(sequential, test)
			case l.otherOrders[test] > 0:
				concurrent = append(concurrent, test)
			}
		}
	}
	path := l.ledger.FirstRun.Package.Path
	if len(concurrent) > 0 {
		// The tests may be of different recordings, each with its own number of orders.
		most := 0
		for _, test := range concurrent {
			most = max(most, l.otherOrders[test])
		}
		l.ledger.Warn("%s: failed in each of %d orders of goroutines, which is no concurrency bug: %s; a bug that makes a test fail in the way in which it fails anyway is told as without effect",
			path, most+1, recording.ListTests(concurrent, recording.MaxListed))
	}
	if len(sequential) > 0 {
		l.ledger.Warn("%s: failed with one goroutine, which is no concurrency bug: %s", path, recording.ListTests(sequential, recording.MaxListed))
	}
}

// reportEndless warns of tests that were running when the time of r was over, and that end in
// another order. The events do not show what they waited for, or spun on.
func (l *loop) reportEndless(r *recording.Recording) {
	if !recording.EndedByTimeout(r.Trace) {
		return
	}
	// Other tests that have not ended were not running, or waited for their turn.
	culprits, _ := recording.EndedBy(r.Trace)
	for _, test := range culprits {
		if l.passingRun(test) != nil {
			l.ledger.Warn("%s: %s had not ended when its time was over, in the order of goroutines of %s, and ends in another", l.ledger.FirstRun.Package.Path, test, cmp.Or(string(r.Run.Order), "go test"))
		}
	}
}
