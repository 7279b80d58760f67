// Package confirm turns what recordings show into confirmed bugs. It replays the witnesses of
// predictions, departures, blocked goroutines, failures and merged recordings, and enters the
// results into the ledger.
package confirm

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Confirmer confirms what the recordings of one package show. Replays are made concurrently.
// The ledger is written only before and after them, in an order that does not depend on which
// replay ends first.
type Confirmer struct {
	Ledger *ledger.Ledger
	// Candidates are those of the ledger, or a set of their own during the search for one bug.
	Candidates *ledger.Candidates
	Replays    *replays.Replayer
	Sources    recording.Sources
	Analysis   analysis.Options // of traces of the package
	Strategy   strategy.Options
	// OnBug is called for each confirmed bug, maybe concurrently.
	OnBug func(pkg string, w *witness.Witness)
}

// ConfirmFindings replays those of the findings that no other recording has settled, the kinds
// with the worst effects first, until the time for replays is over. It returns how many were
// confirmed.
func (c *Confirmer) ConfirmFindings(ctx context.Context, r *recording.Recording, findings []finding.Finding) (confirmed int, err error) {
	open := c.Ledger.Unsettled(findings)
	worstFirst(open)
	err = c.WithinTime(ctx, func(limit context.Context) error {
		all := &confirmation{Confirmer: c, rec: r, findings: open, entries: make([]finding.Entry, len(open)), errs: make([]error, len(open))}
		all.replayAll(limit)
		if ctx.Err() == nil {
			all.followDepartures(ctx, limit)
		}
		confirmed = all.enterEntries(ctx)
		return ctx.Err()
	})
	return confirmed, err
}

// worstFirst sorts findings by the effects that bugs of their kinds have, the worst first.
func worstFirst(findings []finding.Finding) {
	slices.SortStableFunc(findings, func(a, b finding.Finding) int { return a.Kind.Rank() - b.Kind.Rank() })
}

// WithinTime calls f, which replays, with the time that is left for that.
func (c *Confirmer) WithinTime(ctx context.Context, f func(ctx context.Context) error) error {
	if err := c.Replays.Prepare(); err != nil {
		return err
	}
	// The clock runs while at least one package replays, and the report gets the time of this
	// one.
	clock, start := c.Replays.Clock, time.Now()
	clock.Begin()
	limit, cancel := clock.Limit(ctx)
	defer cancel()
	defer func() {
		if clock.End() {
			c.Ledger.NoteIncomplete(clock.TimeOverText())
		}
		c.Ledger.PackageEntry().ReplayS += time.Since(start).Seconds()
	}()
	return f(limit)
}

// A confirmation replays the findings that were predicted from one recording. The results are
// kept by finding until all were replayed, so that the report does not depend on which replay
// ends first.
type confirmation struct {
	*Confirmer
	rec      *recording.Recording
	findings []finding.Finding
	entries  []finding.Entry // for the report, by finding
	// errs say, by finding, why it was not replayed to the end.
	errs []error
}

// replayAll replays the findings until ctx is over: the first schedule of each before the
// other schedules of any.
func (c *confirmation) replayAll(ctx context.Context) {
	n := len(c.findings)
	c.Replays.Progress.Total.Store(int32(n))
	attempts := make([]*attempt, n)
	for i, f := range c.findings {
		attempts[i] = newAttempt(f)
	}
	granted := c.grantReplays(attempts)
	ForEach(c.numConcurrent(), n, func(i int) {
		ev, err := finding.NotReplayed(finding.EvidenceWithoutReplay(c.rec, c.findings[i]), budget.ErrUsedUp)
		if granted[i] > 0 {
			ev, err = c.replaySchedules(ctx, c.rec, attempts[i], 1)
		}
		c.entries[i], c.errs[i] = c.NewEntry(ev), err
	})
	c.payReplays(attempts)
	// By now each finding has had a replay, or its budget or the time is over.
	granted = c.grantReplays(attempts)
	ForEach(c.numConcurrent(), n, func(i int) {
		a := attempts[i]
		defer a.stop()
		if a.finished || granted[i] == 0 {
			return
		}
		ev, err := c.replaySchedules(ctx, c.rec, a, granted[i])
		if c.errs[i] = err; ev.Result.IsConfirmed() {
			c.entries[i] = c.NewEntry(ev)
		} else { // the report shows the first schedule
			c.entries[i].Replays += ev.Result.Replays
		}
	})
	c.payReplays(attempts)
}

// grantReplays returns how many schedules of each finding may be replayed next. Those of a test
// share what the test has: equally or, if there is not one for each, the first findings get
// one. What is granted follows from what was replayed before, and not from how long that took.
func (c *confirmation) grantReplays(attempts []*attempt) (granted []int) {
	granted = make([]int, len(attempts))
	open := make(map[string]int) // findings, by test
	for _, a := range attempts {
		if a.needsBudget() {
			open[a.payer()]++
		}
	}
	extra := make(map[string]int) // schedules that are left when they are shared equally
	share := make(map[string]int)
	for test, n := range open {
		left := math.MaxInt
		if c.Ledger.Allowance != nil && !c.Strategy.IsUnbounded() {
			left = c.Ledger.Allowance.ReplaysLeft(test, c.Ledger.EventsOfTest[test])
		}
		share[test], extra[test] = left/n, left%n
	}
	for i, a := range attempts {
		if granted[i] = 1; a.needsBudget() { // without a schedule there is nothing to replay
			if granted[i] = share[a.payer()]; extra[a.payer()] > 0 {
				extra[a.payer()]--
				granted[i]++
			}
		}
	}
	return granted
}

// payReplays pays for the schedules that were replayed since it was called last.
func (c *confirmation) payReplays(attempts []*attempt) {
	for _, a := range attempts {
		if c.Ledger.Allowance != nil && a.replayed > 0 {
			c.Ledger.Allowance.TakeReplays(a.payer(), c.Ledger.EventsOfTest[a.payer()], a.replayed)
		}
		a.replayed = 0
	}
}

// followDepartures follows the departures of the findings.
func (c *confirmation) followDepartures(ctx, limit context.Context) {
	err := c.FollowDepartures(limit, c.rec, c.findings, c.entries)
	if err != nil && ctx.Err() == nil && !errors.Is(err, budget.ErrTimeOver) {
		c.Ledger.AnalysisFailed = true
		c.Ledger.Warn("%s: %v", c.rec.Run.Package.Path, err)
	}
}

// enterEntries enters the results of the replays into the ledger: of findings at the same
// sites the one that shows most and, if ctx has ended, only what was confirmed. It returns how
// many findings were confirmed.
func (c *confirmation) enterEntries(ctx context.Context) (confirmed int) {
	var bugs []finding.Entry
	// Findings at the same sites are one bug: only the entry that shows most of it is entered.
	index := make(map[string]int) // of bugs, by their sites
	for i, err := range c.errs {
		e := c.entries[i]
		if e.Status == bug.Confirmed {
			confirmed++
		}
		switch {
		case ctx.Err() != nil && e.Status != bug.Confirmed:
			continue
		case errors.Is(err, budget.ErrUsedUp):
			c.Ledger.NoteBound(ledger.ReplaysUsedUp, 1)
		case errors.Is(err, budget.ErrTimeOver):
			if e.Replays == 0 {
				c.Ledger.NoteBound(ledger.TimeOver, 1)
			}
		case err != nil && ctx.Err() == nil:
			c.Ledger.ReportError(c.findings[i].Witness.ID, err)
			continue
		}
		// What was replayed is settled, also if another finding of the same bug is the better
		// entry.
		c.Candidates.NoteReplayed(c.rec, c.findings[i], &e.Finding)
		k, known := index[e.BugKey()]
		switch {
		case !known:
			index[e.BugKey()] = len(bugs)
			bugs = append(bugs, e)
		case e.IsBetterThan(&bugs[k].Finding):
			bugs[k] = e
		}
	}
	for _, b := range bugs {
		if !c.Ledger.HasBetter(&b.Finding) {
			c.KeepEntry(b)
		}
	}
	return confirmed
}

// numConcurrent returns how many findings are replayed concurrently: as many as runs can be
// made, and fewer if the recordings of their replays would take too much memory.
func (c *confirmation) numConcurrent() int {
	// The recording of a replay is about as long as that of the tests.
	longest := 1
	for _, f := range c.findings {
		longest = max(longest, c.rec.Sizes().EventsOf(f.Tests))
	}
	return max(c.Replays.Workers, min(budget.ConcurrentRuns, recording.ConcurrentEvents/longest))
}

// ForEach calls f for 0 to n-1, in this order, in a number of goroutines.
func ForEach(workers, n int, f func(i int)) {
	var next atomic.Int32
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	all.Wait()
}

// An attempt replays the schedules of a finding in turn.
type attempt struct {
	finding.Finding
	next func() (analysis.Recipe, bool)
	stop func()
	// finished is set if no further schedule is to be replayed.
	finished bool
	replayed int // schedules that were replayed and not paid for
}

// needsBudget reports whether the attempt may replay a schedule yet.
func (a *attempt) needsBudget() bool { return !a.finished && len(a.Schedules) > 0 }

// payer returns the test that the replays are paid from.
func (a *attempt) payer() string { return recording.TestFunction(a.Tests[0]) }

// newAttempt returns the attempt that begins with the first schedule of f. Schedules are made
// one at a time, when they are asked for: most findings are confirmed by the first one.
func newAttempt(f finding.Finding) *attempt {
	next, stop := iter.Pull(f.Recipes())
	return &attempt{Finding: f, next: next, stop: stop}
}

// ReplayFinding replays the schedules of f in turn until one is confirmed, and returns the
// evidence. The error is [budget.ErrTimeOver] if there was no time, or says why a replay was
// impossible.
func (c *Confirmer) ReplayFinding(ctx context.Context, r *recording.Recording, f finding.Finding) (evidence.Evidence, error) {
	a := newAttempt(f)
	defer a.stop()
	return c.replaySchedules(ctx, r, a, math.MaxInt)
}

// replaySchedules is ReplayFinding for the next schedules of an attempt, at most that many.
func (c *Confirmer) replaySchedules(ctx context.Context, r *recording.Recording, a *attempt, most int) (evidence.Evidence, error) {
	f := a.Finding
	ev := finding.EvidenceWithoutReplay(r, f)
	for n := range most {
		recipe, more := a.next()
		if a.finished = !more; a.finished {
			break
		}
		a.finished = ctx.Err() != nil
		if a.finished {
			return finding.EvidenceOutOfTime(ctx, ev)
		}
		a.replayed++
		o, err := c.Replays.ReplaySmallOrWhole(ctx, r, finding.ScheduledFinding{Finding: f, Recipe: recipe, Schedule: recipe.Schedule()})
		a.finished = ctx.Err() != nil || err != nil || o.IsConfirmed() || replays.TimedOut(o.Result)
		if ctx.Err() != nil && (err != nil || !o.IsConfirmed()) { // a confirmed bug is kept
			return finding.EvidenceOutOfTime(ctx, ev)
		}
		if err != nil {
			return ev, err
		}
		if o.IsConfirmed() {
			c.Replays.Progress.Confirmed.Add(1)
			ev = evidenceOf(r, f, o)
			// Another schedule may have other accesses of the candidate, and come from another tier.
			ev.Violation, ev.Tier = recipe.Accesses, recipe.Tier()
			c.OnBug(c.Ledger.FirstRun.Package.Path, o.Witness)
			return ev, nil
		}
		before := ev.Result.Replays
		if n == 0 { // the report shows the first schedule, which replays follow most likely
			ev.Witness, ev.Result = o.Witness, o.Result
		}
		ev.Result.Replays = before + o.Result.Replays
		if a.finished {
			break
		}
	}
	return ev, nil
}

// NewEntry makes an entry of the report.
func (c *Confirmer) NewEntry(ev evidence.Evidence) finding.Entry {
	return finding.NewEntry(c.Sources.Files, ev)
}

// AddEntry announces a bug, if the entry is of a confirmed one, and enters it into the ledger.
func (c *Confirmer) AddEntry(e finding.Entry) {
	if e.ConfirmedBug != "" {
		c.OnBug(c.Ledger.FirstRun.Package.Path, e.WitnessToSave)
	}
	c.Ledger.AddEntry(e)
}

// KeepEntry enters an entry into the ledger, with a draft of its witness if its bug is
// confirmed.
func (c *Confirmer) KeepEntry(e finding.Entry) {
	if e.WitnessToSave != nil {
		c.Ledger.Witnesses.Place(&e)
	}
	c.AddEntry(e)
}

// Predict predicts from a recording other than the first one of the package. There is no
// result if it cannot be analyzed.
func (c *Confirmer) Predict(ctx context.Context, r *recording.Recording, opts analysis.Options) (*analysis.Result, []finding.Finding, error) {
	result, err := finding.Predict(ctx, r.Trace, opts)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil { // no error of the run: the user has not asked for this trace
		return nil, nil, nil
	}
	c.Candidates.NotePredicted(result)
	findings, err := c.EnterPrediction(r, result)
	return result, findings, err
}

// EnterPrediction makes the findings of a result with their witnesses. It enters those into
// the ledger that are proven infeasible, and returns the others.
func (c *Confirmer) EnterPrediction(r *recording.Recording, result *analysis.Result) ([]finding.Finding, error) {
	findings, infeasible, err := finding.FromAnalysis(r, result, c.Candidates.WitnessIDs)
	if err != nil {
		return nil, err
	}
	for _, f := range infeasible {
		if e := c.NewEntry(finding.EvidenceWithoutReplay(r, f)); !c.Ledger.HasBetter(&e.Finding) {
			c.AddEntry(e)
		}
	}
	return findings, nil
}

// PredictOpen predicts from a further recording the candidates of some kinds that are not
// settled; no kinds are all. A long recording is not searched for patterns of accesses.
func (c *Confirmer) PredictOpen(ctx context.Context, r *recording.Recording, kinds []bug.Kind) ([]finding.Finding, error) {
	if len(r.Trace.Events) > maxPatternEvents && !c.Strategy.Exploring {
		if kinds = WithoutPatterns(kinds); len(kinds) == 0 {
			return nil, nil
		}
	}
	opts := c.Analysis
	opts.KnowledgeOf, opts.Kinds = c.knowledgeOf, kinds
	opts.Solving.Budget.Steps = strategy.FurtherTraceSolverSteps
	_, findings, err := c.Predict(ctx, r, opts)
	return findings, err
}

// knowledgeOf returns what is known of a candidate, for a further recording. A pattern of
// accesses that only further recordings have counts as tried, so that it is a finding only if
// there is a schedule: to refute patterns takes longer than to find one, and they have the
// least effect.
func (c *Confirmer) knowledgeOf(name string) analysis.Knowledge {
	k := c.Candidates.KnowledgeOf(name)
	if kind, _, _ := strings.Cut(name, "\x00"); k == analysis.Unknown && finding.IsPattern(bug.Kind(kind)) && !c.Strategy.Exploring {
		return analysis.TriedBefore
	}
	return k
}

// WithoutPatterns returns those of the kinds that are no patterns of accesses; no kinds are all.
func WithoutPatterns(kinds []bug.Kind) []bug.Kind {
	if len(kinds) == 0 {
		kinds = bug.Kinds()
	}
	return slices.DeleteFunc(slices.Clone(kinds), finding.IsPattern)
}

// LooksFor reports whether bugs of a kind are looked for.
func (c *Confirmer) LooksFor(kind bug.Kind) bool {
	return len(c.Analysis.Kinds) == 0 || slices.Contains(c.Analysis.Kinds, kind)
}
